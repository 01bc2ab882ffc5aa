import type { Output } from './io.js';

/** Lines at the end of a terminal that are written over each time. */
export class LiveBlock {
  readonly #output: Output;
  #height = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Shows `lines` in place of those before; each is cut to the terminal's width. */
  update(lines: readonly string[]): void {
    const width = this.#output.columns ?? 80;
    const up = this.#height > 0 ? `\u001b[${this.#height}A` : '';
    const text = lines.map((line) => `\u001b[2K${line.slice(0, width - 1)}\n`).join('');
    this.#output.write(`\r${up}\u001b[0J${text}`);
    this.#height = lines.length;
  }

  /** Takes the lines away. */
  clear(): void {
    this.update([]);
  }

  /** Leaves the lines where they are; the next update starts below. */
  keep(): void {
    this.#height = 0;
  }
}
