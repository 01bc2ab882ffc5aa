/**
 * Calls `step` at most once per `intervalMs`, only when asked to, and never while the promise of the last call is
 * pending. `step` returns what to wait for, or false when it had nothing to do.
 */
export class Pace {
  readonly #intervalMs: number;
  readonly #step: () => void | PromiseLike<unknown> | false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = -Infinity;
  #busy = false;
  #asked = false;
  #disposed = false;

  constructor(intervalMs: number, step: () => void | PromiseLike<unknown> | false) {
    this.#intervalMs = intervalMs;
    this.#step = step;
  }

  /** There is something to do. */
  ask(): void {
    if (this.#disposed) return;
    this.#asked = true;
    if (this.#busy || this.#timer !== undefined) return;
    const wait = Math.max(0, this.#last + this.#intervalMs - performance.now());
    this.#timer = setTimeout(() => void this.#run(), wait);
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#asked = false;
    const result = this.#step();
    if (result === false) return;
    this.#last = performance.now();
    this.#busy = true;
    try {
      await result;
    } catch {
      // A view that is gone takes no messages; the next one asks for everything again.
    }
    this.#busy = false;
    if (this.#asked) this.ask();
  }
}
