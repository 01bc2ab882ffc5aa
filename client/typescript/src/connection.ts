import { commandPrefix, type Dialect } from '../../../protocol/dialect.js';
import type { EventMessage, ResponseMessage } from '../../../protocol/envelope.js';
import { errorText, type MillraceError, toMillraceError } from '../../../protocol/errors.js';
import { decodeFrame, encodeBinaryFrame } from '../../../protocol/frames.js';
import { limits } from '../../../protocol/limits.js';
import { backoff, delay, Deadline } from './backoff.js';
import { AuthenticationError, CancelledError, ConnectionError, createError, seconds } from './errors.js';
import { PendingRequests, type Reply, type RequestOptions } from './requests.js';
import type { EventListener, Exchange, Session } from './session.js';
import type { CloseInfo, Transport, TransportFactory } from './transport.js';
import { version } from './version.js';

/** What the server says about itself and the user after a login. */
export interface ConnectResult {
  userId?: string;
  displayName?: string;
  capabilities?: string[];
  [key: string]: unknown;
}

export interface ConnectionOptions {
  url: string;
  createTransport: TransportFactory;
  clientName: string;
  /** Reconnect by itself after a loss. */
  persist: boolean;
  /** Milliseconds since the connection was lost after which reconnecting ends; 0 means never. */
  maxRetryTime: number;
  /** Milliseconds for each request; 0 means none. */
  requestTimeout: number;
  /** Milliseconds for opening the socket and logging in. */
  connectTimeout: number;
  onConnected?: ((result: ConnectResult) => void) | undefined;
  onDisconnected?: ((reason: string, hasError: boolean) => void) | undefined;
  onConnectError?: ((error: MillraceError) => void) | undefined;
  /** Runs after each login and before `onConnected`, to restore what the server forgot. */
  restore(): Promise<void>;
}

type State =
  | { phase: 'offline' }
  | { phase: 'connecting'; controller: AbortController; result: Promise<ConnectResult> }
  | { phase: 'online'; transport: Transport; result: ConnectResult }
  | { phase: 'closing'; done: Promise<void> };

const normalClosure = 1000;
const protocolError = 1002;
/** A server that does not answer our ping within this time does not know it. */
const dialectTimeout = 5000;
/** How long a leaving client waits for the server's good-bye. */
const deauthTimeout = 1000;
const offlineHint = 'Call `connect()` first; with `persist` the client reconnects by itself.';

/** One login on one socket at a time, with the requests and events on it; in persist mode it comes back by itself. */
export class Connection implements Session {
  readonly taskIds = new Map<string, string>();
  readonly #options: ConnectionOptions;
  readonly #pending = new PendingRequests();
  readonly #listeners = new Set<EventListener>();
  readonly #endListeners = new Set<(reason: MillraceError | undefined) => void>();
  #state: State = { phase: 'offline' };
  #credential = '';
  /** The open socket, also while the login is still under way. */
  #transport: Transport | undefined;
  /** The socket that takes requests: set once its login is done. */
  #ready: Transport | undefined;
  #dialect: Dialect = 'spec';

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get dialect(): Dialect {
    return this.#dialect;
  }

  get online(): boolean {
    return this.#state.phase === 'online';
  }

  /**
   * Opens the socket and logs in. In persist mode failures other than a refused key are retried until
   * `maxRetryTime` is over. Calls while connecting share one attempt.
   */
  async connect(credential: string, signal?: AbortSignal): Promise<ConnectResult> {
    if (this.#state.phase === 'closing') await this.#state.done;
    if (this.#state.phase === 'online') return this.#state.result;
    if (signal?.aborted === true) throw createError('cancelled', undefined, { cause: signal.reason });
    this.#credential = credential;
    const connecting = this.#state.phase === 'connecting' ? this.#state : this.#startConnecting(0);
    const abort = (): void => connecting.controller.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await connecting.result;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Logs out and closes. Requests under way reject with `connection_lost`. Safe to call at any time. */
  async disconnect(): Promise<void> {
    const state = this.#state;
    if (state.phase === 'offline') return;
    if (state.phase === 'closing') return state.done;
    if (state.phase === 'connecting') {
      state.controller.abort();
      await state.result.catch(() => undefined);
      return this.disconnect();
    }
    this.#ready = undefined;
    const done = this.#leave(state.transport);
    this.#state = { phase: 'closing', done };
    await done;
  }

  start(command: string, args: Record<string, unknown> = {}, options: RequestOptions = {}): Exchange {
    if (this.#ready === undefined) {
      const hint = this.#state.phase === 'connecting' ? 'It is being restored; try again in a moment.' : offlineHint;
      return failed(createError('connection_lost', 'Not connected to the server', { hint }));
    }
    const timeout = options.timeout ?? this.#options.requestTimeout;
    return this.#send(this.#ready, command, args, { ...options, timeout });
  }

  startExtension(name: string, args?: Record<string, unknown>, options?: RequestOptions): Exchange {
    return this.start(commandPrefix[this.#dialect] + name, args, options);
  }

  call(name: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<Reply> {
    return this.startExtension(name, args, options).reply;
  }

  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  listenEnd(listener: (reason: MillraceError | undefined) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  emit(event: EventMessage): void {
    for (const listener of [...this.#listeners]) guarded(() => listener(event));
  }

  #startConnecting(failures: number): State & { phase: 'connecting' } {
    const controller = new AbortController();
    const result = this.#establish(failures, controller.signal).catch((error: unknown) => {
      this.#state = { phase: 'offline' };
      this.#ended(error instanceof CancelledError ? undefined : toMillraceError(error));
      throw error;
    });
    const state = { phase: 'connecting', controller, result } as const;
    this.#state = state;
    return state;
  }

  async #establish(earlierFailures: number, signal: AbortSignal): Promise<ConnectResult> {
    const { persist, maxRetryTime, connectTimeout } = this.#options;
    const deadline = new Deadline(maxRetryTime);
    let failures = earlierFailures;
    let last: MillraceError | undefined;
    for (;;) {
      if (failures > 0) {
        await delay(Math.min(backoff(failures), deadline.remaining()), signal);
        if (deadline.remaining() <= 0) throw this.#report(gaveUp(maxRetryTime, last));
      }
      try {
        return await this.#attempt(signal, Math.min(connectTimeout, deadline.remaining()));
      } catch (thrown) {
        last = toMillraceError(thrown, 'connection_failed');
        if (signal.aborted) throw createError('cancelled', 'Connecting was cancelled', { cause: last });
        this.#report(last);
        if (!persist || last instanceof AuthenticationError) throw last;
        failures += 1;
      }
    }
  }

  #report(error: MillraceError): MillraceError {
    guarded(() => this.#options.onConnectError?.(error));
    return error;
  }

  /** One socket: open, log in, find the dialect, restore. Within `timeout` ms or not at all. */
  async #attempt(signal: AbortSignal, timeout: number): Promise<ConnectResult> {
    const transport = this.#options.createTransport(this.#options.url);
    const controller = new AbortController();
    const stop = (error: MillraceError): void => {
      controller.abort(error);
      this.#drop(transport, error);
    };
    const abort = (): void => stop(createError('cancelled', 'Connecting was cancelled'));
    signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => {
      stop(createError('connection_failed', `Could not connect to ${this.#options.url} within ${seconds(timeout)}`));
    }, timeout);
    try {
      const result = await this.#login(transport, controller.signal);
      await this.#options.restore();
      if (this.#transport !== transport) throw createError('connection_lost');
      this.#state = { phase: 'online', transport, result };
      guarded(() => this.#options.onConnected?.(result));
      return result;
    } catch (thrown) {
      this.#drop(transport, createError('connection_lost'));
      throw controller.signal.aborted ? controller.signal.reason : thrown;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  async #login(transport: Transport, signal: AbortSignal): Promise<ConnectResult> {
    const events = {
      message: (data: string | Uint8Array, isBinary: boolean) => this.#receive(transport, data, isBinary),
      closed: (info: CloseInfo) => this.#closed(transport, info),
    };
    await transport.open(events, signal);
    signal.throwIfAborted();
    this.#transport = transport;
    const login = { auth: this.#credential, clientName: this.#options.clientName, clientVersion: version };
    const { body } = await this.#send(transport, 'auth', login, { signal }).reply;
    this.#dialect = await this.#findDialect(transport, signal);
    this.#ready = transport;
    return typeof body === 'object' && body !== null ? (body as ConnectResult) : {};
  }

  /** A server that refuses our ping does not know our commands; then it is spoken to as existing clients do. */
  async #findDialect(transport: Transport, signal: AbortSignal): Promise<Dialect> {
    try {
      await this.#send(transport, `${commandPrefix.spec}ping`, {}, { signal, timeout: dialectTimeout }).reply;
      return 'spec';
    } catch (error) {
      const local = error instanceof ConnectionError || error instanceof CancelledError;
      if (local) throw error;
      return 'peer';
    }
  }

  #send(transport: Transport, command: string, args: Record<string, unknown>, options: RequestOptions): Exchange {
    if (options.signal?.aborted === true) {
      return failed(createError('cancelled', undefined, { cause: options.signal.reason }));
    }
    const { seq, reply } = this.#pending.add(command, options);
    let message: string | Uint8Array;
    try {
      const header = { type: 'request', seq, command, arguments: args };
      message = options.data === undefined ? JSON.stringify(header) : encodeBinaryFrame(header, options.data);
    } catch (cause) {
      const text = `The arguments of ${command} cannot be written as JSON: ${errorText(cause)}`;
      this.#pending.fail(seq, createError('invalid_argument', text, { cause }));
      return { sent: Promise.resolve(), reply };
    }
    const sent = transport.send(message).catch((cause: unknown) => {
      this.#pending.fail(seq, toMillraceError(cause, 'connection_lost'));
    });
    return { sent, reply };
  }

  #receive(transport: Transport, data: string | Uint8Array, isBinary: boolean): void {
    if (transport !== this.#transport) return;
    let message: Record<string, unknown>;
    try {
      const { header, payload } = decodeFrame(data, isBinary, limits.messageBytes);
      message = payload === undefined ? header : { ...header, arguments: { data: payload } };
    } catch (cause) {
      // Whoever waits for this message would wait for ever, so the socket is given up.
      this.#closed(transport, { code: protocolError, reason: errorText(cause) });
      void transport.close(protocolError, 'Invalid message');
      return;
    }
    if (message.type === 'event') this.emit(message as unknown as EventMessage);
    else if (message.type === 'response') this.#pending.settle(message as unknown as ResponseMessage);
  }

  /** The socket is gone. In persist mode a lost login is restored; a first attempt is its caller's matter. */
  #closed(transport: Transport, info: CloseInfo): void {
    if (transport !== this.#transport) return;
    const reason = info.reason || `closed with code ${info.code}`;
    this.#release();
    const error = createError('connection_lost', `The connection was lost: ${reason}`);
    this.#pending.failAll(error);
    if (this.#state.phase !== 'online' || this.#state.transport !== transport) return;
    this.#state = { phase: 'offline' };
    if (this.#options.persist) {
      // The failure is reported through onConnectError; nobody awaits this attempt.
      this.#startConnecting(1).result.catch(() => undefined);
    } else {
      this.#ended(error);
    }
    guarded(() => this.#options.onDisconnected?.(reason, info.code !== normalClosure));
  }

  #drop(transport: Transport, error: MillraceError): void {
    if (this.#transport === transport) {
      this.#release();
      this.#pending.failAll(error);
    }
    void transport.close(normalClosure, '');
  }

  #ended(reason: MillraceError | undefined): void {
    for (const listener of [...this.#endListeners]) listener(reason);
  }

  #release(): void {
    this.#transport = undefined;
    this.#ready = undefined;
  }

  async #leave(transport: Transport): Promise<void> {
    await this.#send(transport, 'deauth', {}, { timeout: deauthTimeout }).reply.catch(() => undefined);
    this.#release();
    this.#pending.failAll(createError('connection_lost', 'The client was disconnected'));
    await transport.close(normalClosure, 'Disconnected by request');
    this.#state = { phase: 'offline' };
    this.#ended(undefined);
    guarded(() => this.#options.onDisconnected?.('Disconnected by request', false));
  }
}

function failed(error: MillraceError): Exchange {
  const reply = Promise.reject<Reply>(error);
  return { sent: Promise.resolve(), reply };
}

function gaveUp(maxRetryTime: number, cause: MillraceError | undefined): MillraceError {
  const reason = cause === undefined ? '' : `: ${cause.message}`;
  return createError('connection_failed', `Gave up reconnecting after ${seconds(maxRetryTime)}${reason}`, { cause });
}

/** A listener that throws must not break the connection, nor may its error vanish: it is thrown outside. */
function guarded(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
