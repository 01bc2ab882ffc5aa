import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Errors by which Windows says that somebody (a scanner, a reader) has the target open for a moment. */
const busyCodes = new Set(['EPERM', 'EACCES', 'EBUSY']);
const busyWaits = [10, 20, 50, 100, 200, 400];

/**
 * Writes a whole file so that readers see the old content or the new one, never a part, also after a crash. The
 * directory must exist. Rejects with the error of the file system and leaves no temporary file behind.
 */
export async function writeAtomic(path: string, data: string | Uint8Array, mode = 0o600): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await replaceFile(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw thrown;
  }
}

/** Renames `from` to `to`, replacing it. */
export async function replaceFile(from: string, to: string): Promise<void> {
  for (const wait of process.platform === 'win32' ? busyWaits : []) {
    try {
      return await rename(from, to);
    } catch (thrown) {
      if (!busyCodes.has(systemCode(thrown) ?? '')) throw thrown;
      await delay(wait);
    }
  }
  await rename(from, to);
}

/** `ENOENT` and the like. */
export function systemCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}
