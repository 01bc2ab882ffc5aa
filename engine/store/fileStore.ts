import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, realpath, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import type { Dirent, Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ErrorCode, MillraceError } from '../../protocol/errors.js';
import { limits } from '../../protocol/limits.js';
import { replaceFile, systemCode } from './atomicFile.js';
import { parseStorePath, resolveInside } from './paths.js';
import { Queue } from './queue.js';

export type OpenMode = 'r' | 'w';

/** Times are seconds since 1970, sizes bytes. */
export interface StoreEntry {
  name: string;
  type: 'file' | 'dir';
  size?: number;
  modified?: number;
}

export type StoreStat = { exists: false } | ({ exists: true } & Omit<StoreEntry, 'name'>);

/** A file that is open for one connection. */
interface OpenFile {
  session: FileStoreSession;
  keyId: string;
  mode: OpenMode;
  /** As the client wrote it. */
  path: string;
  segments: readonly string[];
  file: FileHandle;
  /** Where the data of a write handle goes until it is closed. */
  temporary?: string;
  /** Set when a write failed: what is there is not what the client sent, so it is never committed. */
  broken: boolean;
  /** Reads, writes and the close of a handle happen in the order they were asked for. */
  queue: Queue;
}

/** What the sessions of a store share. */
interface Shared {
  rootDir: string;
  handles: Map<string, OpenFile>;
  /** Paths open for writing, as `keyId/path`. */
  writing: Set<string>;
  /** Per principal: commits, renames and removals, one at a time, so that none replaces what another just checked. */
  changes: Map<string, Queue>;
}

/** Files abandoned by a crash are removed when they are older than this. */
const leftoverMilliseconds = 24 * 60 * 60 * 1000;
const privateFile = 0o600;
const privateDirectory = 0o700;

/**
 * The file store: one directory per principal below `rootDir`, and beside them one for files being written. Files are
 * replaced when a write handle is closed, so a reader never sees half a file.
 */
export class FileStore {
  readonly #shared: Shared;

  constructor(rootDir: string) {
    this.#shared = { rootDir, handles: new Map(), writing: new Set(), changes: new Map() };
  }

  /** The store as one connection of the principal sees it. Whoever asked for it disposes it. */
  session(keyId: string): FileStoreSession {
    if (!/^[0-9a-f]+$/i.test(keyId)) throw new MillraceError('internal', 'The id of a key must be hexadecimal');
    return new FileStoreSession(this.#shared, keyId);
  }

  /** Removes what a crash left of files being written. */
  async removeLeftovers(now = Date.now()): Promise<void> {
    const directory = partialDirectory(this.#shared.rootDir);
    const names = await readdir(directory).catch(() => []);
    for (const name of names) {
      const path = join(directory, name);
      const info = await stat(path).catch(() => undefined);
      if (info !== undefined && now - info.mtimeMs > leftoverMilliseconds) await rm(path, { force: true });
    }
  }
}

/**
 * The handles and operations of one connection. Every failure is a MillraceError, most of them `store_failed` or
 * `file_not_found`.
 */
export class FileStoreSession {
  readonly #shared: Shared;
  readonly #keyId: string;
  #root: Promise<string> | undefined;
  #opening = 0;
  #disposed = false;

  constructor(shared: Shared, keyId: string) {
    this.#shared = shared;
    this.#keyId = keyId;
  }

  /** @returns the handle, and for reading the size of the file */
  async open(path: string, mode: OpenMode = 'r'): Promise<{ handle: string; size?: number }> {
    const segments = fileSegments(path);
    if (this.#disposed) throw new MillraceError('connection_lost');
    if (this.#handles().length + this.#opening >= limits.storeHandles) {
      const message = `Too many open handles: at most ${limits.storeHandles} per connection`;
      throw new MillraceError('too_many', message, { hint: 'Close handles that are no longer used.' });
    }
    const lock = this.#lock(segments);
    if (mode === 'w') {
      if (this.#shared.writing.has(lock)) throw refused(`File already open for writing: ${path}`);
      this.#shared.writing.add(lock);
    }
    this.#opening++;
    try {
      const opened = await guard(path, () =>
        mode === 'r' ? this.#openRead(path, segments) : this.#openWrite(path, segments),
      );
      return await this.#register({ ...opened, session: this, keyId: this.#keyId, mode, path, segments });
    } catch (thrown) {
      if (mode === 'w') this.#shared.writing.delete(lock);
      throw thrown;
    } finally {
      this.#opening--;
    }
  }

  /** At most 4 MiB; no bytes at the end of the file. Arguments that are not whole numbers in range fall back. */
  async read(handle: string, offset?: unknown, length?: unknown): Promise<Uint8Array> {
    const opened = this.#find(handle, 'r');
    const from = wholeNumber(offset) ? offset : 0;
    const most = wholeNumber(length) && length > 0 ? Math.min(length, limits.storeReadBytes) : limits.storeReadBytes;
    return opened.queue.run(() =>
      guard(opened.path, async () => {
        const rest = (await opened.file.stat()).size - from;
        const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(most, rest)));
        let filled = 0;
        while (filled < buffer.length) {
          const { bytesRead } = await opened.file.read(buffer, filled, buffer.length - filled, from + filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return buffer.subarray(0, filled);
      }),
    );
  }

  /** Appends. @returns the number of bytes written */
  async write(handle: string, data: Uint8Array): Promise<number> {
    const opened = this.#find(handle, 'w');
    return opened.queue.run(() =>
      guard(opened.path, async () => {
        if (opened.broken) throw refused(`An earlier write failed: ${opened.path}`);
        try {
          await opened.file.writeFile(data);
        } catch (thrown) {
          opened.broken = true;
          throw thrown;
        }
        return data.length;
      }),
    );
  }

  /** Ends the use of a handle; what was written takes the place of the file. */
  async close(handle: string, mode?: OpenMode): Promise<void> {
    await this.#finish(handle, this.#find(handle, mode));
  }

  async delete(path: string): Promise<void> {
    const segments = fileSegments(path);
    await this.#change(path, async () => {
      const target = await this.#resolve(segments);
      if ((await stat(target)).isDirectory()) throw refused(`Is a directory: ${path}`);
      await unlink(target);
    });
  }

  /** Sorted by name. A directory that does not exist has no entries. */
  async listDir(path = ''): Promise<StoreEntry[]> {
    const segments = parseStorePath(path);
    return guard(path, async () => {
      const directory = await this.#resolve(segments);
      const found = await readdir(directory, { withFileTypes: true }).catch((thrown: unknown) => {
        if (systemCode(thrown) === 'ENOENT') return [];
        throw thrown;
      });
      const entries = await Promise.all(found.map((entry) => this.#entry(segments, entry)));
      return entries.filter((entry) => entry !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  }

  async mkdir(path: string): Promise<void> {
    const segments = fileSegments(path);
    await this.#change(path, async () => {
      await mkdir(await this.#resolve(segments), { recursive: true, mode: privateDirectory });
    });
  }

  async rmdir(path: string, recursive: unknown = false): Promise<void> {
    const segments = typeof path === 'string' ? parseStorePath(path) : [];
    if (segments.length === 0) throw invalid('rmdir requires a non-empty "path" string');
    if (typeof recursive !== 'boolean') throw invalid('rmdir "recursive" must be a boolean');
    await this.#change(path, async () => {
      const target = await this.#resolve(segments);
      if (!(await stat(target)).isDirectory()) throw refused(`Not a directory: ${path}`);
      await (recursive ? rm(target, { recursive: true }) : rmdir(target));
    });
  }

  async stat(path: string): Promise<StoreStat> {
    const segments = parseStorePath(path);
    return guard(path, async () => {
      try {
        return { exists: true, ...facts(await stat(await this.#resolve(segments))) };
      } catch (thrown) {
        if (['ENOENT', 'ENOTDIR'].includes(systemCode(thrown) ?? '')) return { exists: false };
        throw thrown;
      }
    });
  }

  /** Moves a file or directory; parents of the destination are made. */
  async rename(oldPath: string, newPath: string): Promise<void> {
    const [oldSegments, newSegments] = [fileSegments(oldPath), fileSegments(newPath)];
    await this.#change(oldPath, async () => {
      const from = await this.#resolve(oldSegments);
      await stat(from);
      if ((await this.stat(newPath)).exists) throw refused(`Destination already exists: ${newPath}`);
      if (oldSegments.every((segment, index) => segment === newSegments[index])) {
        throw refused(`Cannot move ${oldPath} into itself: ${newPath}`);
      }
      const to = await this.#resolve(newSegments);
      await guard(newPath, () => mkdir(dirname(to), { recursive: true, mode: privateDirectory }));
      await rename(from, to);
    });
  }

  /** Closes every handle; what was written so far is kept. Rejects with the first failure, after all are closed. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    const ends = await Promise.allSettled(this.#handles().map(([handle, opened]) => this.#finish(handle, opened)));
    const failure = ends.find((end) => end.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  async #openRead(path: string, segments: readonly string[]): Promise<Opened> {
    const file = await open(await this.#resolve(segments), 'r');
    const info = await file.stat();
    if (info.isFile()) return { file, size: info.size };
    await file.close();
    throw refused(info.isDirectory() ? `Is a directory: ${path}` : `Not a file: ${path}`);
  }

  async #openWrite(path: string, segments: readonly string[]): Promise<Opened> {
    const present = await stat(await this.#resolve(segments)).catch((thrown: unknown) => {
      if (systemCode(thrown) === 'ENOENT') return undefined;
      throw thrown;
    });
    if (present?.isDirectory() === true) throw refused(`Is a directory: ${path}`);
    const directory = partialDirectory(this.#shared.rootDir);
    await mkdir(directory, { recursive: true, mode: privateDirectory });
    const temporary = join(directory, randomBytes(16).toString('hex'));
    return { file: await open(temporary, 'wx', privateFile), temporary };
  }

  async #register({
    size,
    ...opened
  }: Opened & Omit<OpenFile, 'broken' | 'queue'>): Promise<{ handle: string; size?: number }> {
    if (this.#disposed) {
      await opened.file.close();
      if (opened.temporary !== undefined) await rm(opened.temporary, { force: true });
      throw new MillraceError('connection_lost');
    }
    const handle = randomBytes(16).toString('hex');
    this.#shared.handles.set(handle, { ...opened, broken: false, queue: new Queue() });
    return size === undefined ? { handle } : { handle, size };
  }

  async #finish(handle: string, opened: OpenFile): Promise<void> {
    this.#shared.handles.delete(handle);
    await opened.queue.run(async () => {
      try {
        await guard(opened.path, () => this.#commit(opened));
      } finally {
        if (opened.mode === 'w') this.#shared.writing.delete(this.#lock(opened.segments));
      }
    });
  }

  async #commit({ file, temporary, path, segments, broken }: OpenFile): Promise<void> {
    if (temporary === undefined) return file.close();
    try {
      try {
        if (broken) throw refused(`An earlier write failed, so the file was not saved: ${path}`);
        await file.sync();
      } finally {
        await file.close();
      }
      await this.#changes().run(async () => {
        const target = await this.#resolve(segments);
        await mkdir(dirname(target), { recursive: true, mode: privateDirectory });
        await replaceFile(temporary, target);
      });
    } catch (thrown) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw thrown;
    }
  }

  #find(handle: string, mode: OpenMode | undefined): OpenFile {
    const opened = this.#shared.handles.get(handle);
    if (opened?.keyId !== this.#keyId) throw refused(`Invalid handle: ${handle}`);
    if (opened.session !== this) throw refused('Handle belongs to another connection');
    if (mode !== undefined && opened.mode !== mode) throw refused(`Wrong handle mode: ${handle}`);
    return opened;
  }

  #handles(): [string, OpenFile][] {
    return [...this.#shared.handles].filter(([, opened]) => opened.session === this);
  }

  #lock(segments: readonly string[]): string {
    return [this.#keyId, ...segments].join('/');
  }

  #change<T>(path: string, action: () => Promise<T>): Promise<T> {
    return this.#changes().run(() => guard(path, action));
  }

  #changes(): Queue {
    const queue = this.#shared.changes.get(this.#keyId) ?? new Queue();
    this.#shared.changes.set(this.#keyId, queue);
    return queue;
  }

  async #resolve(segments: readonly string[]): Promise<string> {
    this.#root ??= makeRoot(join(this.#shared.rootDir, this.#keyId));
    try {
      return await resolveInside(await this.#root, segments);
    } catch (thrown) {
      // The next request tries again: the disk may be back, or the directory was removed behind our back.
      this.#root = undefined;
      throw thrown;
    }
  }

  /** Undefined for what is neither file nor directory, or a link that may not be followed. */
  async #entry(parent: readonly string[], entry: Dirent): Promise<StoreEntry | undefined> {
    try {
      const info = await stat(await this.#resolve([...parent, entry.name]));
      return info.isFile() || info.isDirectory() ? { name: entry.name, ...facts(info) } : undefined;
    } catch {
      return undefined;
    }
  }
}

interface Opened {
  file: FileHandle;
  size?: number;
  temporary?: string;
}

async function makeRoot(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: privateDirectory });
  return realpath(directory);
}

function partialDirectory(rootDir: string): string {
  return join(rootDir, '.partial');
}

function fileSegments(path: string): string[] {
  const segments = typeof path === 'string' ? parseStorePath(path) : [];
  if (segments.length === 0) throw invalid('A non-empty "path" string is required');
  return segments;
}

function facts(info: Stats): Omit<StoreEntry, 'name'> {
  const modified = info.mtimeMs / 1000;
  return info.isDirectory() ? { type: 'dir', modified } : { type: 'file', size: info.size, modified };
}

function wholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function refused(message: string): MillraceError {
  return new MillraceError('store_failed', message);
}

function invalid(message: string): MillraceError {
  return new MillraceError('invalid_argument', message);
}

/** What the errors of a file system mean to a client. Their own texts name paths of the server. */
const meanings: Readonly<Record<string, readonly [code: ErrorCode, text: string]>> = {
  ENOENT: ['file_not_found', 'File not found'],
  ENOTDIR: ['store_failed', 'Not a directory'],
  EISDIR: ['store_failed', 'Is a directory'],
  EEXIST: ['store_failed', 'Already exists'],
  ENOTEMPTY: ['store_failed', 'Directory not empty'],
  EACCES: ['store_failed', 'The server may not access'],
  EPERM: ['store_failed', 'The server may not access'],
  EROFS: ['store_failed', 'The disk of the server is read-only'],
  ENOSPC: ['store_failed', 'The disk of the server is full'],
  EDQUOT: ['store_failed', 'The disk of the server is full'],
  ENAMETOOLONG: ['store_failed', 'The path is too long'],
  EMFILE: ['store_failed', 'The server has too many files open'],
};

/** Runs `action` on the client's `path` and puts what goes wrong into words for the client. */
async function guard<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (thrown) {
    if (thrown instanceof MillraceError) throw thrown;
    const name = systemCode(thrown) ?? 'unknown';
    const [code, text] = meanings[name] ?? ['store_failed', `The file system refused (${name})`];
    throw new MillraceError(code, `${text}: ${path}`, { cause: thrown });
  }
}
