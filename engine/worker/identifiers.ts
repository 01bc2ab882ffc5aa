import { createHash, randomUUID } from 'node:crypto';
import type { Identifiers } from '../runtime/entry.js';

/** RFC 9562's namespace for URLs. */
const urlNamespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

export const identifiers: Identifiers = {
  random: () => randomUUID(),
  ofUrl(url) {
    const hash = createHash('sha1').update(urlNamespace).update(url, 'utf8').digest();
    hash[6] = ((hash[6] as number) & 0x0f) | 0x50;
    hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
    const hex = hash.toString('hex', 0, 16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  },
};
