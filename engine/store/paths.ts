import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { MillraceError } from '../../protocol/errors.js';
import { systemCode } from './atomicFile.js';

/** Characters that some file system refuses, or reads as something else: a drive, a stream, a pattern. */
const forbidden = /[*?<>|":\\]/;
const unprintable = /[\p{Cc}\p{Cs}]/u;
/** Windows opens a device for these names, whatever the extension. */
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
const longestSegment = 255;
const longestPath = 1024;

/**
 * The segments of a path of the file store: relative, `/`-separated. Empty segments and `.` are dropped, so the root
 * is `[]`. The rules are those of all platforms together, so that a store can move between them.
 *
 * @throws MillraceError `store_failed`
 */
export function parseStorePath(path: string): string[] {
  const refuse = (reason: string): MillraceError =>
    new MillraceError('store_failed', `Invalid path: ${path.replace(/[\p{Cc}\p{Cs}]/gu, '?')} (${reason})`);

  const segments = path.split('/');
  if (segments.includes('..') || path.split('\\').includes('..')) {
    throw new MillraceError('store_failed', `Path traversal not allowed: ${path}`);
  }
  if (unprintable.test(path)) throw refuse('it contains control characters');
  if (path.startsWith('/')) throw refuse('it must be relative');
  const character = forbidden.exec(path)?.[0];
  if (character !== undefined) throw refuse(`it contains ${character}`);
  if (path.length > longestPath) throw refuse(`it is longer than ${longestPath} characters`);

  const kept = segments.filter((segment) => segment !== '' && segment !== '.');
  for (const segment of kept) {
    if (/[. ]$/.test(segment)) throw refuse('a name must not end with a dot or a space');
    if (deviceName.test(segment)) throw refuse(`${segment} is a reserved name`);
    if (Buffer.byteLength(segment) > longestSegment) throw refuse(`a name is longer than ${longestSegment} bytes`);
  }
  return kept;
}

/**
 * The absolute path of `segments` below `root`, which must be a real path. Links on the way must stay inside.
 *
 * @throws MillraceError `store_failed` for a link that leaves the root or leads nowhere
 */
export async function resolveInside(root: string, segments: readonly string[]): Promise<string> {
  let current = root;
  let exists = true;
  for (const segment of segments) {
    current = join(current, segment);
    if (!exists) continue;
    try {
      if ((await lstat(current)).isSymbolicLink()) await checkLink(root, current, segments);
    } catch (thrown) {
      if (systemCode(thrown) !== 'ENOENT') throw thrown;
      exists = false;
    }
  }
  return current;
}

async function checkLink(root: string, link: string, segments: readonly string[]): Promise<void> {
  const target = await realpath(link).catch(() => undefined);
  if (target !== undefined && (target === root || target.startsWith(root + sep))) return;
  throw new MillraceError(
    'store_failed',
    `Path traversal not allowed: ${segments.join('/')} (a link leaves the store)`,
  );
}
