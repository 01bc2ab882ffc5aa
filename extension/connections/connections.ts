import type { Disposable } from 'vscode';
import { Emitter } from '../emitter.js';
import type { Connection, Connections } from './connection.js';
import { type LocalEngine, LocalConnection } from './localConnection.js';
import { missingConnection, MissingConnection } from './missingConnection.js';
import type { Profile } from './profiles.js';
import type { ProfileStore } from './profileStore.js';
import { RemoteConnection, type RemoteOptions } from './remoteConnection.js';

export interface ConnectionListOptions extends Omit<RemoteOptions, 'keys'> {
  readonly engine: LocalEngine;
  readonly store: ProfileStore;
  /** Sets `millrace.connected`. */
  setConnected(connected: boolean): void;
}

interface Entry {
  readonly connection: RemoteConnection;
  readonly subscription: Disposable;
}

/** The connections of this window, kept equal to the settings. */
export class ConnectionList implements Connections {
  readonly #options: ConnectionListOptions;
  readonly #currentChanges = new Emitter<Connection>();
  readonly #changes = new Emitter<void>();
  readonly onDidChangeCurrent = this.#currentChanges.event;
  readonly onDidChange = this.#changes.event;
  readonly #local: LocalConnection;
  readonly #subscriptions: Disposable[];
  #remotes: readonly Entry[] = [];
  #current: Connection;
  #connected: boolean | undefined;

  constructor(options: ConnectionListOptions) {
    this.#options = options;
    this.#local = new LocalConnection(options.engine, options.log);
    this.#current = this.#local;
    this.#subscriptions = [
      this.#local.onDidChangeState(() => this.#stateChanged()),
      options.store.onDidChange(() => this.#settingsChanged()),
    ];
    this.#settingsChanged();
  }

  get current(): Connection {
    return this.#current;
  }

  get all(): readonly Connection[] {
    return [this.#local, ...this.#remotes.map(({ connection }) => connection)];
  }

  /** @throws MillraceError `not_found` when no connection has the name */
  get(name: string): Connection {
    const found = this.all.find((connection) => connection.name === name);
    if (found === undefined) throw missingConnection(name);
    return found;
  }

  /** The server behind a connection. @throws MillraceError `not_found` when there is none of the name */
  remote(name: string): RemoteConnection {
    const found = this.#remotes.find(({ connection }) => connection.name === name)?.connection;
    if (found === undefined) throw missingConnection(name);
    return found;
  }

  /** Connects to the server that was chosen earlier, if its key is known; nobody is asked and nothing is shown. */
  async resume(): Promise<void> {
    const connection = this.#current;
    if (!(connection instanceof RemoteConnection)) return;
    if ((await this.#options.store.key(connection.name)) === undefined) return;
    // What fails is seen in the state.
    await connection.client().catch(() => undefined);
  }

  dispose(): void {
    for (const each of this.#subscriptions) each.dispose();
    for (const entry of this.#remotes) disposeEntry(entry);
    this.#local.dispose();
    this.#currentChanges.dispose();
    this.#changes.dispose();
  }

  #settingsChanged(): void {
    const before = this.#current;
    this.#reconcile(this.#options.store.profiles);
    const name = this.#options.store.chosen;
    const found = this.all.find((connection) => connection.name === name);
    const isSameGap = before instanceof MissingConnection && before.name === name;
    this.#current = found ?? (isSameGap ? before : new MissingConnection(name));
    if (this.#current !== before) this.#currentChanges.fire(this.#current);
    this.#stateChanged();
  }

  /** A profile keeps its connection when its name or its address is still the same. */
  #reconcile(profiles: readonly Profile[]): void {
    const left = new Set(this.#remotes);
    const take = (match: (entry: Entry) => boolean): Entry | undefined => {
      const found = [...left].find(match);
      if (found !== undefined) left.delete(found);
      return found;
    };
    const kept = new Map<Profile, Entry>();
    for (const profile of profiles) {
      const entry = take(({ connection }) => connection.name === profile.name && connection.url === profile.url);
      if (entry !== undefined) kept.set(profile, entry);
    }
    this.#remotes = profiles.map((profile) => {
      const entry = kept.get(profile) ?? take(({ connection }) => connection.url === profile.url);
      entry?.connection.rename(profile.name);
      return entry ?? this.#makeEntry(profile);
    });
    for (const entry of left) disposeEntry(entry);
  }

  #makeEntry(profile: Profile): Entry {
    const { store, askKey, mayConnect, log } = this.#options;
    const connection = new RemoteConnection(profile, { keys: store, askKey, mayConnect, log });
    return { connection, subscription: connection.onDidChangeState(() => this.#stateChanged()) };
  }

  #stateChanged(): void {
    const connected = this.#current.state.kind === 'connected';
    if (connected !== this.#connected) {
      this.#connected = connected;
      this.#options.setConnected(connected);
    }
    this.#changes.fire();
  }
}

function disposeEntry({ connection, subscription }: Entry): void {
  subscription.dispose();
  connection.dispose();
}
