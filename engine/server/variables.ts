import { variablePrefixes } from '../../pipeline/environment.js';
import type { EnvironmentStore } from '../store/environment.js';

/** The variables of each key, kept in memory because a start must not wait for a file. */
export class Variables {
  private readonly byKey = new Map<string, Record<string, string>>();

  private constructor(
    private readonly store: EnvironmentStore,
    private readonly process: Readonly<Record<string, string>>,
  ) {}

  /** @param environment the server's own, weaker than what a key has set; keys of servers are never handed out */
  static async load(
    store: EnvironmentStore,
    keyIds: readonly string[],
    environment: Readonly<Record<string, string | undefined>>,
  ): Promise<Variables> {
    const own = Object.entries(environment).filter(
      ([name, value]) =>
        value !== undefined && variablePrefixes.some((prefix) => name.startsWith(prefix)) && !name.endsWith('_APIKEY'),
    );
    const variables = new Variables(store, Object.fromEntries(own) as Record<string, string>);
    for (const keyId of keyIds) variables.byKey.set(keyId, await store.get(keyId));
    return variables;
  }

  of(keyId: string): Readonly<Record<string, string>> {
    return { ...this.process, ...this.byKey.get(keyId) };
  }

  keys(keyId: string): Promise<string[]> {
    return this.store.keys(keyId);
  }

  get(keyId: string): Promise<Record<string, string>> {
    return this.store.get(keyId);
  }

  async set(keyId: string, env: unknown): Promise<void> {
    await this.store.set(keyId, env);
    this.byKey.set(keyId, await this.store.get(keyId));
  }
}
