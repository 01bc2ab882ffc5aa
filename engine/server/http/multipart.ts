import type { BusboyFileStream } from '@fastify/busboy';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { MillraceError, toMillraceError } from '../../../protocol/errors.js';

export interface Part {
  field: string;
  isFile: boolean;
  fileName: string | undefined;
  mimeType: string;
  source: Readable;
}

const maxParts = 1000;

/**
 * Calls `handle` for every part of a multipart body, one after the other, in order of arrival. Parts are streams,
 * text fields too, so memory does not depend on their size: a part that is not read stops the sender.
 *
 * @throws what `handle` throws, `connection_lost` when the client goes away, `invalid_message` for a malformed body
 */
export async function readParts(request: IncomingMessage, handle: (part: Part) => Promise<void>): Promise<void> {
  // Loaded when the first form arrives: most servers never see one.
  // A CommonJS package has its names under `default` once it is bundled.
  const { default: busboy } = await import('@fastify/busboy');
  const contentType = request.headers['content-type'] ?? '';
  const parser = malformed(
    () =>
      new busboy.Busboy({
        headers: { ...request.headers, 'content-type': contentType },
        isPartAFile: () => true,
        limits: { parts: maxParts, fieldNameSize: 1000, headerPairs: 100, headerSize: 16 * 1024 },
      }),
  );
  const unread = new Set<BusboyFileStream>();

  try {
    await new Promise<void>((resolve, reject) => {
      let previous: Promise<void> = Promise.resolve();
      parser.on('file', (field, source, fileName, _encoding, mimeType) => {
        unread.add(source);
        source.once('close', () => unread.delete(source)).on('error', ignore);
        const part = { field, isFile: fileName !== undefined, fileName: fileName || undefined, mimeType, source };
        previous = previous.then(() => handle(part));
        previous.catch(reject);
      });
      parser.on('partsLimit', () => {
        reject(new MillraceError('too_large', `A form may have at most ${maxParts} fields`));
      });
      parser.on('error', (cause) => reject(malformedBody(cause)));
      parser.on('finish', () => {
        previous.then(resolve, reject);
      });
      const onLost = (cause?: unknown): void => {
        if (!request.readableEnded) {
          reject(new MillraceError('connection_lost', 'The client went away during the upload', { cause }));
        }
      };
      request.on('error', onLost).on('close', onLost);
      request.pipe(parser);
    });
  } catch (thrown) {
    request.unpipe(parser);
    request.resume();
    // Whoever still reads a part must learn that the rest of it will not come.
    for (const source of unread) source.destroy(toMillraceError(thrown));
    throw thrown;
  }
}

function malformed<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw malformedBody(cause);
  }
}

function malformedBody(cause: unknown): MillraceError {
  const reason = cause instanceof Error ? cause.message : 'unreadable';
  return new MillraceError('invalid_message', `The form is not valid multipart data: ${reason}`, {
    cause,
    hint: 'Send the form as multipart/form-data with a boundary, each field with its headers.',
  });
}

function ignore(): void {
  // Reported through the parser.
}
