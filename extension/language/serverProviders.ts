import type { Disposable } from 'vscode';
import { errorText } from '../../protocol/errors.js';
import type { Connections, ConnectionState } from '../connections/connection.js';
import type { Log } from '../log.js';

/** Asks the server that is connected for its providers: when it is another one, and when it may be another version. */
export class ServerProviders implements Disposable {
  readonly #connections: Pick<Connections, 'current' | 'onDidChangeCurrent'>;
  readonly #log: Log;
  readonly #tell: (services: unknown) => void;
  readonly #current: Disposable;
  #state: Disposable;
  /** The state in which the server was asked; a client stays the same across reconnects, its server may not. */
  #asked: ConnectionState | undefined;
  #disposed = false;

  /** @param tell gets the `services` of the server; null when none is connected */
  constructor(
    connections: Pick<Connections, 'current' | 'onDidChangeCurrent'>,
    log: Log,
    tell: (services: unknown) => void,
  ) {
    this.#connections = connections;
    this.#log = log;
    this.#tell = tell;
    this.#state = this.#watch();
    this.#current = connections.onDidChangeCurrent(() => {
      this.#state.dispose();
      this.#state = this.#watch();
    });
  }

  dispose(): void {
    this.#disposed = true;
    this.#state.dispose();
    this.#current.dispose();
  }

  #watch(): Disposable {
    void this.#follow();
    return this.#connections.current.onDidChangeState(() => void this.#follow());
  }

  async #follow(): Promise<void> {
    const { connected: client, state } = this.#connections.current;
    const asked = client === undefined ? undefined : state;
    if (asked === this.#asked) return;
    this.#asked = asked;
    let services: unknown = null;
    try {
      if (client !== undefined) services = (await client.getServices()).services;
    } catch (thrown) {
      // The bundled catalogue serves as well; the connection itself is shown elsewhere.
      this.#log.debug(`The providers of the server are not known: ${errorText(thrown)}`);
    }
    if (this.#asked === asked && !this.#disposed) this.#tell(services);
  }
}
