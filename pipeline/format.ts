import { isLineBreak } from './syntax/characters.js';
import type { ArrayNode, Comment, ObjectNode, PropertyNode, Range, SyntaxNode, SyntaxTree } from './syntax/nodes.js';
import { parseSyntax } from './syntax/parser.js';

export interface FormatOptions {
  /** Columns of one level. */
  readonly tabSize: number;
  /** Spaces instead of tab characters. */
  readonly insertSpaces: boolean;
}

/** A piece of a text and what is to stand there. Edits of one answer never overlap and are in the order of the text. */
export interface FormatEdit extends Range {
  readonly newText: string;
  /** Edits of the same group move a comma together: they are made all or not at all. */
  readonly group: number;
}

/** Lists and objects that would go beyond this column get a line per element. */
const width = 120;

/**
 * A pipeline file in its usual form. Only white space and the commas at the end of lists change: values, comments,
 * quotes, the byte order mark and the kind of line break stay as they are. A list that begins with a line break keeps
 * a line per element. A text that is broken stays as it is.
 */
export function formatText(text: string, options: FormatOptions): string {
  return applyEdits(text, formatEdits(parseSyntax(text), options));
}

/** What `formatText` would change, as small edits; none for a broken text. */
export function formatEdits(tree: SyntaxTree, options: FormatOptions): FormatEdit[] {
  return tree.problems.length > 0 || tree.root === undefined ? [] : new Formatter(tree, options).run(tree.root);
}

/** The edits that touch a range, with those that they need. */
export function editsInRange(edits: readonly FormatEdit[], { start, end }: Range): FormatEdit[] {
  const groups = new Set(edits.filter((edit) => edit.start <= end && start <= edit.end).map(({ group }) => group));
  return edits.filter(({ group }) => groups.has(group));
}

export function applyEdits(text: string, edits: readonly (Range & { readonly newText: string })[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, newText } of edits) {
    result += text.slice(at, start) + newText;
    at = end;
  }
  return result + text.slice(at);
}

type Container = ObjectNode | ArrayNode;
type Element = SyntaxNode | PropertyNode;

/** A comment between two elements, and how it stands there. */
interface Placed extends Comment {
  /** Line breaks before it and behind it, up to what is next. */
  readonly before: number;
  readonly after: number;
  readonly beforeComma: boolean;
}

/** What stands between two elements, or between an element and a bracket. */
interface Gap {
  /** On the line of what is before. */
  readonly trailing: readonly Placed[];
  /** Before what comes next. */
  readonly leading: readonly Placed[];
  /** Line breaks before what comes next. */
  readonly breaks: number;
  readonly hasComma: boolean;
}

class Formatter {
  readonly #text: string;
  readonly #comments: readonly Comment[];
  readonly #indent: string;
  readonly #tabSize: number;
  readonly #eol: string;
  readonly #edits: FormatEdit[] = [];
  readonly #flat = new Map<SyntaxNode, number>();
  readonly #gaps = new Map<Container, readonly Gap[]>();
  #trailingCommas = false;
  /** The end of what has been copied from the text, and what has been written behind it. */
  #copied = 0;
  #pending = '';
  #group = 0;

  constructor({ text, comments }: SyntaxTree, { tabSize, insertSpaces }: FormatOptions) {
    this.#text = text;
    this.#comments = comments;
    this.#indent = insertSpaces ? ' '.repeat(tabSize) : '\t';
    this.#tabSize = tabSize;
    this.#eol = lineBreakOf(text, comments);
  }

  run(root: SyntaxNode): FormatEdit[] {
    const { length } = this.#text;
    this.#measure(root);
    this.#trailingCommas = this.#endsWithCommas(root);
    // The byte order mark stays.
    if (this.#text.startsWith('\ufeff')) this.#copied = 1;
    const before = this.#gap(this.#copied, root.start);
    this.#leading([...before.trailing, ...before.leading], 0);
    this.#node(root, 0, 0);
    const after = this.#gap(root.end, length);
    this.#trailing(after.trailing, 0);
    for (const comment of after.leading) {
      this.#newLine(0, comment.before > 1);
      this.#comment(comment, 0);
    }
    this.#pending += this.#eol;
    this.#copyTo(length, length);
    return this.#edits;
  }

  /** Columns on one line; infinite for what needs several lines. */
  #measure(node: SyntaxNode): number {
    const measured = isContainer(node) ? this.#measureContainer(node) : node.end - node.start;
    this.#flat.set(node, measured);
    return measured;
  }

  #measureContainer(node: Container): number {
    const elements = elementsOf(node);
    let columns = node.kind === 'object' && elements.length > 0 ? 4 : 2;
    let at = node.start + 1;
    const gaps: Gap[] = [];
    for (const element of elements) {
      gaps.push(this.#gap(at, element.start));
      at = element.end;
      if (element.kind === 'property') {
        columns += element.key.end - element.key.start + 2;
        columns += this.#measureComments(this.#commentsIn(element.key.end, element.value?.start ?? element.end));
      }
      const value = element.kind === 'property' ? element.value : element;
      if (value !== undefined) columns += this.#measure(value) + 2;
    }
    gaps.push(this.#gap(at, node.end - 1));
    this.#gaps.set(node, gaps);
    for (const { trailing, leading } of gaps) columns += this.#measureComments([...trailing, ...leading]);
    const [first] = gaps;
    const opened = elements.length > 0 && first !== undefined && breaksIn(first) > 0;
    return opened ? Infinity : columns - (elements.length > 0 ? 2 : 0);
  }

  #measureComments(comments: readonly Comment[]): number {
    let columns = 0;
    for (const { kind, start, end } of comments)
      columns += kind === 'line' || this.#breaks(start, end) > 0 ? Infinity : end - start + 1;
    return columns;
  }

  /** Whether at least half of the lists with a line per element end with a comma, as those of this text then all do. */
  #endsWithCommas(root: SyntaxNode): boolean {
    let balance = 0;
    let some = false;
    const count = (node: SyntaxNode | undefined, column: number, depth: number): void => {
      if (node === undefined || !isContainer(node) || this.#fits(node, column)) return;
      const elements = elementsOf(node);
      if (elements.length > 0) {
        const hasComma = this.#gapsOf(node).at(-1)?.hasComma === true;
        balance += hasComma ? 1 : -1;
        some ||= hasComma;
      }
      for (const [at, element] of elements.entries()) {
        const start = (depth + 1) * this.#tabSize + this.#leadingColumns(this.#gapsOf(node)[at]);
        if (element.kind === 'property')
          count(element.value, this.#columnOfValue(element, start, depth + 1), depth + 1);
        else count(element, start, depth + 1);
      }
    };
    count(root, 0, 0);
    return some && balance >= 0;
  }

  #fits(node: SyntaxNode, column: number): boolean {
    // One more for the comma behind it.
    return column + (this.#flat.get(node) ?? 0) + 1 <= width;
  }

  #node(node: SyntaxNode, depth: number, column: number): void {
    if (!isContainer(node)) this.#copyTo(node.start, node.end);
    else if (this.#fits(node, column)) this.#inline(node);
    else if (elementsOf(node).length > 0 || breaksIn(this.#gapsOf(node)[0]) > 0 || this.#flat.get(node) === Infinity)
      this.#expanded(node, depth);
    else this.#inline(node);
  }

  #inline(node: Container): void {
    const elements = elementsOf(node);
    const gaps = this.#gapsOf(node);
    const space = node.kind === 'object' && (elements.length > 0 || this.#hasComments(gaps)) ? ' ' : '';
    this.#copyTo(node.start, node.start + 1);
    this.#pending += space;
    this.#group++;
    for (const [at, gap] of gaps.entries()) {
      const element = elements[at];
      const isLast = element === undefined;
      const comments = [...gap.trailing, ...gap.leading];
      const early = at === 0 ? [] : comments.filter(({ beforeComma }) => beforeComma || isLast);
      for (const comment of early) {
        this.#pending += ' ';
        this.#comment(comment, 0);
      }
      if (at > 0 && !isLast) this.#pending += ', ';
      const late = comments.slice(early.length);
      for (const [index, comment] of late.entries()) {
        this.#comment(comment, 0);
        if (!isLast || index < late.length - 1) this.#pending += ' ';
      }
      if (element === undefined) break;
      this.#element(element, 0, 0);
      this.#group++;
    }
    this.#pending += space;
    this.#copyTo(node.end - 1, node.end);
    this.#group++;
  }

  #expanded(node: Container, depth: number): void {
    const elements = elementsOf(node);
    const gaps = this.#gapsOf(node);
    this.#copyTo(node.start, node.start + 1);
    this.#group++;
    for (const [at, gap] of gaps.entries()) {
      const element = elements[at];
      const needsComma = at > 0 && (element !== undefined || this.#trailingCommas);
      const early = needsComma ? earlyComments(gap) : [];
      this.#trailing(early, depth + 1);
      if (needsComma) this.#pending += ',';
      this.#trailing(gap.trailing.slice(early.length), depth + 1);
      const isFirst = at === 0;
      if (element !== undefined) {
        const blank = !isFirst && (gap.leading[0]?.before ?? gap.breaks) > 1;
        this.#newLine(depth + 1, blank);
        this.#leading(gap.leading, depth + 1);
        const column = (depth + 1) * this.#tabSize + this.#leadingColumns(gap);
        this.#element(element, depth + 1, column);
        this.#group++;
        continue;
      }
      for (const [index, comment] of gap.leading.entries()) {
        this.#newLine(depth + 1, comment.before > 1 && !(isFirst && index === 0));
        this.#comment(comment, depth + 1);
      }
      this.#newLine(depth, false);
    }
    this.#copyTo(node.end - 1, node.end);
    this.#group++;
  }

  #element(element: Element, depth: number, column: number): void {
    if (element.kind !== 'property') return this.#node(element, depth, column);
    const { key, value } = element;
    this.#copyTo(key.start, key.end);
    this.#pending += ':';
    if (value === undefined) return;
    let newLine = false;
    for (const comment of this.#commentsIn(key.end, value.start)) {
      if (newLine) this.#newLine(depth + 1, false);
      else this.#pending += ' ';
      this.#comment(comment, depth + 1);
      newLine = comment.kind === 'line';
    }
    if (newLine) this.#newLine(depth + 1, false);
    else this.#pending += ' ';
    this.#node(value, depth, this.#columnOfValue(element, column, depth));
  }

  /** Where the value of a member begins whose key is at `column`. */
  #columnOfValue({ key, value }: PropertyNode, column: number, depth: number): number {
    let at = column + key.end - key.start + 2;
    for (const { kind, start, end } of this.#commentsIn(key.end, value?.start ?? key.end))
      at = kind === 'line' || this.#breaks(start, end) > 0 ? (depth + 1) * this.#tabSize : at + end - start + 1;
    return at;
  }

  /** Columns of the comments on the line of what follows them. Comments of several lines count as none: their indentation changes. */
  #leadingColumns(gap: Gap | undefined): number {
    let columns = 0;
    for (const { kind, start, end, after } of gap?.leading ?? [])
      columns = kind === 'line' || after > 0 || this.#breaks(start, end) > 0 ? 0 : columns + end - start + 1;
    return columns;
  }

  #trailing(comments: readonly Placed[], depth: number): void {
    for (const comment of comments) {
      this.#pending += ' ';
      this.#comment(comment, depth);
    }
  }

  #leading(comments: readonly Placed[], depth: number): void {
    for (const comment of comments) {
      const ends = comment.kind === 'line' || comment.after > 0;
      this.#comment(comment, depth);
      if (ends) this.#newLine(depth, comment.after > 1);
      else this.#pending += ' ';
    }
  }

  #comment({ kind, start, end }: Comment, depth: number): void {
    const text = this.#text.slice(start, end);
    const lines = text.split(/\r\n|\n|\r/);
    if (kind === 'block' && lines.length > 1 && lines.slice(1).every((line) => line.trimStart().startsWith('*'))) {
      const indented = lines.map((line, at) => (at === 0 ? line : `${this.#indent.repeat(depth)} ${line.trimStart()}`));
      this.#copyTo(start, start);
      this.#replace(start, end, indented.join(this.#eol));
    } else this.#copyTo(start, end);
  }

  #newLine(depth: number, blank: boolean): void {
    this.#pending += (blank ? this.#eol : '') + this.#eol + this.#indent.repeat(depth);
  }

  /** Copies a piece of the text; what has been written since the last one replaces what stood between them. */
  #copyTo(start: number, end: number): void {
    this.#replace(this.#copied, start, this.#pending);
    this.#pending = '';
    this.#copied = end;
  }

  /** Only what differs is an edit. */
  #replace(start: number, end: number, newText: string): void {
    this.#copied = end;
    const written = this.#text.slice(start, end);
    if (written === newText) return;
    const most = Math.min(written.length, newText.length);
    let head = 0;
    while (head < most && written[head] === newText[head]) head++;
    let tail = 0;
    while (tail < most - head && written.at(-tail - 1) === newText.at(-tail - 1)) tail++;
    // CR and LF stay together.
    if (head > 0 && written[head - 1] === '\r') head--;
    if (tail > 0 && written.at(-tail) === '\n') tail--;
    const changed = newText.slice(head, newText.length - tail);
    this.#edits.push({ start: start + head, end: end - tail, newText: changed, group: this.#group });
  }

  #gapsOf(node: Container): readonly Gap[] {
    return this.#gaps.get(node) ?? [];
  }

  #hasComments(gaps: readonly Gap[]): boolean {
    return gaps.some(({ trailing, leading }) => trailing.length + leading.length > 0);
  }

  #gap(start: number, end: number): Gap {
    const comments = this.#commentsIn(start, end);
    const commaAt = this.#commaIn(start, end, comments);
    // Those on both sides of a comma are no blank line.
    const breaks = (from: number, to: number): number =>
      commaAt === undefined || commaAt < from || to <= commaAt
        ? this.#breaks(from, to)
        : Math.max(this.#breaks(from, commaAt), this.#breaks(commaAt, to));
    const placed = comments.map((comment, index): Placed => {
      const before = breaks(comments[index - 1]?.end ?? start, comment.start);
      const after = breaks(comment.end, comments[index + 1]?.start ?? end);
      return { ...comment, before, after, beforeComma: comment.end <= (commaAt ?? -1) };
    });
    const last = placed.findLastIndex(({ kind, after }) => kind === 'line' || after > 0);
    const ownLine = placed.findIndex(({ before }) => before > 0);
    // What stands on the line of the element before, and ends that line.
    const isEnd = end === this.#text.length || !/[^\]}]/.test(this.#text[end] ?? '');
    const trailing = isEnd && ownLine < 0 ? placed.length : Math.min(last + 1, ownLine < 0 ? placed.length : ownLine);
    return {
      trailing: placed.slice(0, trailing),
      leading: placed.slice(trailing),
      breaks: breaks(comments.at(-1)?.end ?? start, end),
      hasComma: commaAt !== undefined,
    };
  }

  #commaIn(start: number, end: number, comments: readonly Comment[]): number | undefined {
    let at = start;
    for (const comment of [...comments, { start: end, end }]) {
      const comma = this.#text.slice(at, comment.start).indexOf(',');
      if (comma >= 0) return at + comma;
      at = comment.end;
    }
    return undefined;
  }

  #commentsIn(start: number, end: number): readonly Comment[] {
    let low = 0;
    let high = this.#comments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#comments[middle] as Comment).start < start) low = middle + 1;
      else high = middle;
    }
    let last = low;
    while ((this.#comments[last]?.end ?? Infinity) <= end) last++;
    return this.#comments.slice(low, last);
  }

  #breaks(start: number, end: number): number {
    let count = 0;
    for (let at = start; at < end; at++) {
      const code = this.#text.charCodeAt(at);
      if (isLineBreak(code) && !(code === 0x0d && this.#text.charCodeAt(at + 1) === 0x0a)) count++;
    }
    return count;
  }
}

/** Comments that stay before the comma: those on its line. */
function earlyComments({ trailing }: Gap): Placed[] {
  const late = trailing.findIndex(({ kind, beforeComma }) => kind === 'line' || !beforeComma);
  return trailing.slice(0, late < 0 ? trailing.length : late);
}

function elementsOf(node: Container): readonly Element[] {
  return node.kind === 'object' ? node.properties : node.items;
}

function isContainer(node: SyntaxNode): node is Container {
  return node.kind === 'object' || node.kind === 'array';
}

function breaksIn(gap: Gap | undefined): number {
  if (gap === undefined) return 0;
  return gap.breaks + [...gap.trailing, ...gap.leading].reduce((sum, { before }) => sum + before, 0);
}

/** The first line break outside of comments and strings, else the first of the text. */
function lineBreakOf(text: string, comments: readonly Comment[]): string {
  let first: string | undefined;
  // A backslash before a line break is in a string.
  for (const { 0: found, index } of text.matchAll(/(?<!\\\r?)(?:\r\n|\n|\r)/g)) {
    first ??= found;
    if (!comments.some(({ start, end }) => start <= index && index < end)) return found;
  }
  return first ?? '\n';
}
