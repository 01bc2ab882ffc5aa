import { stripVTControlCharacters } from 'node:util';
import type { Disposable } from 'vscode';
import { clip } from '../../pipeline/values.js';
import { Throttle } from '../views/throttle.js';

/** What is written to; an output channel of the editor. */
export interface TextSink {
  append(text: string): void;
  replace(text: string): void;
}

export interface LogBounds {
  readonly lines: number;
  /** UTF-16 units. */
  readonly chars: number;
  /** Milliseconds between two writes. */
  readonly everyMs: number;
}

const longestLine = 20_000;

/** Writes lines in bundles and keeps the newest of them: the sink never holds more than twice the bounds. */
export class BoundedLog implements Disposable {
  readonly #sink: TextSink;
  readonly #bounds: LogBounds;
  readonly #throttle: Throttle;
  #lines: string[] = [];
  #chars = 0;
  /** Lines at the end that are not written yet. */
  #fresh = 0;
  #dropped = false;

  constructor(sink: TextSink, bounds: LogBounds) {
    this.#sink = sink;
    this.#bounds = bounds;
    this.#throttle = new Throttle(() => this.#write(), bounds.everyMs);
  }

  /** One line, without what a terminal would make of it. */
  add(text: string): void {
    const line = `${clip(plainLine(text), longestLine)}\n`;
    this.#lines.push(line);
    this.#chars += line.length;
    this.#fresh += 1;
    if (this.#lines.length > this.#bounds.lines * 2 || this.#chars > this.#bounds.chars * 2) this.#drop();
    this.#throttle.trigger();
  }

  dispose(): void {
    this.#throttle.dispose();
  }

  #drop(): void {
    let first = 0;
    const { lines, chars } = this.#bounds;
    while (this.#lines.length - first > lines || (this.#chars > chars && first < this.#lines.length - 1)) {
      this.#chars -= this.#lines[first]?.length ?? 0;
      first += 1;
    }
    this.#lines = this.#lines.slice(first);
    this.#dropped = true;
  }

  #write(): void {
    if (this.#dropped) this.#sink.replace(`… Earlier lines are left out.\n${this.#lines.join('')}`);
    else if (this.#fresh > 0) this.#sink.append(this.#lines.slice(-this.#fresh).join(''));
    this.#dropped = false;
    this.#fresh = 0;
  }
}

function plainLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r?\n$/, '')
    .replace(/[^\P{Cc}\n\t]/gu, '');
}
