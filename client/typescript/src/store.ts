import { limits } from '../../../protocol/limits.js';
import { isRecord } from '../../../pipeline/values.js';
import { chunkSize, collect, sliced } from './chunks.js';
import { createError } from './errors.js';
import { bytesOf } from './pipes.js';
import type { Reply } from './requests.js';
import type { Session } from './session.js';

export interface StoreEntry {
  name: string;
  type: 'file' | 'dir';
  /** Bytes. */
  size?: number;
  /** Unix time, seconds. */
  modified?: number;
}

export interface StoreStat {
  exists: boolean;
  type?: 'file' | 'dir';
  /** Bytes. */
  size?: number;
  /** Unix time, seconds. */
  modified?: number;
}

/**
 * Files kept on the server, for the key that is logged in. Paths are relative and written with `/`. Every method
 * throws MillraceError `store_failed` when the server refuses and FileNotFoundError where a file is missing.
 */
export class FileStore {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The whole file. */
  async read(path: string): Promise<Uint8Array> {
    return collect(this.stream(path));
  }

  /** The whole file as UTF-8 text. */
  async readText(path: string): Promise<string> {
    return new TextDecoder().decode(await this.read(path));
  }

  /** The file in pieces of at most 4 MiB. */
  async *stream(path: string): AsyncGenerator<Uint8Array> {
    const handle = await this.#open(path, 'r');
    try {
      for (let offset = 0; ;) {
        const { payload } = await this.#call('fs_read', { handle, offset, length: limits.storeReadBytes });
        if (payload === undefined || payload.length === 0) return;
        offset += payload.length;
        yield payload;
      }
    } finally {
      // A handle that cannot be closed went with its connection; the reader need not know.
      await this.#call('fs_close', { handle, mode: 'r' }).catch(() => undefined);
    }
  }

  /** Writes a file, replacing one that is there. Folders on the way are made. Resolves with the bytes written. */
  async write(path: string, data: string | Uint8Array): Promise<number> {
    const bytes = bytesOf(data);
    const handle = await this.#open(path, 'w');
    try {
      for (const piece of sliced(bytes, chunkSize)) await this.#call('fs_write', { handle }, piece);
    } catch (error) {
      await this.#call('fs_close', { handle, mode: 'w' }).catch(() => undefined);
      throw error;
    }
    await this.#call('fs_close', { handle, mode: 'w' });
    return bytes.length;
  }

  /** What is in a folder, sorted by name; nothing for a folder that does not exist. The root when absent. */
  async list(path = ''): Promise<StoreEntry[]> {
    const { body } = await this.#call('fs_list_dir', { path });
    return isRecord(body) && Array.isArray(body.entries) ? (body.entries as StoreEntry[]) : [];
  }

  /** Never throws for a path that does not exist. */
  async stat(path: string): Promise<StoreStat> {
    const { body } = await this.#call('fs_stat', { path });
    return isRecord(body) ? (body as unknown as StoreStat) : { exists: false };
  }

  async mkdir(path: string): Promise<void> {
    await this.#call('fs_mkdir', { path });
  }

  /** @param recursive with everything in it; else the folder must be empty */
  async rmdir(path: string, recursive = false): Promise<void> {
    await this.#call('fs_rmdir', { path, recursive });
  }

  /** Deletes a file. */
  async remove(path: string): Promise<void> {
    await this.#call('fs_delete', { path });
  }

  /** @throws MillraceError `store_failed` when the destination exists */
  async rename(oldPath: string, newPath: string): Promise<void> {
    await this.#call('fs_rename', { old_path: oldPath, new_path: newPath });
  }

  async #open(path: string, mode: 'r' | 'w'): Promise<string> {
    const { body } = await this.#call('fs_open', { path, mode });
    if (!isRecord(body) || typeof body.handle !== 'string') throw createError('store_failed', 'No handle was returned');
    return body.handle;
  }

  #call(subcommand: string, args: Record<string, unknown>, data?: Uint8Array): Promise<Reply> {
    return this.#session.call('store', { subcommand, ...args }, { data });
  }
}
