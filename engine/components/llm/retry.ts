import { setTimeout as delay } from 'node:timers/promises';

/** Time as the retries see it; tests pass one that does not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects when `signal` aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await delay(milliseconds, undefined, { signal });
  },
};

/** What to do about a failed attempt. */
export interface Verdict {
  retry: boolean;
  /** Milliseconds the server asked to wait. */
  retryAfter?: number | undefined;
}

export interface RetryOptions {
  judge(thrown: unknown): Verdict;
  clock: Clock;
  signal: AbortSignal;
  /** Called before the wait. `next` is the number of the attempt to come, counted from 1. */
  onRetry(thrown: unknown, next: number, wait: number): void;
}

export const attempts = 5;
const firstWait = 1000;
const longestWait = 60_000;
/** A server that asks for more than this is not waited for: a person should decide. */
const longestRetryAfter = 300_000;

/**
 * Runs `attempt` up to five times, with 1, 2, 4 and 8 s between, or what the server asks for. Rejects with what the
 * last attempt threw.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (thrown) {
      const { retry, retryAfter } = options.judge(thrown);
      const wait = retryAfter ?? Math.min(firstWait * 2 ** (number - 1), longestWait);
      if (!retry || options.signal.aborted || number === attempts || wait > longestRetryAfter) throw thrown;
      options.onRetry(thrown, number + 1, wait);
      await options.clock.sleep(wait, options.signal);
    }
  }
}

/** Milliseconds from the headers of a refusal: `Retry-After` in seconds or as a date, or `retry-after-ms`. */
export function retryAfter(headers: Readonly<Record<string, string>> | undefined, now: number): number | undefined {
  const exact = Number(headers?.['retry-after-ms'] ?? NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const given = headers?.['retry-after'];
  if (given === undefined || given.trim() === '') return undefined;
  const seconds = Number(given);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(given) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
