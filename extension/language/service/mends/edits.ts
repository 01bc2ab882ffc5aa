import { isSpace } from '../../../../pipeline/syntax/characters.js';
import { member } from '../../../../pipeline/syntax/navigation.js';
import type { ArrayNode, ObjectNode, PropertyNode, Range, SyntaxNode } from '../../../../pipeline/syntax/nodes.js';
import type { PipelineDocument } from '../pipelineDocument.js';
import { styleOf, writtenKey } from '../style.js';

/** A piece of the text replaced by another. */
export interface Edit extends Range {
  readonly text: string;
}

export function replaceRange({ start, end }: Range, text: string): Edit {
  return { start, end, text };
}

export function insertAt(offset: number, text: string): Edit {
  return { start: offset, end: offset, text };
}

/** Takes an element out of its object or list, with its comma, and its line if nothing else is on it. */
export function removeElement(document: PipelineDocument, parent: ObjectNode | ArrayNode, element: Range): Edit[] {
  const { text } = document;
  const elements: readonly Range[] = parent.kind === 'object' ? parent.properties : parent.items;
  const at = elements.findIndex(({ start, end }) => start === element.start && end === element.end);
  const comma = afterTrivia(document, element.end);
  if (text[comma] === ',') {
    const [start, end] = wholeLine(text, element.start, comma + 1);
    return [{ start, end, text: '' }];
  }
  const previous = elements[at - 1];
  const before = previous === undefined ? undefined : afterTrivia(document, previous.end);
  const [start, behind] = wholeLine(text, element.start, element.end);
  // Within a line the space before the bracket stays.
  const end = start === element.start ? element.end : behind;
  const own = { start, end, text: '' };
  if (before === undefined || text[before] !== ',' || before >= element.start) return [own];
  // The comma before it would be left over.
  const gap = text.slice(before + 1, start);
  if (/^\s*$/.test(gap) && own.start === element.start) return [{ start: before, end, text: '' }];
  return [{ start: before, end: before + 1, text: '' }, own];
}

/** The line around, with its line break, when the range is all that is on it. */
function wholeLine(text: string, start: number, end: number): [number, number] {
  let from = start;
  while (from > 0 && (text[from - 1] === ' ' || text[from - 1] === '\t')) from--;
  let to = end;
  while (text[to] === ' ' || text[to] === '\t') to++;
  const isAlone = (from === 0 || text[from - 1] === '\n') && (text[to] === '\n' || text.startsWith('\r\n', to));
  if (isAlone) return [from, text[to] === '\r' ? to + 2 : to + 1];
  // Within a line one space stays.
  return [start, text[end] === ' ' ? end + 1 : end];
}

/** Adds a member behind the last one of an object, laid out as they are. `value` is JSON5. */
export function addMember(document: PipelineDocument, object: ObjectNode, key: string, value: string): Edit[] {
  return addElement(document, object, `${writtenKey(key, styleOf(document))}: ${value}`);
}

/** Sets a member: its value is replaced if it is there. */
export function setMember(document: PipelineDocument, object: ObjectNode, key: string, value: string): Edit[] {
  const present = member(object, key);
  if (present?.value !== undefined) return [replaceRange(present.value, value)];
  if (present !== undefined) return [insertAt(present.end, ` ${value}`)];
  return addMember(document, object, key, value);
}

/** Adds an element at the end of an object or list. */
export function addElement(document: PipelineDocument, parent: ObjectNode | ArrayNode, written: string): Edit[] {
  const { text } = document;
  const elements: readonly (PropertyNode | SyntaxNode)[] = parent.kind === 'object' ? parent.properties : parent.items;
  const last = elements.at(-1);
  const close = parent.closed ? parent.end - 1 : parent.end;
  const indent = indentOf(text, parent.start);
  const { indent: step } = styleOf(document);
  if (last === undefined) {
    const isOpen = text.slice(parent.start + 1, close).includes('\n');
    const isLong = written.includes('\n');
    const padding = parent.kind === 'object' ? ' ' : '';
    if (!isOpen && !isLong)
      return [{ start: parent.start + 1, end: parent.start + 1, text: `${padding}${written}${padding}` }];
    const inner = `\n${indent}${step}${indented(written, indent + step)}`;
    return [insertAt(parent.start + 1, isOpen ? inner : `${inner}\n${indent}`)];
  }
  const comma = afterTrivia(document, last.end);
  const hasComma = text[comma] === ',';
  const at = hasComma ? comma + 1 : last.end;
  const isMultiLine = text.slice(parent.start, elements[0]?.start ?? last.start).includes('\n');
  const margin = indentOf(text, last.start);
  const body = isMultiLine ? `\n${margin}${indented(written, margin)}` : ` ${written}`;
  const trailing = hasComma && isMultiLine ? ',' : '';
  return [insertAt(at, `${hasComma ? '' : ','}${body}${trailing}`)];
}

/** Adds an element before another one of the same list, on a line of its own. */
export function addBefore(document: PipelineDocument, element: Range, written: string): Edit[] {
  const margin = indentOf(document.text, element.start);
  return [insertAt(element.start, `${indented(written, margin)},\n${margin}`)];
}

/** What is between the quotes of a text that may stand in quotes. */
export function insideQuotes({ text }: PipelineDocument, range: Range): Range {
  const quote = text[range.start];
  const isQuoted = (quote === '"' || quote === "'") && range.end - range.start > 1 && text[range.end - 1] === quote;
  return isQuoted ? { start: range.start + 1, end: range.end - 1 } : range;
}

/** The white space before the first thing on the line of an offset. */
export function indentOf(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

function indented(text: string, margin: string): string {
  return text.replaceAll('\n', `\n${margin}`);
}

/** The first offset that is neither white space nor in a comment. */
export function afterTrivia({ text, tree: { comments } }: PipelineDocument, offset: number): number {
  let at = offset;
  for (;;) {
    while (at < text.length && isSpace(text.charCodeAt(at))) at++;
    const comment = text[at] === '/' ? comments.find(({ start }) => start === at) : undefined;
    if (comment === undefined) return at;
    at = comment.end;
  }
}

/** The object or list that an element at a range belongs to, with the element itself. */
export function elementAt(
  root: SyntaxNode | undefined,
  range: Range,
): { parent: ObjectNode | ArrayNode; element: PropertyNode | SyntaxNode } | undefined {
  let parent: ObjectNode | ArrayNode | undefined;
  let element: PropertyNode | SyntaxNode | undefined;
  let node = root;
  const holds = ({ start, end }: Range): boolean => start <= range.start && range.start < end;
  while (node !== undefined) {
    if (node.kind === 'object') {
      const property = node.properties.find(holds);
      if (property === undefined) break;
      [parent, element] = [node, property];
      const { value } = property;
      node = value !== undefined && holds(value) && range.start !== property.start ? value : undefined;
    } else if (node.kind === 'array') {
      const item = node.items.find(holds);
      if (item === undefined) break;
      [parent, element] = [node, item];
      node = item.start === range.start ? undefined : item;
    } else break;
  }
  return parent === undefined || element === undefined ? undefined : { parent, element };
}
