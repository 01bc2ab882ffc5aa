import { createError } from '../src/errors.js';
import type { CloseInfo, Transport, TransportEvents } from '../src/transport.js';

/** The server's end of a socket. */
export interface ServerSide {
  message(data: string | Uint8Array): void;
  closed(): void;
}

/**
 * A socket in memory. What one end sends arrives at the other in order, a microtask later; nothing arrives once
 * either end has closed.
 */
export class LinkedTransport implements Transport {
  readonly #accept: (socket: LinkedTransport) => ServerSide;
  #server: ServerSide | undefined;
  #events: TransportEvents | undefined;
  #closed = false;
  /** Nothing reaches the client any more. */
  #silent = false;

  /** @param accept called when the client opens; throws to refuse */
  constructor(accept: (socket: LinkedTransport) => ServerSide) {
    this.#accept = accept;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  async open(events: TransportEvents, signal: AbortSignal): Promise<void> {
    await Promise.resolve();
    if (signal.aborted || this.#closed) throw createError('connection_failed', 'Closed before it was open');
    this.#server = this.#accept(this);
    this.#events = events;
  }

  async send(data: string | Uint8Array): Promise<void> {
    if (this.#closed || this.#server === undefined) throw createError('connection_lost');
    const server = this.#server;
    await Promise.resolve();
    if (!this.#closed) server.message(data);
  }

  async close(): Promise<void> {
    this.#silent = true;
    this.drop({ code: 1000, reason: '' });
    await Promise.resolve();
  }

  /** Server to client. */
  deliver(data: string | Uint8Array): void {
    if (this.#closed) return;
    void Promise.resolve().then(() => {
      if (!this.#silent) this.#events?.message(data, typeof data !== 'string');
    });
  }

  /** The server closes, or the network breaks. What was delivered before still arrives. */
  drop(info: CloseInfo = { code: 1006, reason: 'the network broke' }): void {
    if (this.#closed) return;
    this.#closed = true;
    void Promise.resolve().then(() => {
      this.#silent = true;
      this.#server?.closed();
      this.#events?.closed(info);
    });
  }
}
