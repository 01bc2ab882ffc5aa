import { MillraceError } from '../../protocol/errors.js';
import type { Log } from '../log.js';
import { ClientConnection, type ServerAccess } from './clientConnection.js';
import { isUnprotected, type Profile } from './profiles.js';

/** What a connection to a server needs. */
export interface RemoteOptions {
  /** Where keys are kept, by the name of the connection. */
  readonly keys: {
    key(name: string): Promise<string | undefined>;
    setKey(name: string, key: string): Promise<void>;
  };
  /** Asks a person for a key because the server wants another; undefined when they do not give one. */
  askKey(profile: Profile, reason: string): Promise<string | undefined>;
  /** Whether the workspace is trusted. */
  mayConnect(): boolean;
  readonly log: Log;
}

/** The connection to a server of the settings. It comes back by itself after a loss. */
export class RemoteConnection extends ClientConnection {
  readonly kind = 'remote';
  protected readonly showsLoss = true;
  readonly url: string;
  readonly #options: RemoteOptions;
  #name: string;
  /** The key as it is stored. */
  #stored: string | undefined;

  constructor({ name, url }: Profile, options: RemoteOptions) {
    super(options.log);
    this.#name = name;
    this.url = url;
    this.#options = options;
    if (isUnprotected(url)) {
      options.log.warn(`Connection ${name}: ${url} is not encrypted, so its key can be read on the way.`);
    }
  }

  get name(): string {
    return this.#name;
  }

  /** The profile has another name now; the connection stays. */
  rename(name: string): void {
    this.#name = name;
  }

  /** Connects anew, with the key that is stored by now. */
  async reconnect(): Promise<void> {
    await this.close({ kind: 'off', reason: 'The key was changed' });
    this.allowQuestion();
    await this.client();
  }

  protected async access(): Promise<ServerAccess> {
    if (!this.#options.mayConnect()) {
      throw new MillraceError('unsupported', 'No connection is made in a workspace that is not trusted', {
        hint: 'Trust the workspace with the command "Workspaces: Manage Workspace Trust".',
      });
    }
    this.#stored = await this.#options.keys.key(this.#name);
    return { url: this.url, key: this.#stored ?? '' };
  }

  /** An attempt under way is joined: ending it would end the events that others wait for. */
  protected prepare(): Promise<void> {
    return Promise.resolve();
  }

  protected anotherKey(error: MillraceError): Promise<string | undefined> {
    return this.#options.askKey({ name: this.#name, url: this.url }, error.message);
  }

  protected async accepted(key: string): Promise<void> {
    if (key !== this.#stored) await this.#options.keys.setKey(this.#name, key);
    this.#stored = key;
  }

  protected get showsFailures(): boolean {
    return true;
  }

  protected get transport(): undefined {
    return undefined;
  }
}
