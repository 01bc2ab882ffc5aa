import { createError } from './errors.js';
import { closeGraceMs, highWaterMark } from './transport.js';
import type { Transport, TransportEvents, TransportFactory } from './transport.js';

/** A browser does not tell when its buffer drains, so it is looked at. */
const drainPollMs = 10;

/** Sockets of the browser: the global WebSocket. */
export const browserTransport: TransportFactory = (url) => new BrowserTransport(url);

class BrowserTransport implements Transport {
  readonly #url: string;
  #socket: WebSocket | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  open(events: TransportEvents, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url);
      socket.binaryType = 'arraybuffer';
      this.#socket = socket;
      let opened = false;
      const abort = (): void => socket.close();
      signal.addEventListener('abort', abort, { once: true });
      socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) =>
        typeof data === 'string' ? events.message(data, false) : events.message(new Uint8Array(data), true);
      socket.onopen = () => {
        opened = true;
        signal.removeEventListener('abort', abort);
        resolve();
      };
      socket.onclose = ({ code, reason }) => {
        signal.removeEventListener('abort', abort);
        if (opened) events.closed({ code, reason });
        else reject(createError('connection_failed', `Could not connect to ${this.#url}`));
      };
      if (signal.aborted) abort();
    });
  }

  async send(data: string | Uint8Array): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState !== WebSocket.OPEN) throw createError('connection_lost');
    socket.send(data as string | Uint8Array<ArrayBuffer>);
    while (socket.bufferedAmount > highWaterMark && socket.readyState === WebSocket.OPEN) {
      await new Promise((resolve) => setTimeout(resolve, drainPollMs));
    }
  }

  close(code: number, reason: string): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, closeGraceMs);
      socket.addEventListener('close', () => {
        clearTimeout(timer);
        resolve();
      });
      socket.close(code, reason);
    });
  }
}
