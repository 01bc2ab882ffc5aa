import type { Disposable, Event, SecretStorage } from 'vscode';
import { MillraceError } from '../../protocol/errors.js';
import { Emitter } from '../emitter.js';
import { localConnection } from '../identifiers.js';
import type { Log } from '../log.js';
import {
  nameProblem,
  type Profile,
  readProfiles,
  urlProblem,
  withoutProfile,
  withProfile,
  withRenamed,
} from './profiles.js';

/** The two settings, as the editor has them in force. */
export interface ConnectionSettings {
  /** Value of `millrace.connections`, unchecked. */
  readonly connections: unknown;
  /** Value of `millrace.connection`, unchecked. */
  readonly connection: unknown;
  /** Fires when one of the two changed. */
  readonly onDidChange: Event<void>;
  setConnections(value: readonly unknown[]): PromiseLike<void>;
  /** For this workspace when there is one. */
  setConnection(name: string): PromiseLike<void>;
}

/** The part of the editor's secret storage that is used. */
export type Secrets = Pick<SecretStorage, 'get' | 'store' | 'delete'>;

/** Profiles from the settings and keys from the secret storage, kept in step with each other. */
export class ProfileStore implements Disposable {
  readonly #settings: ConnectionSettings;
  readonly #secrets: Secrets;
  readonly #log: Log;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #subscription: Disposable;
  readonly #warned = new Set<string>();
  /** Above zero while one command changes several settings. */
  #editing = 0;

  constructor(settings: ConnectionSettings, secrets: Secrets, log: Log) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#log = log;
    this.#subscription = settings.onDidChange(() => {
      if (this.#editing === 0) this.#changes.fire();
    });
  }

  get profiles(): Profile[] {
    return readProfiles(this.#settings.connections, (message) => this.#warnOnce(message));
  }

  /** The name in `millrace.connection`, whether or not there is such a connection. */
  get chosen(): string {
    const { connection } = this.#settings;
    return typeof connection === 'string' && connection.trim() !== '' ? connection.trim() : localConnection;
  }

  async key(name: string): Promise<string | undefined> {
    return (await this.#secrets.get(secretName(name))) || undefined;
  }

  async setKey(name: string, key: string): Promise<void> {
    await this.#secrets.store(secretName(name), key);
  }

  /** @throws MillraceError `invalid_argument` when name or address cannot be used */
  async add(profile: Profile, key: string | undefined): Promise<Profile> {
    const added = { name: profile.name.trim(), url: profile.url.trim() };
    check(nameProblem(added.name, this.profiles) ?? urlProblem(added.url));
    await this.#edit(async () => {
      if (key !== undefined) await this.setKey(added.name, key);
      await this.#settings.setConnections(withProfile(this.#settings.connections, added));
    });
    return added;
  }

  /** Takes the key along, and the choice of this workspace. @throws MillraceError `invalid_argument` */
  async rename(from: string, given: string): Promise<void> {
    const to = given.trim();
    if (to === from) return;
    check(
      nameProblem(
        to,
        this.profiles.filter(({ name }) => name !== from),
      ),
    );
    const wasChosen = this.chosen === from;
    await this.#edit(async () => {
      const key = await this.key(from);
      // The old key goes last: if the settings cannot be written, nothing is lost.
      if (key !== undefined) await this.setKey(to, key);
      await this.#settings.setConnections(withRenamed(this.#settings.connections, from, to));
      if (wasChosen) await this.#settings.setConnection(to);
      await this.#secrets.delete(secretName(from));
    });
  }

  async remove(name: string): Promise<void> {
    const wasChosen = this.chosen === name;
    await this.#edit(async () => {
      await this.#settings.setConnections(withoutProfile(this.#settings.connections, name));
      if (wasChosen) await this.#settings.setConnection(localConnection);
      await this.#secrets.delete(secretName(name));
    });
  }

  async choose(name: string): Promise<void> {
    await this.#settings.setConnection(name);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
  }

  /** Several settings change one after the other; others see them change at once. */
  async #edit(action: () => Promise<void>): Promise<void> {
    this.#editing += 1;
    try {
      await action();
    } finally {
      this.#editing -= 1;
      if (this.#editing === 0) this.#changes.fire();
    }
  }

  #warnOnce(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#log.warn(message);
  }
}

function secretName(name: string): string {
  return `millrace.key.${name}`;
}

function check(problem: string | undefined): void {
  if (problem !== undefined) throw new MillraceError('invalid_argument', problem, { hint: 'Nothing was changed.' });
}
