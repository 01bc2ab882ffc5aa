import type { Writable } from 'node:stream';

const slabBytes = 64 * 1024;
/** More do not wait for each other: whoever reads them shall work while this process goes on. */
const mostPieces = 8;

/** Gathers small pieces for a stream in one buffer, so that they leave in one write. */
export class WriteBatch {
  buffer = Buffer.allocUnsafe(slabBytes);
  /** Where the next piece goes. Whoever writes to `buffer` moves it on. */
  end = 0;
  private start = 0;
  private pieces = 0;

  constructor(private readonly stream: Writable) {}

  /** Bytes gathered and not yet written. */
  get waiting(): number {
    return this.end - this.start;
  }

  /** Makes room for `bytes` after `end`; at most 64 KiB. */
  reserve(bytes: number): void {
    if (this.end + bytes <= this.buffer.length) return;
    this.flush();
    this.buffer = Buffer.allocUnsafe(slabBytes);
    this.start = 0;
    this.end = 0;
  }

  /** One piece is complete. */
  complete(): void {
    if (++this.pieces >= mostPieces) this.flush();
  }

  flush(): void {
    this.pieces = 0;
    if (this.end === this.start) return;
    this.stream.write(this.buffer.subarray(this.start, this.end));
    this.start = this.end;
  }

  /** Forgets what has gathered. */
  drop(): void {
    this.end = this.start;
  }
}
