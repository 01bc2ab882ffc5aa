/** Line and character from 0, the character in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** The lines of a text, to turn offsets into positions and back. Lines end with LF, CR or CRLF, as in editors. */
export class LineIndex {
  private readonly starts: number[] = [0];

  constructor(private readonly text: string) {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) this.starts.push(at + 1);
    }
  }

  /** An offset outside the text counts as its nearest end. */
  positionAt(offset: number): Position {
    const wanted = Math.min(Math.max(0, offset), this.text.length);
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.starts[middle] as number) <= wanted) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: wanted - (this.starts[low] as number) };
  }

  /** A position behind the end of its line counts as that end, one behind the last line as the end of the text. */
  offsetAt({ line, character }: Position): number {
    const start = this.starts[line];
    if (start === undefined) return line < 0 ? 0 : this.text.length;
    const end = this.starts[line + 1] ?? this.text.length;
    return Math.min(start + Math.max(0, character), end);
  }
}
