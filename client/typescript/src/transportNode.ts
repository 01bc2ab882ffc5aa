import { WebSocket } from 'ws';
import { limits } from '../../../protocol/limits.js';
import { createError } from './errors.js';
import { closeGraceMs, highWaterMark } from './transport.js';
import type { Transport, TransportEvents, TransportFactory } from './transport.js';

const pingIntervalMs = 15_000;
/** Pings that may stay without any answer; counted instead of timed, so that a busy client is not a dead server. */
const unansweredPings = 2;

/** Sockets of Node, through `ws`. This is the only file that knows them. */
export const nodeTransport: TransportFactory = (url) => new NodeTransport(url);

class NodeTransport implements Transport {
  readonly #url: string;
  #socket: WebSocket | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  open(events: TransportEvents, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url, {
        maxPayload: limits.messageBytes,
        perMessageDeflate: false,
        ...(needsMask(this.#url) ? {} : { generateMask: zeroMask }),
      });
      this.#socket = socket;
      let problem = '';
      let opened = false;
      const abort = (): void => socket.terminate();
      signal.addEventListener('abort', abort, { once: true });
      socket.on('error', (error) => {
        problem = error.message || (error as NodeJS.ErrnoException).code || error.name;
      });
      socket.on('message', (data, isBinary) => events.message(bytesOf(data), isBinary));
      socket.on('open', () => {
        opened = true;
        signal.removeEventListener('abort', abort);
        this.#startHeartbeat(socket);
        resolve();
      });
      socket.on('close', (code, reason) => {
        signal.removeEventListener('abort', abort);
        clearInterval(this.#heartbeat);
        if (opened) events.closed({ code, reason: reason.toString() || problem });
        else reject(createError('connection_failed', `Could not connect to ${this.#url}: ${problem || 'closed'}`));
      });
      if (signal.aborted) abort();
    });
  }

  send(data: string | Uint8Array): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(createError('connection_lost'));
    }
    return new Promise((resolve, reject) => {
      socket.send(data, { binary: typeof data !== 'string' }, (error) => {
        if (error instanceof Error) reject(createError('connection_lost', error.message, { cause: error }));
        else resolve();
      });
      if (socket.bufferedAmount <= highWaterMark) resolve();
    });
  }

  close(code: number, reason: string): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => socket.terminate(), closeGraceMs);
      socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      socket.close(code, reason);
    });
  }

  #startHeartbeat(socket: WebSocket): void {
    let unanswered = 0;
    const alive = (): void => {
      unanswered = 0;
    };
    socket.on('pong', alive);
    socket.on('message', alive);
    this.#heartbeat = setInterval(() => {
      if (unanswered >= unansweredPings) return socket.terminate();
      unanswered += 1;
      socket.ping();
    }, pingIntervalMs);
    this.#heartbeat.unref();
  }
}

/**
 * Masks keep a payload from being read as HTTP by a proxy in between. Inside TLS and on this machine there is none
 * that could, and a mask of zeros, which both ends skip, doubles the speed of large transfers.
 */
function needsMask(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol !== 'wss:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function zeroMask(mask: Buffer): void {
  mask.fill(0);
}

function bytesOf(data: WebSocket.RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
