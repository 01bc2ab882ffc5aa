import { createHash } from 'node:crypto';

/**
 * The project id of a pipeline file that has none: always the same for the same address, and unlike that of another
 * file, so that two people who share a server do not share a project. It is never written into the file.
 *
 * @param address the URI of the file
 */
export function projectIdOf(address: string): string {
  const digest = createHash('sha256').update(`millrace pipeline ${address}`).digest('hex');
  // Version 8 is the one that leaves its bits to whoever makes it.
  const variant = ((parseInt(digest.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, variant + digest.slice(17, 20)];
  return [...parts, digest.slice(20, 32)].join('-');
}
