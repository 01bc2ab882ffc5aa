import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
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

/** Which files of a folder or pattern are meant. */
export interface FileFilter {
  /** A pattern below the folder; all files unless given. */
  readonly pattern?: string;
  /** Patterns of what is left out, besides hidden files. */
  readonly ignore?: string[];
  /** Whether folders that are links are gone into; they are unless it is false. */
  readonly followSymbolicLinks?: boolean;
}

/** The files below a folder, in the order of their names. */
export async function filesBelow(folder: string, { pattern = '**/*', ...filter }: FileFilter = {}): Promise<string[]> {
  const names = await glob(pattern, { cwd: folder, expandDirectories: false, caseSensitiveMatch: false, ...filter });
  return names.sort().map((name) => path.join(folder, name));
}

/** The files that a pattern stands for, in the order of their names; undefined for what is no pattern. */
export async function filesMatching(
  operand: string,
  filter: Omit<FileFilter, 'pattern'> = {},
): Promise<string[] | undefined> {
  // Windows shells leave patterns to the program, and their paths have backslashes.
  const pattern = path.sep === '\\' ? operand.replaceAll('\\', '/') : operand;
  if (!isDynamicPattern(pattern)) return undefined;
  return (await glob(pattern, { expandDirectories: false, absolute: path.isAbsolute(operand), ...filter })).sort();
}
