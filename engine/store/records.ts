import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, MillraceError } from '../../protocol/errors.js';
import { systemCode, writeAtomic } from './atomicFile.js';

/**
 * One JSON file per principal in a directory that only the server's user can read. Callers put changes of one
 * principal in a queue.
 */
export class RecordFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The ids of the principals that have a file. */
  async keyIds(): Promise<string[]> {
    const names = await readdir(this.#directory).catch((thrown: unknown) => {
      if (systemCode(thrown) === 'ENOENT') return [];
      throw thrown;
    });
    return names.flatMap((name) => /^([0-9a-f]+)\.json$/i.exec(name)?.[1] ?? []);
  }

  /**
   * The content of a principal's file, undefined when there is none.
   *
   * @throws SyntaxError when it is not JSON
   */
  async read(keyId: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#path(keyId), 'utf8')) as unknown;
    } catch (thrown) {
      if (systemCode(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  }

  async write(keyId: string, content: unknown): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeAtomic(this.#path(keyId), `${JSON.stringify(content, undefined, 2)}\n`);
  }

  /** Keeps a file that cannot be read for a person to look at. @returns its new path */
  async setAside(keyId: string, now: number): Promise<string> {
    const path = `${this.#path(keyId)}.broken-${now}`;
    await rename(this.#path(keyId), path);
    return path;
  }

  #path(keyId: string): string {
    if (!/^[0-9a-f]+$/i.test(keyId)) throw new MillraceError('internal', 'The id of a key must be hexadecimal');
    return join(this.#directory, `${keyId}.json`);
  }
}

/** Reads a principal's file; one that is broken is set aside and told to `report`, so that the server can start. */
export async function readOrSetAside<T>(
  files: RecordFiles,
  keyId: string,
  parse: (content: unknown) => T,
  report: (message: string) => void,
): Promise<T | undefined> {
  try {
    const content = await files.read(keyId);
    return content === undefined ? undefined : parse(content);
  } catch (thrown) {
    // An unreadable disk is not the file's fault: only what was read and makes no sense is moved.
    if (systemCode(thrown) !== undefined) throw thrown;
    const path = await files.setAside(keyId, Date.now());
    report(`A broken file was moved to ${path}: ${errorText(thrown)}`);
    return undefined;
  }
}
