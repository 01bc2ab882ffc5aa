import { Emitter } from '../../emitter.js';
import type { MillraceClient } from '../../../client/typescript/src/index.js';
import type { Connection, Connections, ConnectionState } from '../../connections/connection.js';

/** A connection whose client and state a test sets. */
export class TestConnection implements Connection {
  readonly #changed = new Emitter<ConnectionState>();
  readonly onDidChangeState = this.#changed.event;
  connected: MillraceClient | undefined;
  state: ConnectionState = { kind: 'off', reason: 'Not started' };

  constructor(
    readonly name: string,
    readonly kind: 'local' | 'remote' = name === 'Local' ? 'local' : 'remote',
  ) {}

  client(): Promise<MillraceClient> {
    return this.connected === undefined ? Promise.reject(new Error('Not connected')) : Promise.resolve(this.connected);
  }

  /** The client is logged in. */
  up(client: MillraceClient): void {
    this.connected = client;
    this.move({ kind: 'connected', url: client.url, serverVersion: '0.1.0' });
  }

  down(state: ConnectionState = { kind: 'waiting', reason: 'The connection was lost' }): void {
    this.connected = undefined;
    this.move(state);
  }

  move(state: ConnectionState): void {
    this.state = state;
    this.#changed.fire(state);
  }
}

export class TestConnections implements Pick<Connections, 'current' | 'onDidChangeCurrent' | 'all'> {
  readonly #changed = new Emitter<Connection>();
  readonly onDidChangeCurrent = this.#changed.event;
  readonly all: readonly TestConnection[];
  current: Connection;

  constructor(...all: readonly [TestConnection, ...TestConnection[]]) {
    this.all = all;
    this.current = all[0];
  }

  choose(connection: Connection): void {
    this.current = connection;
    this.#changed.fire(connection);
  }
}
