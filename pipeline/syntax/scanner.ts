import { isDigit, isHexDigit, isLineBreak, isNamePart, isNameStart, isSpace } from './characters.js';
import type { Comment, ScalarNode, StringNode, SyntaxProblem, SyntaxProblemCode } from './nodes.js';

const backslash = 0x5c;
const simpleEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Reads the smallest pieces of a JSON5 text. Nothing makes it fail: what is wrong is noted, and the reading goes on. */
export class Scanner {
  at = 0;
  readonly comments: Comment[] = [];
  readonly problems: SyntaxProblem[] = [];

  constructor(readonly text: string) {}

  /** The code at the current place; NaN at the end. */
  get code(): number {
    return this.text.charCodeAt(this.at);
  }

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  problem(code: SyntaxProblemCode, message: string, start: number, end: number): void {
    this.problems.push({ code, message, start, end });
  }

  /** Skips white space and comments. */
  trivia(): void {
    const { text } = this;
    let { at } = this;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 0x20 || code === 0x0a) at++;
      else if (code === 0x2f) {
        this.at = at;
        if (!this.comment()) return;
        at = this.at;
      } else if (isSpace(code)) at++;
      else break;
    }
    this.at = at;
  }

  /** A name without quotes. The current place is at its start. */
  name(): string {
    const { text } = this;
    const start = this.at;
    while (isNamePart(text.charCodeAt(this.at))) this.at++;
    if (text.charCodeAt(this.at) !== backslash) return text.slice(start, this.at);
    let name = text.slice(start, this.at);
    for (;;) {
      const code = text.charCodeAt(this.at);
      if (code === backslash) {
        const escape = this.at;
        const decoded = text.charCodeAt(this.at + 1) === 0x75 ? this.hex(this.at + 2, 4) : undefined;
        const allowed = name === '' ? isNameStart : isNamePart;
        if (decoded === undefined || !allowed(decoded)) {
          this.at = Math.min(escape + 2, text.length);
          this.problem('escape_invalid', 'A name may only contain escapes such as \\u0041', escape, this.at);
        } else {
          name += String.fromCharCode(decoded);
          this.at += 6;
        }
      } else if (isNamePart(code)) {
        name += text[this.at++] as string;
      } else return name;
    }
  }

  /** A string. The current place is at its opening quote. One that is not closed ends with its line. */
  string(): StringNode {
    const { text } = this;
    const start = this.at;
    const quote = text.charCodeAt(this.at++);
    let value = '';
    let from = this.at;
    let at = from;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        value += text.slice(from, at++);
        this.at = at;
        return { kind: 'string', start, end: at, value, closed: true };
      }
      if (at >= text.length || code === 0x0a || code === 0x0d) {
        value += text.slice(from, at);
        this.at = at;
        this.problem('string_unclosed', 'The closing quote of this string is missing', start, at);
        return { kind: 'string', start, end: at, value, closed: false };
      }
      if (code === backslash) {
        value += text.slice(from, at);
        this.at = at;
        value += this.escape();
        from = at = this.at;
      } else at++;
    }
  }

  /** A number with its sign. The current place is at its first character. */
  number(): ScalarNode {
    const { text } = this;
    const start = this.at;
    const sign = text.charCodeAt(this.at);
    if (sign === 0x2b || sign === 0x2d) this.at++;
    const negative = sign === 0x2d;
    const magnitude = this.magnitude();
    // `12px` is one mistake, not two values.
    const tail = this.at;
    while (isNamePart(text.charCodeAt(this.at)) || text.charCodeAt(this.at) === 0x2e) this.at++;
    if (magnitude === undefined || this.at > tail) {
      this.problem(
        'number_invalid',
        `"${text.slice(start, Math.min(this.at, start + 40))}" is no number`,
        start,
        this.at,
      );
    }
    const value = magnitude ?? 0;
    return { kind: 'scalar', start, end: this.at, value: negative ? -value : value };
  }

  private magnitude(): number | undefined {
    const { text } = this;
    const start = this.at;
    for (const [word, value] of [
      ['Infinity', Infinity],
      ['NaN', NaN],
    ] as const) {
      if (text.startsWith(word, start)) {
        this.at += word.length;
        return value;
      }
    }
    const first = text.charCodeAt(start);
    const second = text.charCodeAt(start + 1);
    if (first === 0x30 && (second === 0x78 || second === 0x58)) {
      this.at += 2;
      while (isHexDigit(text.charCodeAt(this.at))) this.at++;
      return this.at === start + 2 ? undefined : Number(text.slice(start, this.at));
    }
    const whole = this.digits();
    // A leading zero would be an octal number elsewhere.
    if (whole > 1 && first === 0x30) return undefined;
    let fraction = 0;
    if (text.charCodeAt(this.at) === 0x2e) {
      this.at++;
      fraction = this.digits();
    }
    if (whole + fraction === 0) return undefined;
    const exponent = text.charCodeAt(this.at);
    if (exponent === 0x65 || exponent === 0x45) {
      this.at++;
      const sign = text.charCodeAt(this.at);
      if (sign === 0x2b || sign === 0x2d) this.at++;
      if (this.digits() === 0) return undefined;
    }
    return Number(text.slice(start, this.at));
  }

  private digits(): number {
    const start = this.at;
    while (isDigit(this.text.charCodeAt(this.at))) this.at++;
    return this.at - start;
  }

  private comment(): boolean {
    const { text } = this;
    const start = this.at;
    const second = text.charCodeAt(start + 1);
    if (second === 0x2f) {
      this.at += 2;
      while (this.at < text.length && !isLineBreak(text.charCodeAt(this.at))) this.at++;
      this.comments.push({ kind: 'line', start, end: this.at });
      return true;
    }
    if (second !== 0x2a) return false;
    const close = text.indexOf('*/', start + 2);
    this.at = close < 0 ? text.length : close + 2;
    if (close < 0) this.problem('comment_unclosed', 'The end of this comment, */, is missing', start, start + 2);
    this.comments.push({ kind: 'block', start, end: this.at });
    return true;
  }

  /** What an escape stands for. The current place is at its backslash. */
  private escape(): string {
    const { text } = this;
    const start = this.at;
    const letter = text[start + 1];
    if (letter === undefined) {
      this.at++;
      return '';
    }
    this.at += 2;
    if (letter === 'x' || letter === 'u') {
      const length = letter === 'x' ? 2 : 4;
      const code = this.hex(this.at, length);
      if (code === undefined) {
        this.problem('escape_invalid', `\\${letter} needs ${length} hexadecimal digits`, start, this.at);
        return '';
      }
      this.at += length;
      return String.fromCharCode(code);
    }
    if (letter === '0' && !isDigit(text.charCodeAt(this.at))) return '\0';
    if (isDigit(letter.charCodeAt(0))) {
      this.problem('escape_invalid', `\\${letter} is no escape of JSON5`, start, this.at);
      return '';
    }
    // A backslash before a line break continues the string on the next line.
    if (letter === '\r' && text.charCodeAt(this.at) === 0x0a) this.at++;
    if (isLineBreak(letter.charCodeAt(0))) return '';
    return simpleEscapes[letter] ?? letter;
  }

  private hex(start: number, length: number): number | undefined {
    for (let at = start; at < start + length; at++) if (!isHexDigit(this.text.charCodeAt(at))) return undefined;
    return parseInt(this.text.slice(start, start + length), 16);
  }
}
