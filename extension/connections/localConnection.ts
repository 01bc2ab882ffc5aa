import type { Disposable } from 'vscode';
import { socketAddress } from '../../client/typescript/src/address.js';
import type { MillraceClient } from '../../client/typescript/src/index.js';
import type { TransportFactory } from '../../client/typescript/src/transport.js';
import { nodeTransport } from '../../client/typescript/src/transportNode.js';
import { MillraceError } from '../../protocol/errors.js';
import type { EngineHost } from '../engineHost/engineHost.js';
import type { EngineState } from '../engineHost/engineState.js';
import { localConnection } from '../identifiers.js';
import type { Log } from '../log.js';
import { ClientConnection, type ServerAccess } from './clientConnection.js';

/** Within this time the end of a process is noticed after its sockets have closed. */
const noticeMs = 1_000;

/** How an attempt ends when the engine goes away meanwhile. */
const connectionCodes: ReadonlySet<string> = new Set(['connection_failed', 'connection_lost', 'cancelled']);

/** What the connection needs of the engine. */
export type LocalEngine = Pick<EngineHost, 'state' | 'onDidChange' | 'start'>;

/** The connection to the engine inside the editor. It follows the engine: its state is the engine's until that runs. */
export class LocalConnection extends ClientConnection implements Disposable {
  readonly name = localConnection;
  readonly kind = 'local';
  /** The engine ends a moment later, and says why; a socket alone comes back at once. */
  protected readonly showsLoss = false;
  readonly #engine: LocalEngine;
  readonly #subscription: Disposable;
  /** The engine that was connected to last. */
  #used: EngineState | undefined;

  constructor(engine: LocalEngine, log: Log) {
    super(log);
    this.#engine = engine;
    this.#subscription = engine.onDidChange((state) => this.#follow(state));
    this.#follow(engine.state);
  }

  /** Whoever asks while the engine crashes or is restarted gets the one that follows it. */
  override async client(): Promise<MillraceClient> {
    for (;;) {
      try {
        return await super.client();
      } catch (error) {
        if (this.isDisposed || !isConnectionError(error) || !(await this.#isReplaced())) throw error;
      }
    }
  }

  override dispose(): void {
    this.#subscription.dispose();
    super.dispose();
  }

  protected async access(): Promise<ServerAccess> {
    this.#used = await this.#engine.start();
    return this.#used;
  }

  /** The engine may be another one by now, at another address: an old attempt would wait for its turn. */
  protected async prepare(client: MillraceClient): Promise<void> {
    if (!client.connected) await client.disconnect();
  }

  protected anotherKey(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  protected accepted(): Promise<void> {
    return Promise.resolve();
  }

  /** While the engine does not run, its own state says more. */
  protected get showsFailures(): boolean {
    return this.#engine.state.kind === 'running';
  }

  /**
   * The client stays the same when the engine comes back at another address. Without an engine nothing is opened:
   * somebody else could listen at the old address by then, and would be sent the key.
   */
  protected get transport(): TransportFactory {
    return () => {
      const { state } = this.#engine;
      if (state.kind === 'running') return nodeTransport(socketAddress(state.url));
      const error = new MillraceError('connection_failed', 'The engine does not run');
      const refuse = (): Promise<never> => Promise.reject(error);
      return { open: refuse, send: refuse, close: () => Promise.resolve() };
    };
  }

  /** Whether there is or will be another engine. One that has just crashed looks alive for a moment. */
  #isReplaced(): Promise<boolean> {
    const { state } = this.#engine;
    const isNext = (): boolean => {
      const { kind } = this.#engine.state;
      return kind === 'starting' || (kind === 'running' && this.#engine.state !== this.#used);
    };
    if (state !== this.#used || state.kind !== 'running') return Promise.resolve(isNext());
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        subscription.dispose();
        resolve(isNext());
      };
      const timer = setTimeout(done, noticeMs);
      const subscription = this.#engine.onDidChange(done);
    });
  }

  #follow(state: EngineState): void {
    switch (state.kind) {
      case 'stopped':
        void this.close({ kind: 'off', reason: 'The engine is stopped' });
        break;
      case 'failed':
        void this.close({ kind: 'failed', reason: state.reason, hint: state.hint });
        break;
      case 'starting':
        // The engine of before waits for its sockets, and with a restart for this one.
        void this.hangUp();
        this.setState(
          state.notice === undefined ? { kind: 'connecting' } : { kind: 'waiting', reason: state.notice.reason },
        );
        break;
      case 'running':
        // Failures are told by the state.
        void this.client().catch(() => undefined);
        break;
    }
  }
}

function isConnectionError(error: unknown): boolean {
  return error instanceof MillraceError && connectionCodes.has(error.code);
}
