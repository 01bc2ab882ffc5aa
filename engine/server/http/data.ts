import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { defaultMimeType } from '../../../protocol/limits.js';
import { type ErrorCode, MillraceError, toMillraceError } from '../../../protocol/errors.js';
import type { Cancellation, ObjectRequest, RunningTask } from '../../tasks/service.js';
import { requirePermission, taskToken } from '../auth.js';
import { composeAnswer, failedItem, type Item, readResult } from './answer.js';
import { type HttpDeps, principalOf, type Route, type RouteDoc, tokenOf } from './context.js';
import { dispositionName } from './disposition.js';
import { publicError } from './envelope.js';
import { readParts } from './multipart.js';
import { gather, pump } from './pump.js';

/** Up to here an object travels to its task as one message. */
const smallBytes = 64 * 1024;

/** Failures of one object; every other failure is one of the request. */
const objectFailures: ReadonlySet<ErrorCode> = new Set([
  'component_failed',
  'pipe_failed',
  'pipe_abandoned',
  'pipe_not_found',
]);

export function dataRoutes(deps: HttpDeps): Route[] {
  const handle = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => upload(deps, request, reply);
  const route = { access: 'key', body: 'raw', handle } as const;
  return [
    { ...route, method: 'POST', path: '/task/data', doc: dataDoc('Send data to a running pipeline') },
    { ...route, method: 'POST', path: '/webhook', doc: dataDoc('Send data to a running pipeline (alias)') },
    {
      ...route,
      method: 'PUT',
      path: '/task/process',
      doc: { ...dataDoc('Send data; use POST /task/data'), deprecated: true },
    },
  ];
}

async function upload(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const principal = principalOf(request);
  const token = taskToken(principal, tokenOf(request));
  requirePermission(principal, 'data', token);
  const task = deps.tasks.find(principal, token);
  const { headers } = request;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new MillraceError('media_type_refused', 'A compressed request body is not accepted', {
      hint: 'Send the body without Content-Encoding.',
    });
  }
  const mimeType = mimeOf(headers['content-type']);
  const items =
    mimeType === 'multipart/form-data'
      ? await sendParts(task, request, reply)
      : await sendBody(task, mimeType, request, reply);
  return reply.type('application/json; charset=utf-8').send(composeAnswer(items));
}

async function sendBody(
  task: RunningTask,
  mimeType: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Map<string, Item>> {
  const { headers, raw } = request;
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  const name = dispositionName(headers['content-disposition']) ?? `stream-${randomUUID()}`;
  // A body of unknown length may be a live stream: its first bytes must not wait for the next ones.
  const gatherFirst = length !== undefined && length <= smallBytes;
  const item = await deliver(task, { name, mimeType, size: length, source: raw, gatherFirst }, reply);
  return new Map([['body', item]]);
}

/**
 * Every field of a form is an object of its own. They are processed in the order in which they arrive, not side by
 * side: the next one cannot be read before this one has been, unless it were kept in memory.
 */
async function sendParts(task: RunningTask, request: FastifyRequest, reply: FastifyReply): Promise<Map<string, Item>> {
  const fields: { field: string; item: Item }[] = [];
  await readParts(request.raw, async (part) => {
    const { field, fileName, mimeType, source } = part;
    const name = fileName ?? `${part.isFile ? 'upload_' : `${field}-`}${randomUUID()}`;
    const object = { name, mimeType: mimeOf(mimeType), size: undefined, source, gatherFirst: true };
    fields.push({ field, item: await deliver(task, object, reply) });
  });
  return nameItems(fields);
}

/** A field name that occurs once names its item; a repeated one becomes `NAME_0`, `NAME_1`, … */
function nameItems(fields: readonly { field: string; item: Item }[]): Map<string, Item> {
  const total = new Map<string, number>();
  for (const { field } of fields) total.set(field, (total.get(field) ?? 0) + 1);
  const items = new Map<string, Item>();
  const next = new Map<string, number>();
  for (const { field, item } of fields) {
    let name = field;
    let index = next.get(field) ?? 0;
    if ((total.get(field) ?? 0) > 1) {
      do name = `${field}_${index++}`;
      while (items.has(name) || total.has(name));
      next.set(field, index);
    }
    items.set(name, item);
  }
  return items;
}

interface Upload {
  name: string;
  mimeType: string;
  /** Bytes, when known. */
  size: number | undefined;
  source: Readable;
  gatherFirst: boolean;
}

/**
 * Sends one object. What goes wrong with the object becomes its item.
 *
 * @throws MillraceError when the request itself fails: no such task, the client is gone
 */
async function deliver(task: RunningTask, upload: Upload, reply: FastifyReply): Promise<Item> {
  try {
    if (!upload.gatherFirst) return readResult(await stream(task, upload, reply));
    const { data, ended } = await gather(upload.source, smallBytes);
    if (!ended) return readResult(await stream(task, upload, reply, data));
    return readResult(await task.send(objectRequest(upload, data.length), data));
  } catch (thrown) {
    const error = publicError(toMillraceError(thrown));
    if (!objectFailures.has(error.code)) throw thrown;
    return failedItem(error);
  } finally {
    // What nobody reads any more must not keep the connection, or the next part of a form, from being used.
    upload.source.resume();
  }
}

/** Passes the object on as it arrives; nothing of it is kept. */
async function stream(task: RunningTask, upload: Upload, reply: FastifyReply, head?: Buffer): Promise<string> {
  const pipe = await task.open(objectRequest(upload, upload.size), cancelledBy(reply.raw));
  try {
    if (head !== undefined) await pipe.write(head);
    await pump(upload.source, pipe);
  } catch (thrown) {
    const error = toMillraceError(thrown, 'component_failed');
    if (error.code === 'connection_lost') {
      void pipe.abandon(error.message);
      throw error;
    }
    return closeFailed(() => pipe.close(), error);
  }
  return pipe.close();
}

/** A client that goes away before its pipe is open does not want it any more. */
function cancelledBy(response: ServerResponse): Cancellation {
  return {
    get cancelled() {
      return response.destroyed;
    },
    onCancel(callback) {
      response.once('close', callback);
      return () => response.off('close', callback);
    },
  };
}

/** A pipe that failed is closed like any other: its result tells more than the failed write. */
async function closeFailed(close: () => Promise<string>, error: MillraceError): Promise<string> {
  let text: string;
  try {
    text = await close();
  } catch {
    throw error;
  }
  if (readResult(text).ok) throw error;
  return text;
}

/** The engine's own form of `result_types` is asked for, because the answer needs the lanes as well as the keys. */
function objectRequest(upload: Upload, size: number | undefined): ObjectRequest {
  const { name, mimeType } = upload;
  // A size of 0 would make parsers skip the object.
  return { object: size === undefined || size === 0 ? { name } : { name, size }, mimeType, dialect: 'peer' };
}

function mimeOf(contentType: string | undefined): string {
  if (contentType === undefined) return defaultMimeType;
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase() || defaultMimeType;
}

function dataDoc(summary: string): RouteDoc {
  return {
    tag: 'Data',
    summary,
    query: {
      token: {
        type: 'string',
        description:
          'Task token; also accepted as the header `Millrace-Token`. Not needed with a `tk_` or `pk_` credential.',
      },
    },
    body: {
      'application/octet-stream': { description: 'One object; its type is the content type of the request.' },
      'multipart/form-data': { type: 'object', description: 'Every field is an object of its own.' },
    },
    data: {
      type: 'object',
      description: 'With exactly one object that succeeded, the fields of its result stand here as well.',
      properties: {
        objectsRequested: { type: 'integer' },
        objectsCompleted: { type: 'integer' },
        resultTypes: { type: 'object', additionalProperties: { type: 'string' }, description: 'Result key → lane.' },
        objects: { type: 'object', description: 'Field name (`body` for a raw body) → result and `status`.' },
        result_types: { type: 'array', items: { type: 'string' } },
      },
      additionalProperties: true,
    },
  };
}
