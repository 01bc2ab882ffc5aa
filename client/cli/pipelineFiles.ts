import { readFile, stat } from 'node:fs/promises';
import { errorText } from '../../protocol/errors.js';
import { largestText } from '../../pipeline/analysis.js';
import { pipelineFilePattern } from '../../pipeline/fileName.js';
import { UsageError } from './failures.js';
import { type FileFilter, filesBelow, filesMatching, isText, readAll } from './input.js';
import type { Io } from './io.js';

/** Not into folders that hold other people's files, and not out of a folder that was named. */
const filter: FileFilter = { ignore: ['**/node_modules/**'], followSymbolicLinks: false };

/** A file that is to be read: its name for people, and its text (with its byte order mark) or why there is none. */
export type PipelineInput =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly unreadable: string }
  | { readonly file: string; readonly isTooLarge: true };

/**
 * The files that the operands mean, each once: a file, a folder with all pipeline files below it, a pattern where the
 * shell has left one, or `-` for stdin.
 *
 * @throws UsageError for a folder or pattern without files
 */
export async function namedFiles(operands: readonly string[]): Promise<string[]> {
  const files = await Promise.all(operands.map(filesOf));
  return [...new Set(files.flat())];
}

async function filesOf(operand: string): Promise<string[]> {
  const info = operand === '-' ? undefined : await stat(operand).catch(() => undefined);
  if (info?.isDirectory() === true) {
    const files = await filesBelow(operand, { pattern: pipelineFilePattern, ...filter });
    if (files.length > 0) return files;
    const hint =
      'Pipeline files end in .pipe, .pipe.json or .pipe.json5; a file with another name can be named itself.';
    throw new UsageError(`No pipeline files in ${operand}`, hint);
  }
  if (info !== undefined) return [operand];
  const files = await filesMatching(operand, filter);
  if (files?.length === 0) throw new UsageError(`No files match ${operand}`, 'Check the pattern, or name the files.');
  return files ?? [operand];
}

/** The text of a file or of stdin; never throws for what a file is. */
export async function readInput(file: string, io: Pick<Io, 'stdin' | 'signal'>): Promise<PipelineInput> {
  const name = file === '-' ? 'stdin' : file;
  try {
    // A text has at most as many bytes in UTF-8 as three times its length.
    if (file !== '-' && (await stat(file)).size > 3 * largestText) return { file: name, isTooLarge: true };
    const bytes = file === '-' ? await readAll(io.stdin, io.signal) : await readFile(file);
    if (!isText(bytes)) return { file: name, unreadable: 'it is no text in UTF-8' };
    return { file: name, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) };
  } catch (thrown) {
    if (io.signal.aborted) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    const known: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a folder',
      EACCES: 'it may not be read',
    };
    return { file: name, unreadable: known[code ?? ''] ?? errorText(thrown) };
  }
}
