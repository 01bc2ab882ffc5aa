import { randomBytes } from 'node:crypto';
import { chmod, constants, copyFile, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join, posix, resolve, win32 } from 'node:path';
import { errorText, MillraceError } from '../../protocol/errors.js';
import { systemCode } from './atomicFile.js';

/** Where the answer depends on the machine; `process` has the first two, `os.homedir()` the third. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
}

/** The directory of the server's data: as given by option or `MILLRACE_HOME`, else the usual place of the platform. */
export function dataDirectory(option: string | undefined, { env, platform, home }: Surroundings): string {
  const given = option || env.MILLRACE_HOME;
  if (given) return resolve(given);
  if (platform === 'win32') return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), 'Millrace');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'Millrace');
  const shared = env.XDG_DATA_HOME;
  // The specification of XDG says to ignore relative paths.
  const base = shared && isAbsolute(shared) ? shared : posix.join(home, '.local', 'share');
  return posix.join(base, 'millrace');
}

/** Makes the directory, readable by the server's user only. @throws MillraceError `store_failed` */
export async function makeDataDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw new MillraceError('store_failed', `Cannot create the data directory ${directory}: ${errorText(thrown)}`, {
      hint: 'Choose another place with --data-dir or MILLRACE_HOME.',
      cause: thrown,
    });
  }
}

export interface StoredKey {
  key: string;
  /** The file that holds it. */
  path: string;
  /** Whether this call made it. */
  created: boolean;
}

/**
 * The API key of the server, made on first use: 32 random bytes as base64url in `api-key`, mode 0600. Servers that
 * start at the same moment get the same key.
 *
 * @throws MillraceError `store_failed` when the file cannot be made or holds no key
 */
export async function readOrCreateKey(directory: string): Promise<StoredKey> {
  const path = join(directory, 'api-key');
  try {
    const present = await readKey(path);
    const created = present === undefined && (await createKey(directory, path));
    const key = present ?? (await readKey(path));
    if (!key) throw new MillraceError('store_failed', `${path} is empty. Delete it to have a new key made.`);
    // A copied or restored file may have become readable for others.
    if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
    return { key, path, created };
  } catch (thrown) {
    if (thrown instanceof MillraceError) throw thrown;
    throw new MillraceError('store_failed', `Cannot keep the API key in ${path}: ${errorText(thrown)}`, {
      hint: 'Choose another place with --data-dir or MILLRACE_HOME.',
      cause: thrown,
    });
  }
}

async function readKey(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Puts a new key in place unless there is one. A link appears with its content, and fails when there is a file. */
async function createKey(directory: string, path: string): Promise<boolean> {
  const temporary = join(directory, `.api-key.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(temporary, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    await link(temporary, path).catch(async (thrown: unknown) => {
      if (systemCode(thrown) === 'EEXIST') throw thrown;
      // Some file systems have no links.
      await copyFile(temporary, path, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') return false;
    throw thrown;
  } finally {
    await rm(temporary, { force: true });
  }
}
