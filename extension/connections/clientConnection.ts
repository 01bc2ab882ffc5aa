import type { Disposable } from 'vscode';
import { AuthenticationError, MillraceClient } from '../../client/typescript/src/index.js';
import { serverInfoOf } from '../../client/typescript/src/probe.js';
import type { TransportFactory } from '../../client/typescript/src/transport.js';
import { MillraceError, toMillraceError } from '../../protocol/errors.js';
import { Emitter } from '../emitter.js';
import type { Log } from '../log.js';
import { judgeConnectError } from './connectError.js';
import type { Connection, ConnectionState } from './connection.js';

/** Where a server is and the key for it. */
export interface ServerAccess {
  /** As a person knows it. */
  readonly url: string;
  readonly key: string;
}

const connectTimeout = 10_000;
const infoTimeout = 5_000;

/** What both kinds of connections have in common: one client that lives as long as the connection does. */
export abstract class ClientConnection implements Connection, Disposable {
  abstract readonly name: string;
  abstract readonly kind: 'local' | 'remote';
  protected readonly log: Log;
  readonly #changes = new Emitter<ConnectionState>();
  readonly onDidChangeState = this.#changes.event;
  #state: ConnectionState = { kind: 'off', reason: 'Not connected yet' };
  #client: MillraceClient | undefined;
  #url = '';
  #opening: Promise<MillraceClient> | undefined;
  /** Ends the attempt that somebody waits for; the client itself goes on trying. */
  #failAttempt: ((error: MillraceError) => void) | undefined;
  /** The questions after a login, which end with the state `connected`. */
  #greeting: Promise<void> | undefined;
  /** A refused key is asked for once, until one was accepted. */
  #asked = false;
  /** Counts what ended attempts under way. */
  #epoch = 0;
  #closing: Promise<void> = Promise.resolve();
  #disposed = false;

  constructor(log: Log) {
    this.log = log;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get connected(): MillraceClient | undefined {
    return this.#state.kind === 'connected' && this.#client?.connected === true ? this.#client : undefined;
  }

  client(): Promise<MillraceClient> {
    const { connected } = this;
    if (connected !== undefined) return Promise.resolve(connected);
    const opening: Promise<MillraceClient> = (this.#opening ??= this.#open().finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    }));
    return opening;
  }

  /** Ends the connection, or the attempt at one. `client` connects again. */
  close(state: ConnectionState): Promise<void> {
    this.#epoch += 1;
    this.#opening = undefined;
    this.#failAttempt?.(new MillraceError('cancelled', 'The connection was closed'));
    this.setState(state);
    return this.hangUp();
  }

  dispose(): void {
    if (this.#disposed) return;
    void this.close({ kind: 'off', reason: 'The connection was removed' });
    this.#disposed = true;
    this.#changes.dispose();
  }

  protected get isDisposed(): boolean {
    return this.#disposed;
  }

  /** Closes the socket, or ends the attempt to open one. */
  protected hangUp(): Promise<void> {
    this.#closing = this.#client?.disconnect() ?? Promise.resolve();
    return this.#closing;
  }

  /** Forgets that a key was asked for, because somebody has done something about it. */
  protected allowQuestion(): void {
    this.#asked = false;
  }

  /** Makes the server ready and tells where it is. @throws MillraceError that says what to do */
  protected abstract access(): Promise<ServerAccess>;
  /** May be used to end an attempt under way that can only fail. */
  protected abstract prepare(client: MillraceClient): Promise<void>;
  /** Another key after `error`, or undefined when there is none. */
  protected abstract anotherKey(error: MillraceError): Promise<string | undefined>;
  /** Hears of the key that the server took. */
  protected abstract accepted(key: string): Promise<void>;
  /** Whether a loss is to be seen in the state at once. */
  protected abstract readonly showsLoss: boolean;
  /** Whether failed attempts are to be seen in the state now. */
  protected abstract get showsFailures(): boolean;
  protected abstract get transport(): TransportFactory | undefined;

  protected setState(state: ConnectionState): void {
    if (this.#disposed || sameState(state, this.#state)) return;
    this.#state = state;
    const text = 'reason' in state ? `: ${state.reason}` : '';
    const level = state.kind === 'failed' ? 'error' : state.kind === 'waiting' ? 'warn' : 'info';
    this.log[level](`Connection ${this.name} is ${state.kind}${text}`);
    this.#changes.fire(state);
  }

  async #open(): Promise<MillraceClient> {
    if (this.#disposed) throw new MillraceError('cancelled', `The connection ${this.name} was removed`);
    const epoch = this.#epoch;
    this.setState({ kind: 'connecting' });
    try {
      // The good-bye of the last connection must not be taken for the loss of this one.
      await this.#closing;
      const { url, key } = await this.access();
      this.#check(epoch);
      this.#url = url;
      const client = (this.#client ??= this.#makeClient(url));
      await this.prepare(client);
      this.#check(epoch);
      await this.#login(client, key, epoch);
      return client;
    } catch (thrown) {
      const error = toMillraceError(thrown, 'connection_failed');
      if (epoch === this.#epoch && this.#state.kind === 'connecting') this.setState(stateOf(error));
      throw error;
    }
  }

  async #login(client: MillraceClient, firstKey: string, epoch: number): Promise<void> {
    let key = firstKey;
    for (;;) {
      try {
        await this.#attempt(client, key);
        this.#check(epoch);
        if (!client.connected) throw new MillraceError('connection_lost');
        this.#asked = false;
        await this.accepted(key);
        return;
      } catch (thrown) {
        this.#check(epoch);
        if (!(thrown instanceof AuthenticationError)) throw thrown;
        const refusal = refusalOf(thrown, this.name);
        if (this.#asked) throw refusal;
        this.#asked = true;
        const next = await this.anotherKey(refusal);
        this.#check(epoch);
        if (next === undefined) throw refusal;
        key = next;
      }
    }
  }

  /** The first outcome of connecting. The client tries on by itself after a failure that may pass. */
  async #attempt(client: MillraceClient, key: string): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#failAttempt = reject;
        client
          .connect({ auth: key })
          .then(() => this.#greeting)
          .then(resolve, reject);
      });
    } finally {
      this.#failAttempt = undefined;
    }
  }

  #makeClient(url: string): MillraceClient {
    const client: MillraceClient = new MillraceClient({
      uri: url,
      // The key is given with each attempt; without this the environment would be asked for one.
      auth: '',
      persist: true,
      connectTimeout,
      clientName: 'Millrace for VS Code',
      transport: this.transport,
      onConnected: () => {
        this.#greeting = this.#greet(client);
      },
      onDisconnected: (reason, hasError) => this.#lost(reason, hasError),
      onConnectError: (error) => this.#failed(client, error),
    });
    return client;
  }

  async #greet(client: MillraceClient): Promise<void> {
    const url = this.#url;
    const version = await client.call('public_probe', {}, { timeout: infoTimeout }).then(
      ({ body }) => serverInfoOf(body).version,
      // A server that does not tell its version can be used all the same.
      () => '',
    );
    if (client.connected) this.setState({ kind: 'connected', url, serverVersion: version });
  }

  #lost(reason: string, hasError: boolean): void {
    // An orderly good-bye is either ours, and the state tells why, or the server's, which then comes back.
    if (this.showsLoss && this.#state.kind === 'connected') {
      const text = hasError ? `The connection was lost: ${reason}` : `The server ended the connection: ${reason}`;
      this.setState({ kind: 'waiting', reason: text });
    }
    this.#failAttempt?.(new MillraceError('connection_lost', `The connection was lost: ${reason}`));
  }

  #failed(client: MillraceClient, error: MillraceError): void {
    if (this.#disposed || !this.showsFailures) return;
    if (error instanceof AuthenticationError) {
      // While somebody waits for the attempt, that is told and decides.
      if (this.#opening === undefined) void this.client().catch(() => undefined);
      return;
    }
    if (error.code === 'cancelled') return;
    const { kind, reason, hint } = judgeConnectError(error, this.#url);
    this.setState(kind === 'failed' ? { kind, reason, hint } : { kind, reason });
    this.#failAttempt?.(new MillraceError('connection_failed', reason, { hint, cause: error }));
    // Trying again would only show the same once more.
    if (kind === 'failed') void client.disconnect();
  }

  #check(epoch: number): void {
    if (epoch !== this.#epoch) throw new MillraceError('cancelled', 'The connection was closed while it was made');
  }
}

function refusalOf(error: AuthenticationError, name: string): MillraceError {
  const message = error.code === 'auth_missing' ? `${name} needs a key` : `${name} refuses the key: ${error.message}`;
  return new AuthenticationError(error.code, message, {
    hint: 'Give a valid key with the command "Millrace: Set Key…".',
    cause: error,
  });
}

function stateOf({ code, message, hint }: MillraceError): ConnectionState {
  if (code === 'unsupported') return { kind: 'off', reason: message };
  return code === 'cancelled' ? { kind: 'off', reason: 'Not connected' } : { kind: 'failed', reason: message, hint };
}

function sameState(one: ConnectionState, other: ConnectionState): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
