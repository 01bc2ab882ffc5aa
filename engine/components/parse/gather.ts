/** A size is a client's word: more than this is only taken once the bytes come. */
const trusted = 16 << 20;
const least = 64 << 10;

/** Puts the bytes of one document together in one piece of memory, which grows when more come than were announced. */
export class Gather {
  private memory = new Uint8Array(0);
  private filled = 0;
  private announced = 0;

  /** @param announced bytes, when known */
  begin(announced: number | undefined): void {
    this.filled = 0;
    this.memory = new Uint8Array(0);
    this.announced = Math.min(announced ?? 0, trusted);
  }

  get size(): number {
    return this.filled;
  }

  /** What has come so far, as a view. */
  get bytes(): Uint8Array {
    return this.memory.subarray(0, this.filled);
  }

  add(data: Uint8Array): void {
    const needed = this.filled + data.length;
    if (needed > this.memory.length) {
      const larger = new Uint8Array(
        Math.max(needed, this.memory.length === 0 ? this.announced || least : this.memory.length * 2),
      );
      larger.set(this.bytes);
      this.memory = larger;
    }
    this.memory.set(data, this.filled);
    this.filled = needed;
  }

  /** What has come, in memory of its own that may be handed to a thread. Nothing is left here. */
  take(): Uint8Array<ArrayBuffer> {
    const { memory, filled } = this;
    this.drop();
    return memory.length === filled ? memory : memory.slice(0, filled);
  }

  drop(): void {
    this.begin(0);
  }
}
