import { MillraceError } from './errors.js';

const lineFeed = 0x0a;
const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

/** A message as it came off the socket: the header object and, for binary messages, the payload. */
export interface Frame {
  header: Record<string, unknown>;
  payload?: Uint8Array;
}

/**
 * Splits a WebSocket message. Text is JSON. Binary is a JSON header, one line feed and the payload; binary without
 * a line feed is read as JSON. `maxHeader` bounds the JSON part in bytes. `toText` decodes UTF-8; the default refuses
 * what is none.
 *
 * @throws MillraceError `too_large` or `invalid_message`
 */
export function decodeFrame(
  data: Uint8Array | string,
  isBinary: boolean,
  maxHeader: number,
  toText: (bytes: Uint8Array) => string = utf8,
): Frame {
  if (typeof data === 'string') {
    if (data.length > maxHeader) throw headerTooLarge(data.length, maxHeader);
    return { header: parseHeader(data) };
  }
  const split = isBinary ? data.indexOf(lineFeed) : -1;
  const headerLength = split < 0 ? data.length : split;
  if (headerLength > maxHeader) throw headerTooLarge(headerLength, maxHeader);
  const header = parseHeader(toText(split < 0 ? data : data.subarray(0, split)));
  return split < 0 ? { header } : { header, payload: data.subarray(split + 1) };
}

/** The bytes of a binary message: header, line feed, payload. */
export function encodeBinaryFrame(header: object, payload: Uint8Array): Uint8Array {
  const head = encoder.encode(`${JSON.stringify(header)}\n`);
  const out = new Uint8Array(head.length + payload.length);
  out.set(head);
  out.set(payload, head.length);
  return out;
}

function utf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new MillraceError('invalid_message', 'The message header is not valid UTF-8', { cause });
  }
}

function parseHeader(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new MillraceError('invalid_message', `The message is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MillraceError('invalid_message', 'The message is not a JSON object');
  }
  return value as Record<string, unknown>;
}

function headerTooLarge(size: number, limit: number): MillraceError {
  return new MillraceError('too_large', `The message header has ${size} bytes; at most ${limit} are accepted`);
}
