export interface DecodedText {
  text: string;
  /** WHATWG name of the encoding, lower case. */
  charset: string;
}

const sampleSize = 64 * 1024;

// Encodings that `TextDecoder` lacks; everything else is decoded natively.
const onlyIconv = /^utf-?32|^iso-2022-(?:kr|cn)$|^ibm\d/i;

/**
 * Decodes text of unknown encoding: byte order mark, then what the document declares, then UTF-8 if it is valid, then
 * UTF-16 by its zero bytes, then statistics.
 */
export async function decodeText(bytes: Uint8Array, declared?: string): Promise<DecodedText> {
  const marked = byteOrderMark(bytes);
  if (marked) return decodeAs(bytes, marked);
  if (declared !== undefined && declared !== '') {
    const decoded = await tryDecode(bytes, declared);
    if (decoded) return decoded;
  }
  const wide = zeroByteCharset(bytes);
  if (wide) return decodeAs(bytes, wide);
  const utf8 = decodeUtf8(bytes);
  if (utf8 !== undefined) return { text: utf8, charset: 'utf-8' };
  const { detect } = await import('chardet');
  return (await tryDecode(bytes, detect(bytes.subarray(0, sampleSize)) ?? '')) ?? decodeAs(bytes, 'windows-1252');
}

/** The encoding that the first bytes announce. */
export function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'utf-32le' : 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'utf-32be';
  return undefined;
}

/** UTF-16 without a mark: Western text has a zero in every second byte. */
export function zeroByteCharset(bytes: Uint8Array): string | undefined {
  const length = Math.min(bytes.length, 4096) & ~1;
  if (length < 4) return undefined;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at += 2) {
    if (bytes[at] === 0) even++;
    if (bytes[at + 1] === 0) odd++;
  }
  const half = length / 2;
  if (odd > half * 0.4 && even < half * 0.05) return 'utf-16le';
  if (even > half * 0.4 && odd < half * 0.05) return 'utf-16be';
  return undefined;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function tryDecode(bytes: Uint8Array, label: string): Promise<DecodedText | undefined> {
  if (onlyIconv.test(label)) return decodeAs(bytes, label.toLowerCase());
  try {
    const decoder = new TextDecoder(label.trim());
    // A declaration of UTF-8 or UTF-16 that the bytes contradict is not worth believing.
    if (decoder.encoding === 'utf-8') {
      const text = decodeUtf8(bytes);
      return text === undefined ? undefined : { text, charset: 'utf-8' };
    }
    if (decoder.encoding.startsWith('utf-16') && zeroByteCharset(bytes) === undefined) return undefined;
    return { text: decoder.decode(bytes), charset: decoder.encoding };
  } catch {
    return undefined;
  }
}

async function decodeAs(bytes: Uint8Array, charset: string): Promise<DecodedText> {
  if (!onlyIconv.test(charset)) return { text: new TextDecoder(charset).decode(bytes), charset };
  const { default: iconv } = await import('iconv-lite');
  if (!iconv.encodingExists(charset)) return decodeAs(bytes, 'windows-1252');
  return { text: iconv.decode(bytes, charset), charset };
}
