import { Emitter } from '../emitter.js';
import type { ConnectionSettings, Secrets } from '../connections/profileStore.js';

/** Settings in memory; each change is told at once, as the editor does. */
export class FakeSettings implements ConnectionSettings {
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;

  constructor(
    public connections: unknown = [],
    public connection: unknown = 'Local',
  ) {}

  setConnections(value: readonly unknown[]): Promise<void> {
    this.connections = value;
    this.#changes.fire();
    return Promise.resolve();
  }

  setConnection(name: string): Promise<void> {
    this.connection = name;
    this.#changes.fire();
    return Promise.resolve();
  }
}

export class FakeSecrets implements Secrets {
  readonly kept = new Map<string, string>();

  constructor(entries: Readonly<Record<string, string>> = {}) {
    for (const [name, value] of Object.entries(entries)) this.kept.set(name, value);
  }

  get(name: string): Promise<string | undefined> {
    return Promise.resolve(this.kept.get(name));
  }

  store(name: string, value: string): Promise<void> {
    this.kept.set(name, value);
    return Promise.resolve();
  }

  delete(name: string): Promise<void> {
    this.kept.delete(name);
    return Promise.resolve();
  }
}
