import type { Output } from './io.js';

/** Lines at the end of a terminal that are written over each time. */
export class LiveBlock {
  readonly #output: Output;
  #height = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Shows `lines` in place of those before; each is cut to the terminal's width, unless it has colours. */
  update(lines: readonly string[]): void {
    // Some terminals say that they are 0 wide.
    const width = this.#output.columns || 80;
    const fit = (line: string): string => (line.includes('\u001b') ? line : line.slice(0, width - 1));
    const up = this.#height > 0 ? `\u001b[${this.#height}A` : '';
    const text = lines.map((line) => `\u001b[2K${fit(line)}\n`).join('');
    this.#output.write(`\r${up}\u001b[0J${text}`);
    this.#height = lines.length;
  }

  /** Takes the lines away. */
  clear(): void {
    this.update([]);
  }
}
