import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorText, MillraceError } from '../../protocol/errors.js';

/** A file that is to be sent. */
export interface FoundFile {
  readonly path: string;
  /** From the folder that was chosen, with `/`; the file's name when it was chosen itself. */
  readonly name: string;
}

export interface WalkLimits {
  /** More files than this are refused. */
  readonly files: number;
  /** Folders below folders. */
  readonly depth: number;
}

export const walkLimits: WalkLimits = { files: 5000, depth: 32 };

/** Folders of tools: what is in them is hardly ever meant. */
const skipped = new Set(['.git', 'node_modules', '.hg', '.svn']);

/**
 * The files among `chosen` and in the folders among them, each once, in the order chosen and by name within a folder.
 * Links to folders are not followed.
 *
 * @throws MillraceError `file_not_found`, or `too_many` beyond the limits; the signal's reason when it fires
 */
export async function walkFiles(
  chosen: readonly string[],
  { limits = walkLimits, signal }: { limits?: WalkLimits; signal?: AbortSignal } = {},
): Promise<FoundFile[]> {
  const found = new Map<string, FoundFile>();
  const add = (file: string, name: string): void => {
    if (!found.has(file)) found.set(file, { path: file, name });
    if (found.size <= limits.files) return;
    throw new MillraceError('too_many', `There are more than ${limits.files} files to send.`, {
      hint: 'Choose fewer files or a smaller folder, or let a pipeline read the folder with the provider filesys.',
    });
  };
  const walk = async (folder: string, name: string, depth: number): Promise<void> => {
    signal?.throwIfAborted();
    if (depth > limits.depth) {
      throw new MillraceError('too_many', `Folders are nested deeper than ${limits.depth} levels at ${name}.`, {
        hint: 'Choose a smaller folder.',
      });
    }
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const child = path.join(folder, entry.name);
      const childName = `${name}/${entry.name}`;
      if (entry.isFile()) add(child, childName);
      else if (entry.isSymbolicLink()) {
        const target = await stat(child).catch(() => undefined);
        if (target?.isFile() === true) add(child, childName);
      } else if (entry.isDirectory() && !skipped.has(entry.name)) await walk(child, childName, depth + 1);
    }
  };
  for (const each of chosen) {
    signal?.throwIfAborted();
    const info = await lstat(each)
      .then((link) => (link.isSymbolicLink() ? stat(each) : link))
      .catch((cause: unknown) => {
        throw new MillraceError('file_not_found', `Cannot read ${each}: ${errorText(cause)}`, { cause });
      });
    if (info.isDirectory()) await walk(each, path.basename(each), 1);
    else if (info.isFile()) add(each, path.basename(each));
  }
  return [...found.values()];
}
