import { isRecord } from '../../../pipeline/values.js';
import type { Session } from './session.js';

/** Variables the server puts into pipelines. Their values are secrets: show the names only. */
export class ServerVariables {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async keys(): Promise<string[]> {
    const { body } = await this.#session.call('account_me', { subcommand: 'env_keys' });
    return isRecord(body) && Array.isArray(body.keys) ? (body.keys as string[]) : [];
  }

  async get(): Promise<Record<string, string>> {
    const { body } = await this.#session.call('account_me', { subcommand: 'get_env' });
    return isRecord(body) && isRecord(body.env) ? (body.env as Record<string, string>) : {};
  }

  /** Replaces the whole set. */
  async set(env: Readonly<Record<string, string>>): Promise<void> {
    await this.#session.call('account_me', { subcommand: 'set_env', env });
  }
}
