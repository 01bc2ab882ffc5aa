/** Smaller frames come from Node's own pool or cost next to nothing. */
const smallest = 32 * 1024;
const sizes = [128 * 1024, 512 * 1024, 2 * 1024 * 1024];
/** Memory of this many bytes is kept for the next frames; more goes to the garbage collector. */
const keptBytes = 4 * 1024 * 1024;

/**
 * Memory for frames that is used again. New memory for every write of a large upload costs more than everything else
 * that the worker does with it.
 */
export class FrameMemory {
  private readonly free = new Map<number, ArrayBuffer[]>(sizes.map((size) => [size, []]));
  private readonly lent = new WeakSet<ArrayBufferLike>();
  private kept = 0;

  /** Memory of `bytes` bytes with any content. */
  take(bytes: number): Buffer {
    const size = bytes < smallest ? undefined : sizes.find((each) => each >= bytes);
    if (size === undefined) return Buffer.allocUnsafe(bytes);
    const memory = this.free.get(size)?.pop();
    if (memory !== undefined) this.kept -= size;
    const whole = memory === undefined ? Buffer.allocUnsafeSlow(size) : Buffer.from(memory);
    this.lent.add(whole.buffer);
    return whole.subarray(0, bytes);
  }

  /** Nobody reads what `take` gave, or any part of it, any more. Memory from elsewhere is left alone. */
  give({ buffer }: Uint8Array): void {
    if (!this.lent.delete(buffer)) return;
    if (this.kept + buffer.byteLength > keptBytes) return;
    this.kept += buffer.byteLength;
    this.free.get(buffer.byteLength)?.push(buffer as ArrayBuffer);
  }
}
