import { detect } from 'chardet';

/** The most probable encoding of bytes that carry no mark, by statistics. A module of its own, so that it loads on need. */
export function guessCharset(bytes: Uint8Array): string {
  return detect(bytes) ?? '';
}
