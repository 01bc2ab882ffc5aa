import type { Disposable } from 'vscode';

/** How the editor colours a line: `stdout` plainly, `console` as a warning, `stderr` as an error. */
export type Category = 'stdout' | 'console' | 'stderr';

/** A task may say thousands of lines a second, each of which would be a message of its own to the window. */
const gatherMs = 30;

/** Lines for the debug console, in order; those that come at almost the same time travel together. */
export class ConsoleOutput implements Disposable {
  readonly #send: (category: Category, text: string) => void;
  #category: Category = 'stdout';
  #lines: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (category: Category, text: string) => void) {
    this.#send = send;
  }

  print(line: string, category: Category): void {
    if (category !== this.#category) this.flush();
    this.#category = category;
    this.#lines.push(line);
    this.#timer ??= setTimeout(() => this.flush(), gatherMs);
  }

  /** Before anything that must not overtake the lines. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const text = this.#lines.map((line) => `${line}\n`).join('');
    this.#lines = [];
    this.#send(this.#category, text);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#lines = [];
  }
}
