const keyName = 'millrace.key';
const taskName = 'millrace.task';
const viewName = 'millrace.view';

/** The part of the browser's storage that is used. */
export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** What a dashboard keeps: with the storage of the session, while the tab is open and in this tab alone. */
export class PageStorage {
  readonly #storage: KeyValueStorage;

  constructor(storage: KeyValueStorage) {
    this.#storage = storage;
  }

  get key(): string | undefined {
    return this.#storage.getItem(keyName) ?? undefined;
  }

  set key(key: string | undefined) {
    this.#put(keyName, key);
  }

  /** Token of the task that is looked at. */
  get task(): string | undefined {
    return this.#storage.getItem(taskName) ?? undefined;
  }

  set task(token: string | undefined) {
    this.#put(taskName, token);
    // What was chosen in the view of another task does not fit this one.
    if (token === undefined) this.#storage.removeItem(viewName);
  }

  get view(): unknown {
    try {
      return JSON.parse(this.#storage.getItem(viewName) ?? 'null') as unknown;
    } catch {
      return null;
    }
  }

  set view(state: unknown) {
    this.#put(viewName, JSON.stringify(state));
  }

  clear(): void {
    for (const name of [keyName, taskName, viewName]) this.#storage.removeItem(name);
  }

  #put(name: string, value: string | undefined): void {
    if (value === undefined) this.#storage.removeItem(name);
    else this.#storage.setItem(name, value);
  }
}

/** The key in a fragment like `#key=…`. */
export function keyOfFragment(fragment: string): string | undefined {
  const key = new URLSearchParams(fragment.replace(/^#/, '')).get('key');
  return key === null || key === '' ? undefined : key;
}
