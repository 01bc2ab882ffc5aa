import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type MillraceError, toMillraceError } from '../../../protocol/errors.js';
import { parsePipelineText } from '../../../pipeline/document.js';
import { chunkSize } from './chunks.js';
import { createError } from './errors.js';
import type { FileEntry, FileSource } from './files.js';
import { mimeTypeOf } from './mimeTypes.js';

/** A path, or an entry whose `file` is a path or a File. */
export type NodeFileEntry = string | FileEntry | (Omit<FileEntry, 'file'> & { file: string });

/** A file of the disk; it is opened when it is read. */
class DiskFile implements FileSource {
  readonly name: string;
  readonly size: number;
  readonly type: string;
  readonly #path: string;

  constructor(filePath: string, size: number) {
    this.#path = filePath;
    this.name = path.basename(filePath);
    this.size = size;
    this.type = mimeTypeOf(filePath);
  }

  /**
   * The bytes, and no more than there were: whoever waits for a file that somebody writes to would never be done.
   *
   * @throws FileNotFoundError when it has gone, ValidationError `invalid_argument` when it has changed
   */
  async *stream(): AsyncIterable<Uint8Array> {
    const file = await open(this.#path).catch((cause: unknown) => {
      throw createError('file_not_found', `File not found: ${this.#path}`, { cause });
    });
    try {
      const begin = await file.stat();
      if (begin.size !== this.size) throw changed(this.#path);
      for (let left = begin.size; left > 0;) {
        const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafeSlow(Math.min(left, chunkSize)) });
        if (bytesRead === 0) throw changed(this.#path);
        left -= bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
      const end = await file.stat();
      if (end.size !== begin.size || end.mtimeMs !== begin.mtimeMs) throw changed(this.#path);
    } finally {
      await file.close();
    }
  }
}

function changed(filePath: string): MillraceError {
  return createError('invalid_argument', `The file changed while it was sent: ${filePath}`, {
    hint: 'Send it again when nobody writes to it.',
  });
}

/**
 * Entries with every path looked up, so that a wrong one is told before anything is sent.
 *
 * @throws FileNotFoundError when a path is no file
 */
export async function resolveFiles(entries: readonly NodeFileEntry[]): Promise<FileEntry[]> {
  return Promise.all(entries.map(resolveFile));
}

async function resolveFile(entry: NodeFileEntry): Promise<FileEntry> {
  if (typeof entry === 'string') return { file: await diskFile(entry), filepath: entry };
  const { file } = entry;
  if (typeof file !== 'string') return { ...entry, file };
  return { ...entry, file: await diskFile(file), filepath: entry.filepath ?? file };
}

async function diskFile(filePath: string): Promise<FileSource> {
  const info = await stat(filePath).catch((cause: unknown) => {
    throw createError('file_not_found', `File not found: ${filePath}`, { cause });
  });
  if (!info.isFile()) throw createError('file_not_found', `Not a file: ${filePath}`);
  return new DiskFile(filePath, info.size);
}

/**
 * Reads a pipeline file. The name is the file's, without `.pipe`, `.pipe.json`, `.pipe.json5`, `.json` or `.json5`.
 *
 * @throws FileNotFoundError when it does not exist, ValidationError `pipeline_syntax` when it is not JSON5
 */
export async function loadPipeline(filepath: string): Promise<{ pipeline: unknown; name: string }> {
  const text = await readFile(filepath, 'utf8').catch((cause: unknown) => {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const message = missing ? `File not found: ${filepath}` : `Cannot read ${filepath}: ${(cause as Error).message}`;
    throw createError('file_not_found', message, { cause });
  });
  const name = path.basename(filepath).replace(/(\.pipe)?(\.json5?)?$/i, '');
  try {
    return { pipeline: parsePipelineText(text), name: name || path.basename(filepath) };
  } catch (thrown) {
    const { code, message, hint } = toMillraceError(thrown, 'pipeline_syntax');
    throw createError(code, `${filepath}: ${message}`, { hint, cause: thrown });
  }
}
