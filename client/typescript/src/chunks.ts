/** Bytes per write of an upload. */
export const chunkSize = 1024 * 1024;

export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

const lineFeed = 0x0a;

/** The pieces of a stream as they come. Not every browser iterates over a ReadableStream. */
async function* pieces(stream: ByteStream): AsyncGenerator<Uint8Array> {
  if (!('getReader' in stream)) {
    yield* stream;
    return;
  }
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/**
 * The same bytes in pieces of at most `size`; only the last is smaller. With `atLines` a piece ends after its last
 * line feed when it has one, so that neither a line nor a character is cut.
 */
export async function* rechunk(stream: ByteStream, size: number, atLines: boolean): AsyncGenerator<Uint8Array> {
  let buffer = new Uint8Array(0);
  let used = 0;
  for await (const piece of pieces(stream)) {
    let rest = piece;
    while (rest.length > 0) {
      if (used === buffer.length) buffer = grown(buffer, used, Math.min(size, Math.max(used * 2, rest.length)));
      const taken = Math.min(rest.length, buffer.length - used);
      buffer.set(rest.subarray(0, taken), used);
      used += taken;
      rest = rest.subarray(taken);
      if (used < size) continue;
      const cut = (atLines ? buffer.lastIndexOf(lineFeed, used - 1) + 1 : 0) || used;
      yield buffer.subarray(0, cut);
      buffer = grown(buffer.subarray(cut, used), used - cut, size);
      used -= cut;
    }
  }
  if (used > 0) yield buffer.subarray(0, used);
}

/** The pieces of bytes that are in memory, without copying them. */
export function* sliced(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** All bytes of a stream as one array. */
export async function collect(stream: ByteStream): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces(stream)) {
    parts.push(piece);
    length += piece.length;
  }
  const all = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

function grown(bytes: Uint8Array, used: number, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(size);
  out.set(bytes.subarray(0, used));
  return out;
}
