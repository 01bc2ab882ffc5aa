import type { Disposable, Event } from 'vscode';

/**
 * The editor's EventEmitter for code that is tested outside the editor: listeners are called in the order they came, a
 * listener that throws does not keep the others from hearing, and after `dispose` nobody is called.
 */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => unknown>();
  #disposed = false;

  readonly event: Event<T> = (listener, thisArgs?: unknown, disposables?: Disposable[]) => {
    const own = (value: T): unknown => listener.call(thisArgs, value);
    if (!this.#disposed) this.#listeners.add(own);
    const subscription: Disposable = { dispose: () => void this.#listeners.delete(own) };
    disposables?.push(subscription);
    return subscription;
  };

  fire(value: T): void {
    const errors: unknown[] = [];
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener(value);
      } catch (error) {
        errors.push(error);
      }
    }
    // Thrown where no caller of `fire` is hurt, so that the editor still reports it.
    for (const error of errors)
      queueMicrotask(() => {
        throw error;
      });
  }

  dispose(): void {
    this.#disposed = true;
    this.#listeners.clear();
  }
}
