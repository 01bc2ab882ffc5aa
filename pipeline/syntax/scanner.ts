import { isDigit, isHexDigit, isLineBreak, isNamePart, isNameStart, isSpace } from './characters.js';
import type { Comment, ScalarNode, StringNode, SyntaxProblem, SyntaxProblemCode } from './nodes.js';

const backslash = 0x5c;
const simpleEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Names of up to this length are looked up among those that were read before: a pipeline has few, many times each. */
const longestKnownName = 32;

/** Reads the smallest pieces of a JSON5 text. Nothing makes it fail: what is wrong is noted, and the reading goes on. */
export class Scanner {
  at = 0;
  readonly comments: Comment[] = [];
  readonly problems: SyntaxProblem[] = [];
  private readonly names: (string | undefined)[] = new Array<undefined>(256).fill(undefined);

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
      else if (code > 0x2f && code < 0x80) break;
      else if (code === 0x2f) {
        this.at = at;
        if (!this.comment()) return;
        at = this.at;
      } else if (isSpace(code)) at++;
      else break;
    }
    this.at = at;
  }

  /** What is in a string of ordinary characters; undefined, with nothing read, when it has others. */
  quotedName(): string | undefined {
    const { text } = this;
    const quote = text.charCodeAt(this.at);
    const start = this.at + 1;
    let hash = 0;
    let at = start;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) break;
      if (!(code >= 0x20) || code === backslash) return undefined;
      hash = (hash * 31 + code) | 0;
    }
    if (isNameStart(text.charCodeAt(at + 1))) return undefined;
    this.at = at + 1;
    return this.knownName(hash, start, at);
  }

  private knownName(hash: number, start: number, end: number): string {
    const { text, names } = this;
    if (end - start > longestKnownName) return text.slice(start, end);
    const slot = (hash ^ (hash >>> 8)) & 0xff;
    const known = names[slot];
    if (known?.length === end - start && text.startsWith(known, start)) return known;
    return (names[slot] = text.slice(start, end));
  }

  /** A name without quotes. The current place is at its start. */
  name(): string {
    const { text } = this;
    const start = this.at;
    let hash = 0;
    for (let code; isNamePart((code = text.charCodeAt(this.at))); this.at++) hash = (hash * 31 + code) | 0;
    if (text.charCodeAt(this.at) !== backslash) return this.knownName(hash, start, this.at);
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
    const quote = text.charCodeAt(start);
    let from = start + 1;
    let at = from;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        const end = isNameStart(text.charCodeAt(at + 1)) ? this.endBefore(from, at) : undefined;
        if (end !== undefined) return this.unclosed(start, end, text.slice(from, end));
        this.at = at + 1;
        return { kind: 'string', start, end: at + 1, value: text.slice(from, at), closed: true };
      }
      if (!(code >= 0x20) || code === backslash) break;
      at++;
    }
    let value = '';
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        value += text.slice(from, at++);
        this.at = at;
        return { kind: 'string', start, end: at, value, closed: true };
      }
      if (at >= text.length || code === 0x0a || code === 0x0d) {
        return this.unclosed(start, at, value + text.slice(from, at));
      }
      if (code === backslash) {
        value += text.slice(from, at);
        this.at = at;
        value += this.escape();
        from = at = this.at;
      } else at++;
    }
  }

  private unclosed(start: number, end: number, value: string): StringNode {
    this.at = end;
    this.problem('string_unclosed', 'The closing quote of this string is missing', start, end);
    return { kind: 'string', start, end, value, closed: false };
  }

  /**
   * In `"a, "b": 1` the second quote opens the next string, as a name stands behind it and before it what stands between
   * strings. Where the first string ends then: before a comma with another key behind it, else before all commas and brackets.
   */
  private endBefore(from: number, to: number): number | undefined {
    const content = this.text.slice(from, to);
    const comma = content.search(/,\s*(?:[A-Za-z_$][\w$]*\s*:|$)/);
    let end = comma < 0 ? to : from + comma;
    while (end > from && ' \t,:{}[]'.includes(this.text.charAt(end - 1))) end--;
    return end > from && /\S/.test(this.text.slice(end, to)) ? end : undefined;
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
    const first = text.charCodeAt(start);
    if (first === 0x49 || first === 0x4e) {
      const word = first === 0x49 ? 'Infinity' : 'NaN';
      if (!text.startsWith(word, start)) return undefined;
      this.at += word.length;
      return Number(word);
    }
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
