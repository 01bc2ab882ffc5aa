import { createError } from './errors.js';

const stepMs = 250;
const maxMs = 15_000;

/** Milliseconds to wait after the given number of failures in a row: 250 more each time, at most 15 s. */
export function backoff(failures: number): number {
  return Math.min(maxMs, stepMs * failures);
}

/** Counts down from its creation; a duration of 0 never ends. */
export class Deadline {
  readonly #end: number;

  constructor(durationMs: number) {
    this.#end = durationMs > 0 ? performance.now() + durationMs : Infinity;
  }

  remaining(): number {
    return this.#end - performance.now();
  }
}

/** Waits, unless the signal ends the waiting with `cancelled`. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(createError('cancelled', undefined, { cause: signal.reason }));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
