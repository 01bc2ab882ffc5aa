import type { TextChange } from './edit.js';

/** Line and character from 0, the character in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** The lines of a text, to turn offsets into positions and back. Lines end with LF, CR or CRLF, as in editors. */
export class LineIndex {
  constructor(
    private readonly text: string,
    private readonly starts: readonly number[] = lineStarts(text, 0, text.length, [0]),
  ) {}

  /** The lines after a change; `text` is the new text. */
  edited(change: TextChange, text: string): LineIndex {
    const by = change.text.length - (change.end - change.start);
    // A line begins behind a break, and what follows a carriage return decides whether it is one.
    const first = Math.max(0, change.start - 1);
    const { starts } = this;
    const before = Math.max(1, lowerBound(starts, change.start));
    const behind = Math.max(1, lowerBound(starts, change.end + 1));
    const moved = starts.slice(behind);
    for (let at = 0; at < moved.length; at++) moved[at] = (moved[at] as number) + by;
    const between = lineStarts(text, first, change.end + by);
    return new LineIndex(text, starts.slice(0, before).concat(between, moved));
  }

  /** An offset outside the text counts as its nearest end. */
  positionAt(offset: number): Position {
    const wanted = Math.min(Math.max(0, offset), this.text.length);
    const line = Math.max(0, lowerBound(this.starts, wanted + 1) - 1);
    return { line, character: wanted - (this.starts[line] as number) };
  }

  /** A position behind the end of its line counts as that end, one behind the last line as the end of the text. */
  offsetAt({ line, character }: Position): number {
    const start = this.starts[line];
    if (start === undefined) return line < 0 ? 0 : this.text.length;
    const next = this.starts[line + 1];
    const offset = start + Math.max(0, character);
    if (next === undefined) return Math.min(offset, this.text.length);
    if (offset < next) return offset;
    return this.text[next - 2] === '\r' && this.text[next - 1] === '\n' && next - 2 >= start ? next - 2 : next - 1;
  }
}

/** Adds to `starts` where lines begin behind the breaks from `from` up to `to`. */
function lineStarts(text: string, from: number, to: number, starts: number[] = []): number[] {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) starts.push(at + 1);
  }
  return starts;
}

/** The place of the first number that is not below `wanted`. */
function lowerBound(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
