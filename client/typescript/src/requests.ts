import type { ResponseMessage } from '../../../protocol/envelope.js';
import { createError, errorOfResponse, seconds } from './errors.js';

/** What a successful response carries: its body and, for binary responses, the payload. */
export interface Reply {
  body: unknown;
  payload?: Uint8Array;
}

export interface RequestOptions {
  /** Sent as binary payload. */
  data?: Uint8Array | undefined;
  /** Milliseconds; 0 means none. The client's `requestTimeout` when absent. */
  timeout?: number | undefined;
  /** Cancels waiting: the promise rejects with `cancelled`, the server is not interrupted. */
  signal?: AbortSignal | undefined;
  /** Called with the reply of a request that was cancelled or timed out, so that what it made can be released. */
  onLateReply?: ((reply: Reply) => void) | undefined;
}

interface Pending {
  command: string;
  resolve(reply: Reply): void;
  reject(error: Error): void;
  release(): void;
  late: ((reply: Reply) => void) | undefined;
}

/** The requests that wait for a reply. Each promise settles exactly once, whatever comes first. */
export class PendingRequests {
  #lastSeq = 0;
  readonly #pending = new Map<number, Pending>();
  readonly #abandoned = new Map<number, (reply: Reply) => void>();

  get size(): number {
    return this.#pending.size;
  }

  /** Numbers are never used twice, also after a reconnect. */
  add(command: string, options: RequestOptions): { seq: number; reply: Promise<Reply> } {
    const seq = ++this.#lastSeq;
    const reply = new Promise<Reply>((resolve, reject) => {
      const { timeout = 0, signal } = options;
      const abort = (): void => this.#give(seq, createError('cancelled', undefined, { cause: signal?.reason }));
      const timer =
        timeout > 0
          ? setTimeout(() => {
              this.#give(seq, createError('timeout', `${command} was not answered within ${seconds(timeout)}`));
            }, timeout)
          : undefined;
      const release = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      this.#pending.set(seq, { command, resolve, reject, release, late: options.onLateReply });
      signal?.addEventListener('abort', abort, { once: true });
    });
    return { seq, reply };
  }

  /** Settles the request the response belongs to; a response nobody waits for is dropped. */
  settle(response: ResponseMessage): void {
    const entry = this.#take(response.request_seq);
    if (entry === undefined) {
      this.#settleLate(response);
    } else if (isRefusal(entry.command, response)) {
      entry.reject(errorOfResponse(entry.command, response));
    } else {
      entry.resolve(replyOf(response));
    }
  }

  fail(seq: number, error: Error): void {
    this.#take(seq)?.reject(error);
  }

  /** The socket is gone: no reply will come any more. */
  failAll(error: Error): void {
    this.#abandoned.clear();
    for (const seq of [...this.#pending.keys()]) this.fail(seq, error);
  }

  #give(seq: number, error: Error): void {
    const entry = this.#take(seq);
    if (entry === undefined) return;
    if (entry.late !== undefined) this.#abandoned.set(seq, entry.late);
    entry.reject(error);
  }

  #settleLate(response: ResponseMessage): void {
    const late = this.#abandoned.get(response.request_seq);
    this.#abandoned.delete(response.request_seq);
    if (response.success !== false) late?.(replyOf(response));
  }

  #take(seq: number): Pending | undefined {
    const entry = this.#pending.get(seq);
    this.#pending.delete(seq);
    entry?.release();
    return entry;
  }
}

/** Only a login needs an explicit success; elsewhere a missing one counts as success. */
function isRefusal(command: string, { success }: ResponseMessage): boolean {
  return command === 'auth' ? success !== true : success === false;
}

function replyOf(response: ResponseMessage): Reply {
  const payload = response.arguments?.data;
  return payload === undefined ? { body: response.body } : { body: response.body, payload };
}
