import type { UploadProgress } from '../typescript/src/index.js';
import type { Output } from './io.js';
import { LiveBlock } from './liveBlock.js';
import { bytesText, plain } from './style.js';

const barWidth = 24;
/** Lines a second are enough for an eye. */
const redrawMs = 50;

/** The progress of an upload on a terminal: a bar for all, and one for each file under way. */
export class UploadView {
  readonly #block: LiveBlock;
  readonly #count: number;
  readonly #totalBytes: number;
  readonly #active = new Map<string, UploadProgress>();
  #done = 0;
  #failed = 0;
  #doneBytes = 0;
  #drawn = 0;

  constructor(output: Output, count: number, totalBytes: number) {
    this.#block = new LiveBlock(output);
    this.#count = count;
    this.#totalBytes = totalBytes;
  }

  progress(body: UploadProgress): void {
    if (body.action === 'complete' || body.action === 'error') {
      this.#active.delete(body.filepath);
      this.#done += 1;
      this.#doneBytes += body.file_size;
      if (body.action === 'error') this.#failed += 1;
    } else {
      this.#active.set(body.filepath, body);
    }
    const now = performance.now();
    if (now - this.#drawn < redrawMs && this.#done < this.#count) return;
    this.#drawn = now;
    this.#draw();
  }

  /** Takes the bars away; the results follow. */
  end(): void {
    this.#block.clear();
  }

  #draw(): void {
    const active = [...this.#active.values()];
    const sent = this.#doneBytes + active.reduce((sum, { bytes_sent }) => sum + bytes_sent, 0);
    const failed = this.#failed === 0 ? '' : `, ${this.#failed} failed`;
    const total = `${this.#done}/${this.#count} files, ${bytesText(sent)} of ${bytesText(this.#totalBytes)}${failed}`;
    this.#block.update([
      `${bar(sent, this.#totalBytes)} ${total}`,
      ...active.map(({ bytes_sent, file_size, filepath }) => `${bar(bytes_sent, file_size)} ${plain(filepath)}`),
    ]);
  }
}

function bar(part: number, whole: number): string {
  const full = whole === 0 ? barWidth : Math.min(barWidth, Math.round((part / whole) * barWidth));
  return `[${'#'.repeat(full)}${' '.repeat(barWidth - full)}]`;
}
