import { stat } from 'node:fs/promises';
import path from 'node:path';
import { MillraceError } from '../../protocol/errors.js';
import { quote } from '../../pipeline/values.js';

/** Files below a folder whose path from there matches a glob with `/`; absolute paths, in any order. */
export type FindFiles = (folder: string, glob: string) => Promise<readonly string[]>;

/**
 * The files that `input` of a debug configuration names, each once, in the order of the entries and by name within
 * one. A folder stands for all files below it.
 *
 * @param folder where relative entries start; undefined when no folder is open
 * @throws MillraceError `file_not_found` for an entry that gives no file, `invalid_argument` for a relative one
 * without a folder
 */
export async function expandInput(
  entries: readonly string[],
  folder: string | undefined,
  findFiles: FindFiles,
): Promise<string[]> {
  const files = new Set<string>();
  for (const entry of entries) {
    for (const file of await expand(entry, absolute(entry, folder), findFiles)) files.add(file);
  }
  return [...files];
}

async function expand(entry: string, full: string, findFiles: FindFiles): Promise<readonly string[]> {
  const info = await stat(full).catch(() => undefined);
  if (info?.isFile() === true) return [full];
  const glob = info?.isDirectory() === true ? { folder: full, pattern: '**/*' } : splitGlob(full);
  if (glob === undefined) {
    throw new MillraceError('file_not_found', `"input" names a file that does not exist: ${quote(entry)}`);
  }
  const found = await findFiles(glob.folder, glob.pattern);
  if (found.length > 0) return [...found].sort();
  const what = info === undefined ? 'No file matches' : 'There is no file in the folder';
  throw new MillraceError('file_not_found', `${what} ${quote(entry)} of "input"`, {
    hint: `It was looked for in ${glob.folder}.`,
  });
}

function absolute(entry: string, folder: string | undefined): string {
  if (path.isAbsolute(entry)) return path.normalize(entry);
  if (folder !== undefined) return path.join(folder, entry);
  throw new MillraceError('invalid_argument', `"input" has a relative path, but no folder is open: ${quote(entry)}`, {
    hint: 'Write the whole path, or open the folder.',
  });
}

const special = /[*?[\]{}]/;

/** The folder above the first part that is a pattern, and the rest. */
function splitGlob(full: string): { folder: string; pattern: string } | undefined {
  const parts = full.split(path.sep);
  const first = parts.findIndex((part) => special.test(part));
  if (first < 0) return undefined;
  return { folder: parts.slice(0, first).join(path.sep) + path.sep, pattern: parts.slice(first).join('/') };
}
