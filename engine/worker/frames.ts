import type { Duplex } from 'node:stream';

/** Bytes before the payload of a frame: u32 length of the rest, u8 kind, u32 id. */
const headBytes = 9;
const slabBytes = 64 * 1024;
/** Parts larger than this are written as they are instead of being copied into the batch. */
const copyBytes = 16 * 1024;

export type Part = Uint8Array | string;

/**
 * Writes length-prefixed frames. Frames of one tick leave in one write. `busy` tells that the other side reads too
 * slowly; the stream's `drain` tells that it has caught up.
 */
export class FrameWriter {
  private slab = Buffer.allocUnsafe(slabBytes);
  private start = 0;
  private end = 0;
  private scheduled = false;
  private corked = false;

  constructor(
    private readonly stream: Duplex,
    private readonly busyBytes: number,
  ) {}

  get busy(): boolean {
    return this.stream.writableLength > this.busyBytes;
  }

  post(kind: number, id: number, ...parts: Part[]): void {
    let length = headBytes;
    for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.length;
    if (length <= copyBytes) {
      this.head(kind, id, length, length);
      for (const part of parts) this.append(part);
    } else {
      this.head(kind, id, length, headBytes);
      for (const part of parts) {
        if (part.length <= 64) {
          this.reserve(part.length * 3);
          this.append(part);
        } else {
          this.flushBatch();
          this.stream.write(part);
        }
      }
    }
    if (!this.scheduled) {
      this.scheduled = true;
      process.nextTick(() => this.flush());
    }
  }

  flush(): void {
    this.scheduled = false;
    this.flushBatch();
    if (this.corked) {
      this.corked = false;
      this.stream.uncork();
    }
  }

  private head(kind: number, id: number, length: number, room: number): void {
    this.reserve(room);
    this.slab.writeUInt32LE(length - 4, this.end);
    this.slab[this.end + 4] = kind;
    this.slab.writeUInt32LE(id, this.end + 5);
    this.end += headBytes;
  }

  private append(part: Part): void {
    if (typeof part === 'string') {
      this.end += this.slab.write(part, this.end, 'utf8');
    } else {
      this.slab.set(part, this.end);
      this.end += part.length;
    }
  }

  private reserve(room: number): void {
    if (this.end + room <= this.slab.length) return;
    this.flushBatch();
    this.slab = Buffer.allocUnsafe(slabBytes);
    this.start = 0;
    this.end = 0;
  }

  private flushBatch(): void {
    if (this.end === this.start) return;
    if (!this.corked) {
      this.corked = true;
      this.stream.cork();
    }
    this.stream.write(this.slab.subarray(this.start, this.end));
    this.start = this.end;
  }
}

export type FrameHandler = (kind: number, id: number, payload: Buffer) => void;

/** Cuts a byte stream into frames. A frame inside one chunk is a view of it; others are put together once. */
export class FrameReader {
  private partial: Buffer | undefined;
  private filled = 0;
  private rest: Buffer = Buffer.alloc(0);

  constructor(
    private readonly handler: FrameHandler,
    private readonly maxBytes: number,
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
        this.partial = Buffer.allocUnsafe(length);
        this.filled = data.copy(this.partial, 0, at + 4);
        return;
      }
      this.deliver(data.subarray(at + 4, end));
      at = end;
    }
    this.rest = data.subarray(at);
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
