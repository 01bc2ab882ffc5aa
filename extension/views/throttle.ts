import type { Disposable } from 'vscode';

/** Calls `action` at once, and then at most every `ms` milliseconds; the last trigger is never lost. */
export class Throttle implements Disposable {
  readonly #action: () => void;
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  #again = false;
  #disposed = false;

  constructor(action: () => void, ms: number) {
    this.#action = action;
    this.#ms = ms;
  }

  trigger(): void {
    if (this.#disposed) return;
    if (this.#timer !== undefined) {
      this.#again = true;
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#again) return;
      this.#again = false;
      this.trigger();
    }, this.#ms);
    this.#action();
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }
}
