import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameMemory } from './frameMemory.js';
import { FrameReader, FrameWriter, type Part, u32 } from './frames.js';

interface Sent {
  kind: number;
  id: number;
  parts: Part[];
}
interface Received {
  kind: number;
  id: number;
  payload: Buffer;
}

const maxBytes = 8 * 1024 * 1024;
const whole = (parts: readonly Part[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));

/** The bytes that a writer puts on a stream for these frames. */
async function written(frames: readonly Sent[], pauseAfter = -1): Promise<Buffer> {
  const stream = new PassThrough({ highWaterMark: 1024 });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const writer = new FrameWriter(stream, maxBytes);
  for (const [at, { kind, id, parts }] of frames.entries()) {
    writer.post(kind, id, ...parts);
    if (at === pauseAfter) await new Promise((resolve) => setImmediate(resolve));
  }
  writer.flush();
  stream.end();
  await new Promise((resolve) => stream.once('end', resolve));
  return Buffer.concat(chunks);
}

/** What a reader makes of the bytes when they come in chunks of the given sizes, over and over. */
function read(bytes: Buffer, sizes: readonly number[], memory?: FrameMemory): Received[] {
  const received: Received[] = [];
  const reader = new FrameReader((kind, id, payload) => received.push({ kind, id, payload }), maxBytes, memory);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    reader.push(chunk);
    // A reader with memory of its own is fed from one buffer, whose content the next read replaces.
    if (memory !== undefined) chunk.fill(0);
    at += size;
  }
  return received;
}

function compare(received: readonly Received[], sent: readonly Sent[]): void {
  expect(received.map(({ kind, id }) => [kind, id])).toEqual(sent.map(({ kind, id }) => [kind, id]));
  const differing = received.findIndex(({ payload }, at) => !payload.equals(whole(sent[at]?.parts ?? [])));
  expect(differing).toBe(-1);
}

/** Sizes around every limit of the writer: parts that are copied, batches, slabs. */
const size = fc.oneof(
  fc.nat(80),
  fc.constantFrom(63, 64, 65, 16_375, 16_376, 16_384, 16_385, 65_527, 65_536, 65_537, 200_000),
);
const part: fc.Arbitrary<Part> = fc.oneof(
  size.map((length) => Buffer.alloc(length, length % 251)),
  // Characters of one to four bytes: the length in bytes is not the length of the string.
  fc.tuple(fc.constantFrom('a', 'é', '€', '😀', '\ud800'), size).map(([text, times]) => text.repeat(times)),
);
const frame = fc.record({
  kind: fc.integer({ min: 0, max: 255 }),
  id: fc.integer({ min: 0, max: 0xffffffff }),
  parts: fc.array(part, { maxLength: 4 }),
});

describe('frames over a stream', () => {
  it('arrive as they were sent, however the bytes are cut', async () => {
    const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 100_000 })), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(frame, { maxLength: 12 }),
        sizes,
        fc.integer({ min: -1, max: 11 }),
        async (sent, cuts, pause) => {
          const bytes = await written(sent, pause);
          const cutSmall = bytes.length < 100_000 ? cuts : cuts.map((cut) => cut + 1000);
          compare(read(bytes, cutSmall), sent);
          compare(read(bytes, cutSmall, new FrameMemory()), sent);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('may be cut at every single byte', async () => {
    const sent = [
      { kind: 1, id: 7, parts: ['é', u32(5)] },
      { kind: 2, id: 0, parts: [] },
      { kind: 255, id: 0xffffffff, parts: [Buffer.from('payload')] },
    ];
    const bytes = await written(sent);
    for (let at = 0; at <= bytes.length; at++) {
      const received: Received[] = [];
      const reader = new FrameReader((kind, id, payload) => received.push({ kind, id, payload }), maxBytes);
      reader.push(bytes.subarray(0, at));
      reader.push(bytes.subarray(at));
      compare(received, sent);
    }
    compare(read(bytes, [1]), sent);
  });

  it('keep their order when large and small ones alternate', async () => {
    const sent = Array.from({ length: 300 }, (_, id) => ({
      kind: id % 7,
      id,
      parts: [id % 3 === 0 ? '€'.repeat(30_000) : `small ${id}`],
    }));
    compare(read(await written(sent), [65_536]), sent);
  });
});

describe('a frame that cannot be', () => {
  it.each([
    ['longer than allowed', u32(maxBytes + 1)],
    ['shorter than its head', u32(4)],
  ])('%s ends the reading before memory is taken for it', (_, bytes) => {
    const reader = new FrameReader(() => undefined, maxBytes);
    expect(() => reader.push(Buffer.concat([bytes, Buffer.alloc(10)]))).toThrow(RangeError);
  });
});

describe('a writer', () => {
  it('is busy while the other side does not read, and no longer when it has', async () => {
    const stream = new PassThrough({ highWaterMark: 1024 });
    const writer = new FrameWriter(stream, 100_000);
    for (let id = 0; id < 20; id++) writer.post(1, id, Buffer.alloc(20_000));
    writer.flush();
    expect(writer.busy).toBe(true);
    stream.resume();
    await new Promise((resolve) => stream.once('drain', resolve));
    expect(writer.busy).toBe(false);
  });
});
