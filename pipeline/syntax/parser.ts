import { isDigit, isLineBreak, isNamePart, isNameStart } from './characters.js';
import type {
  ArrayNode,
  Comment,
  KeyNode,
  ObjectNode,
  PropertyNode,
  SyntaxNode,
  SyntaxProblem,
  SyntaxTree,
} from './nodes.js';
import { Scanner } from './scanner.js';

/** Deeper nesting is noted and not read, so that no text can exhaust the stack. */
export const deepest = 256;

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

const literals = new Map<string, number | boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['Infinity', Infinity],
  ['NaN', NaN],
]);

/**
 * Reads JSON5 with the place of everything. Never throws: broken, half-typed and empty texts give the tree of what is
 * there and the problems of what is not.
 */
export function parseSyntax(text: string): SyntaxTree {
  return new Parser(text).tree();
}

export interface ContainerText {
  readonly node: ObjectNode | ArrayNode;
  readonly comments: readonly Comment[];
  readonly problems: readonly SyntaxProblem[];
}

/**
 * Reads a text that begins with the bracket of an object or list, as it is read inside that many objects and lists.
 * Undefined when its closing bracket is not the last character.
 */
export function parseContainer(text: string, objects: number, arrays: number): ContainerText | undefined {
  return new Parser(text, objects, arrays).container();
}

class Parser {
  private readonly scanner: Scanner;
  private depth: number;
  /** The elements of everything that is open, so that each list is made once and in its size. */
  private readonly elements: (PropertyNode | SyntaxNode)[] = [];

  constructor(
    private readonly text: string,
    private openObjects = 0,
    private openArrays = 0,
  ) {
    this.scanner = new Scanner(text);
    this.depth = openObjects + openArrays;
  }

  tree(): SyntaxTree {
    const { scanner, text } = this;
    scanner.trivia();
    let root: SyntaxNode | undefined;
    if (scanner.ended) {
      scanner.problem('value_expected', 'The text is empty', 0, text.length);
    } else {
      root = this.value();
      while (root === undefined && !scanner.ended) {
        this.skipUnexpected();
        scanner.trivia();
        if (!scanner.ended) root = this.value();
      }
      scanner.trivia();
      if (!scanner.ended) scanner.problem('text_after_end', 'Nothing may follow the value', scanner.at, text.length);
    }
    return { text, root, comments: scanner.comments, problems: this.sortedProblems() };
  }

  container(): ContainerText | undefined {
    const { scanner, text } = this;
    const node = this.nested(scanner.code);
    if (!node.closed || scanner.at !== text.length) return undefined;
    return { node, comments: scanner.comments, problems: this.sortedProblems() };
  }

  private sortedProblems(): SyntaxProblem[] {
    return this.scanner.problems.sort((a, b) => a.start - b.start);
  }

  /** A value at the current place; undefined, with nothing read, when none begins there. */
  private value(): SyntaxNode | undefined {
    const { scanner } = this;
    const { code, at } = scanner;
    if (code === openBrace || code === openBracket) return this.nested(code);
    if (code === 0x22 || code === 0x27) return scanner.string();
    if (isDigit(code) || code === 0x2b || code === 0x2d || code === 0x2e) return scanner.number();
    if (!isNameStart(code) && code !== 0x5c) return undefined;
    const word = scanner.name();
    const value = literals.get(word);
    // An escape spells a name, never a literal.
    if (value !== undefined && scanner.at - at === word.length)
      return { kind: 'scalar', start: at, end: scanner.at, value };
    scanner.problem('word_unknown', `"${word.slice(0, 40)}" is no value; text needs quotes`, at, scanner.at);
    return { kind: 'word', start: at, end: scanner.at, word };
  }

  private nested(code: number): ObjectNode | ArrayNode {
    const { scanner } = this;
    if (this.depth >= deepest) {
      const start = scanner.at;
      scanner.at = this.text.length;
      scanner.problem('too_deep', `Nested deeper than ${deepest} levels`, start, start + 1);
      const rest = { start, end: scanner.at, closed: true };
      return code === openBrace ? { kind: 'object', properties: [], ...rest } : { kind: 'array', items: [], ...rest };
    }
    this.depth++;
    const node = code === openBrace ? this.object() : this.array();
    this.depth--;
    return node;
  }

  private object(): ObjectNode {
    const { scanner, elements } = this;
    const start = scanner.at++;
    const first = elements.length;
    this.openObjects++;
    const closed = this.readElements(closeBrace);
    this.openObjects--;
    const properties = elements.slice(first) as PropertyNode[];
    elements.length = first;
    if (!closed) scanner.problem('object_unclosed', 'The closing } of this object is missing', start, start + 1);
    return { kind: 'object', start, end: scanner.at, properties, closed };
  }

  private array(): ArrayNode {
    const { scanner, elements } = this;
    const start = scanner.at++;
    const first = elements.length;
    this.openArrays++;
    const closed = this.readElements(closeBracket);
    this.openArrays--;
    const items = elements.slice(first) as SyntaxNode[];
    elements.length = first;
    if (!closed) scanner.problem('array_unclosed', 'The closing ] of this list is missing', start, start + 1);
    return { kind: 'array', start, end: scanner.at, items, closed };
  }

  /** The elements up to `close`; false when the text or what is around ends first. */
  private readElements(close: number): boolean {
    const { scanner } = this;
    let separated = true;
    let previous: SyntaxNode | PropertyNode | undefined;
    for (;;) {
      scanner.trivia();
      const { code, at } = scanner;
      if (code === close) {
        scanner.at++;
        return true;
      }
      if (code === comma) {
        if (separated) scanner.problem('comma_unexpected', 'A value is missing before this comma', at, at + 1);
        separated = true;
        scanner.at++;
        continue;
      }
      if (scanner.ended || this.closesAround(code, close)) {
        scanner.at = Math.min(scanner.at, this.text.length);
        return false;
      }
      const problems = scanner.problems.length;
      const element = close === closeBrace ? this.property() : this.value();
      if (element === undefined) {
        this.skipUnexpected();
        continue;
      }
      this.elements.push(element);
      // What has no value yet has no comma either, and one problem is enough.
      const unfinished = previous?.kind === 'property' && previous.value === undefined;
      if (!separated && !unfinished) {
        const previousEnd = previous?.end ?? at;
        const missing = { code: 'comma_expected' as const, message: 'A comma is missing here' };
        scanner.problems.splice(problems, 0, { ...missing, start: previousEnd, end: Math.max(at, previousEnd) });
      }
      // A string without its closing quote takes the comma behind it with it.
      separated = this.text.charCodeAt(element.end - 1) === comma;
      previous = element;
    }
  }

  /** Whether a closing bracket of the other kind belongs to something around, so that this one was left open. */
  private closesAround(code: number, close: number): boolean {
    if (code === closeBrace && close === closeBracket) return this.openObjects > 0;
    return code === closeBracket && close === closeBrace && this.openArrays > 0;
  }

  private property(): PropertyNode | undefined {
    const { scanner } = this;
    const key = this.key();
    if (key === undefined) return this.valueWithoutKey();
    scanner.trivia();
    let end = key.end;
    const colonAt = scanner.at;
    const hasColon = scanner.code === colon;
    if (hasColon) {
      end = ++scanner.at;
      scanner.trivia();
    } else {
      scanner.problem(
        'colon_expected',
        `A colon and a value are missing after ${JSON.stringify(key.name)}`,
        key.start,
        key.end,
      );
      // A value on the same line was meant for this key; one on the next line is more likely another key.
      if (this.hasLineBreak(key.end, colonAt) || this.looksLikeKey())
        return { kind: 'property', start: key.start, end, key, value: undefined };
    }
    // `"a": , ` and `"a":` before the next key: the value has not been written.
    const value = hasColon && this.hasLineBreak(end, scanner.at) && this.looksLikeKey() ? undefined : this.value();
    if (value === undefined && hasColon) {
      scanner.problem('value_expected', `The value of ${JSON.stringify(key.name)} is missing`, colonAt, colonAt + 1);
    }
    return { kind: 'property', start: key.start, end: value?.end ?? end, key, value };
  }

  private valueWithoutKey(): PropertyNode | undefined {
    const value = this.value();
    if (value === undefined) return undefined;
    const { start, end } = value;
    this.scanner.problem('key_expected', 'A key such as "name": is missing before this value', start, end);
    return { kind: 'property', start, end, key: { kind: 'key', start, end: start, name: '' }, value };
  }

  private key(): KeyNode | undefined {
    const { scanner } = this;
    const { code, at } = scanner;
    if (code === 0x22 || code === 0x27) {
      const name = scanner.quotedName() ?? scanner.string().value;
      return { kind: 'key', start: at, end: scanner.at, name };
    }
    if (isNameStart(code) || code === 0x5c) {
      const name = scanner.name();
      return { kind: 'key', start: at, end: scanner.at, name };
    }
    return undefined;
  }

  /** Whether a word or string at the current place is followed by a colon. Reads nothing. */
  private looksLikeKey(): boolean {
    const { text } = this;
    let { at } = this.scanner;
    const first = text.charCodeAt(at);
    if (first === 0x22 || first === 0x27) {
      for (at++; at < text.length && text.charCodeAt(at) !== first; at++) {
        const code = text.charCodeAt(at);
        if (code === 0x5c) at++;
        else if (isLineBreak(code)) return false;
      }
      at++;
    } else if (isNameStart(first)) {
      while (isNamePart(text.charCodeAt(at))) at++;
    } else return false;
    while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09) at++;
    return text.charCodeAt(at) === colon;
  }

  private hasLineBreak(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (isLineBreak(this.text.charCodeAt(at))) return true;
    return false;
  }

  /** Passes over what begins nothing; several such characters in a row are one problem. */
  private skipUnexpected(): void {
    const { scanner } = this;
    const { at } = scanner;
    const width = (this.text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    scanner.at += width;
    const last = scanner.problems.at(-1);
    if (last?.code === 'character_unexpected' && last.end === at) {
      scanner.problems[scanner.problems.length - 1] = { ...last, end: scanner.at };
      return;
    }
    scanner.problem(
      'character_unexpected',
      `"${this.text.slice(at, scanner.at)}" is not expected here`,
      at,
      scanner.at,
    );
  }
}
