export interface DecodedText {
  text: string;
  /** WHATWG name of the encoding, lower case. */
  charset: string;
}

const sampleSize = 64 * 1024;

/**
 * Decodes text of unknown encoding: byte order mark, then what the document declares, then UTF-8 if it is valid, then
 * UTF-16 by its zero bytes, then statistics.
 */
export async function decodeText(bytes: Uint8Array, declared?: string): Promise<DecodedText> {
  const marked = byteOrderMark(bytes);
  if (marked !== undefined) return decodeAs(bytes, marked);
  if (declared !== undefined && declared !== '') {
    const decoded = tryDecode(bytes, declared);
    if (decoded) return decoded;
  }
  const wide = zeroByteCharset(bytes);
  if (wide !== undefined) return decodeAs(bytes, wide);
  const utf8 = decodeUtf8(bytes);
  if (utf8 !== undefined) return { text: utf8, charset: 'utf-8' };
  const { guessCharset } = await import('./guessCharset.js');
  return tryDecode(bytes, guessCharset(bytes.subarray(0, sampleSize))) ?? decodeAs(bytes, 'windows-1252');
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

function tryDecode(bytes: Uint8Array, label: string): DecodedText | undefined {
  try {
    const decoder = new TextDecoder(label.trim());
    // A declaration of UTF-8 or UTF-16 that the bytes contradict is not worth believing.
    if (decoder.encoding === 'utf-8') {
      const text = decodeUtf8(bytes);
      return text === undefined ? undefined : { text, charset: 'utf-8' };
    }
    if (decoder.encoding.startsWith('utf-16') && zeroByteCharset(bytes) === undefined) return undefined;
    return decodeAs(bytes, decoder.encoding);
  } catch {
    return undefined;
  }
}

function decodeAs(bytes: Uint8Array, charset: string): DecodedText {
  if (charset.startsWith('utf-32')) return { text: decodeUtf32(bytes, charset === 'utf-32le'), charset };
  const text = new TextDecoder(charset).decode(bytes);
  return { text: charset === 'windows-1252' ? asWindows1252(text) : text, charset };
}

// 0x80 to 0x9f; what windows-1252 leaves undefined stays a control character.
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Some releases of Node take windows-1252 for ISO-8859-1, which has control characters in that range. */
function asWindows1252(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (control) => windows1252[control.charCodeAt(0) - 0x80] ?? control);
}

/** `TextDecoder` knows every encoding of the web; this one is not among them. */
function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: string[] = [];
  for (let at = 4; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, littleEndian);
    pieces.push(code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');
  }
  return pieces.join('');
}
