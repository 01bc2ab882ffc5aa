import { setTimeout } from 'node:timers/promises';
import type { Event, Pseudoterminal } from 'vscode';
import { MillraceError, toMillraceError } from '../../protocol/errors.js';
import { plain } from '../debug/resultText.js';
import { Emitter } from '../emitter.js';

/** What runs in a terminal. `print` takes whole lines. Resolves with the exit code. */
export type TerminalWork = (print: (text: string) => void, signal: AbortSignal) => Promise<number>;

/**
 * How long a terminal stays after its work. The editor takes one that fails at once for one that could not be opened, and
 * its problem matcher reads no more 100 ms after the end.
 */
const lingerMs = 600;

/** A terminal that shows one piece of work and closes with its exit code; closing it earlier ends the work. */
export class TaskTerminal implements Pseudoterminal {
  readonly #work: TerminalWork;
  readonly #listened: Promise<void>;
  readonly #written = new Emitter<string>();
  readonly #closed = new Emitter<number>();
  readonly #controller = new AbortController();

  /** @param listened resolves when the editor reads what is printed; its problem matcher misses what came sooner */
  constructor(work: TerminalWork, listened: Promise<void>) {
    this.#work = work;
    this.#listened = listened;
  }

  get onDidWrite(): Event<string> {
    return this.#written.event;
  }

  get onDidClose(): Event<number> {
    return this.#closed.event;
  }

  open(): void {
    void this.#run();
  }

  close(): void {
    this.#controller.abort();
  }

  /** The terminal's own way to ask for an end. */
  handleInput(keys: string): void {
    if (keys === '\x03') this.#controller.abort();
  }

  async #run(): Promise<void> {
    let exitCode = 1;
    try {
      await this.#listened;
      if (this.#controller.signal.aborted) throw new MillraceError('cancelled', 'The terminal was closed');
      exitCode = await this.#work((text) => this.#print(text), this.#controller.signal);
    } catch (thrown) {
      this.#print(failureText(thrown));
    }
    if (!this.#controller.signal.aborted) await setTimeout(lingerMs);
    this.#closed.fire(exitCode);
    this.#written.dispose();
    this.#closed.dispose();
  }

  #print(text: string): void {
    this.#written.fire(`${plain(text).replace(/\r?\n/g, '\r\n')}\r\n`);
  }
}

function failureText(thrown: unknown): string {
  const { code, message, hint }: MillraceError = toMillraceError(thrown);
  if (code === 'cancelled') return 'Cancelled.';
  return hint === '' ? `Error: ${message}` : `Error: ${message}\n${hint}`;
}
