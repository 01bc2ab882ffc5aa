import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { FileNotFoundError } from '../typescript/src/index.js';
import type { Input } from './io.js';

/** The bytes of stdin as they come. Ends with the signal's reason when it fires, for stdin may never say more. */
export async function* bytesOfInput(input: Input, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = input[Symbol.asyncIterator]();
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('Interrupted'));
    signal.addEventListener('abort', abort, { once: true });
  });
  aborted.catch(() => undefined);
  try {
    signal.throwIfAborted();
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done === true) return;
      yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Everything of stdin. */
export async function readAll(input: Input, signal: AbortSignal): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const piece of bytesOfInput(input, signal)) parts.push(piece);
  return Buffer.concat(parts);
}

/** The lines of stdin, without their line ends. */
export async function* linesOfInput(input: Input, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of bytesOfInput(input, signal)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

export function isText(data: Uint8Array): boolean {
  return isUtf8(data) && !data.includes(0);
}

/** A file of this machine that the command line names. */
export async function readNamedFile(file: string): Promise<Uint8Array> {
  return readFile(file).catch((cause: NodeJS.ErrnoException) => {
    const message = cause.code === 'ENOENT' ? `File not found: ${file}` : `Cannot read ${file}: ${cause.message}`;
    throw new FileNotFoundError('file_not_found', message, { cause });
  });
}
