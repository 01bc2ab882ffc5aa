import type { Duplex } from 'node:stream';
import type { FrameMemory } from './frameMemory.js';
import { WriteBatch } from './writeBatch.js';

/** Bytes before the payload of a frame: u32 length of the rest, u8 kind, u32 id. */
const headBytes = 9;
/** Parts larger than this are written as they are instead of being copied into the batch. */
const copyBytes = 16 * 1024;
const smallPart = 64;

export type Part = Uint8Array | string;

/**
 * Writes length-prefixed frames. Frames of one tick leave in few writes. `busy` tells that the other side reads too
 * slowly; the stream's `drain` tells that it has caught up.
 */
export class FrameWriter {
  private readonly batch: WriteBatch;
  private scheduled = false;
  private corked = false;

  constructor(
    private readonly stream: Duplex,
    private readonly busyBytes: number,
  ) {
    this.batch = new WriteBatch(stream);
  }

  get busy(): boolean {
    return this.stream.writableLength > this.busyBytes;
  }

  post(kind: number, id: number, ...parts: Part[]): void {
    let length = headBytes;
    for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.length;
    if (length <= copyBytes) {
      this.batch.reserve(length);
      this.head(kind, id, length);
      for (const part of parts) this.append(part);
      this.batch.complete();
    } else {
      this.postLarge(kind, id, length, parts);
    }
    if (this.scheduled) return;
    this.scheduled = true;
    process.nextTick(() => this.flush());
  }

  flush(): void {
    this.scheduled = false;
    this.batch.flush();
    if (!this.corked) return;
    this.corked = false;
    this.stream.uncork();
  }

  /** Large parts are not copied; what stands before them leaves together with them. */
  private postLarge(kind: number, id: number, length: number, parts: readonly Part[]): void {
    if (!this.corked) {
      this.corked = true;
      this.stream.cork();
    }
    this.batch.reserve(headBytes);
    this.head(kind, id, length);
    for (const part of parts) {
      if (part.length <= smallPart) {
        this.batch.reserve(part.length * 3);
        this.append(part);
      } else {
        this.batch.flush();
        this.stream.write(part);
      }
    }
  }

  private head(kind: number, id: number, length: number): void {
    const { batch } = this;
    const { buffer, end } = batch;
    buffer.writeUInt32LE(length - 4, end);
    buffer[end + 4] = kind;
    buffer.writeUInt32LE(id, end + 5);
    batch.end = end + headBytes;
  }

  private append(part: Part): void {
    const { batch } = this;
    if (typeof part === 'string') {
      batch.end += batch.buffer.write(part, batch.end, 'utf8');
    } else {
      batch.buffer.set(part, batch.end);
      batch.end += part.length;
    }
  }
}

export type FrameHandler = (kind: number, id: number, payload: Buffer) => void;

/**
 * Cuts a byte stream into frames. Without `memory` a frame inside one chunk is a view of it. With it the chunks are the
 * sender's to use again: every frame is copied out of them, once, into memory that the handler may give back.
 */
export class FrameReader {
  private partial: Buffer | undefined;
  private filled = 0;
  private rest: Buffer = Buffer.alloc(0);

  constructor(
    private readonly handler: FrameHandler,
    private readonly maxBytes: number,
    private readonly memory?: FrameMemory,
  ) {}

  /** @throws RangeError when a frame is longer than allowed; the stream cannot be used any more. */
  push(chunk: Buffer): void {
    let data = chunk;
    if (this.partial !== undefined) {
      const take = Math.min(this.partial.length - this.filled, data.length);
      data.copy(this.partial, this.filled, 0, take);
      this.filled += take;
      if (this.filled < this.partial.length) return;
      const frame = this.partial;
      this.partial = undefined;
      this.deliver(frame);
      data = data.subarray(take);
    } else if (this.rest.length > 0) {
      data = Buffer.concat([this.rest, data]);
      this.rest = Buffer.alloc(0);
    }
    let at = 0;
    while (data.length - at >= 4) {
      const length = data.readUInt32LE(at);
      if (length > this.maxBytes || length < headBytes - 4) throw new RangeError(`A frame of ${length} bytes`);
      const end = at + 4 + length;
      if (end > data.length) {
        this.partial = this.memory?.take(length) ?? Buffer.allocUnsafe(length);
        this.filled = data.copy(this.partial, 0, at + 4);
        return;
      }
      this.deliver(this.own(data.subarray(at + 4, end)));
      at = end;
    }
    this.rest = this.memory === undefined ? data.subarray(at) : Buffer.from(data.subarray(at));
  }

  private own(view: Buffer): Buffer {
    if (this.memory === undefined) return view;
    const frame = this.memory.take(view.length);
    view.copy(frame);
    return frame;
  }

  private deliver(frame: Buffer): void {
    this.handler(frame[0] as number, frame.readUInt32LE(1), frame.subarray(headBytes - 4));
  }
}

export function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
