import { isNamePart } from '../../../pipeline/syntax/characters.js';
import type { ArrayNode, ObjectNode, PropertyNode, Range, SyntaxNode } from '../../../pipeline/syntax/nodes.js';
import { afterTrivia } from './mends/edits.js';
import type { PipelineDocument } from './pipelineDocument.js';

/** What somebody is writing at an offset. */
export interface Cursor {
  /** Path from the pipeline to the value (or, at a key, to the object it belongs to). */
  readonly path: readonly (string | number)[];
  readonly at: 'key' | 'value';
  /** What is written there so far and would be replaced; quotes are outside when `quote` is set. */
  readonly replace: Range;
  /** The quote that stands before it. */
  readonly quote: '"' | "'" | undefined;
  /** Whether that quote is closed behind it. */
  readonly closed: boolean;
  /** The object or list it is written into, with what is there already. */
  readonly parent: ObjectNode | ArrayNode | undefined;
  /** The property or element that is being written, as far as it exists. */
  readonly self: PropertyNode | SyntaxNode | undefined;
  /** Whether a colon follows the key already. */
  readonly hasColon: boolean;
  /** Where a comma must be added so that this becomes an element of its own. */
  readonly commaBefore: number | undefined;
  /** Whether another element follows without a comma between. */
  readonly commaAfter: boolean;
  /** The name that is being written inside `${…}`; `closed` tells whether the brace is there. */
  readonly variable: (Range & { readonly closed: boolean }) | undefined;
}

type Place = Pick<Cursor, 'at' | 'replace' | 'parent' | 'self'> & Partial<Cursor>;

/** Undefined in comments and where nothing can be written. */
export function cursorAt(document: PipelineDocument, offset: number): Cursor | undefined {
  const { tree, text, base } = document;
  const inComment = tree.comments.some(({ start, end, kind }) => {
    const open = kind === 'line' || !text.startsWith('*/', end - 2);
    return start < offset && (open ? offset <= end : offset < end);
  });
  if (inComment) return undefined;
  const path: (string | number)[] = [];
  const place = find(document, tree.root, path, offset);
  if (place === undefined || base.some((key, at) => path[at] !== key)) return undefined;
  const { replace, quote, closed = false } = place;
  const from = quote === undefined ? replace.start : replace.start - 1;
  const to = closed ? replace.end + 1 : replace.end;
  return {
    quote: undefined,
    hasColon: false,
    commaBefore:
      place.parent === undefined || (place.at === 'value' && place.parent.kind === 'object')
        ? undefined
        : commaBefore(document, from, place.parent),
    commaAfter: place.parent !== undefined && followedByElement(document, to),
    variable: undefined,
    ...place,
    closed,
    path: path.slice(base.length),
  };
}

/** Goes down to the innermost place around the offset; `path` is filled on the way. */
function find(
  document: PipelineDocument,
  root: SyntaxNode | undefined,
  path: (string | number)[],
  offset: number,
): Place | undefined {
  const { text } = document;
  if (root === undefined) return { at: 'value', replace: wordAround(text, offset), parent: undefined, self: undefined };
  let node = root;
  let parent: ObjectNode | ArrayNode | undefined;
  for (;;) {
    if (node.kind !== 'object' && node.kind !== 'array') return scalarPlace(text, node, parent, offset);
    if (!isInside(node, offset)) return undefined;
    parent = node;
    if (node.kind === 'array') {
      const { items } = node;
      const at = items.findIndex((item) => isWrittenAt(item, offset));
      const item = items[at];
      path.push(item === undefined ? items.filter(({ end }) => end <= offset).length : at);
      if (item === undefined) return newPlace(text, 'value', node, offset);
      node = item;
      continue;
    }
    const property = propertyAt(text, node, offset);
    if (property === undefined) return newPlace(text, 'key', node, offset);
    if (offset <= property.key.end) return keyPlace(text, node, property, offset);
    const { key, value } = property;
    const colon = afterTrivia(document, key.end);
    if (text[colon] !== ':' || offset <= colon) return undefined;
    path.push(key.name);
    if (value === undefined) return { at: 'value', replace: wordAround(text, offset), parent: node, self: property };
    if (!isWrittenAt(value, offset)) return undefined;
    node = value;
  }
}

function newPlace(text: string, at: Cursor['at'], parent: ObjectNode | ArrayNode, offset: number): Place {
  return { at, replace: wordAround(text, offset), parent, self: undefined };
}

/** The property that is being written: the one around the offset, or one whose value is still missing there. */
function propertyAt(text: string, object: ObjectNode, offset: number): PropertyNode | undefined {
  return object.properties.find((property, at) => {
    const { value, start, end } = property;
    if (value !== undefined && (value.kind === 'object' || value.kind === 'array') && value.closed && offset >= end)
      return false;
    if (start <= offset && offset <= end) return true;
    if (value !== undefined) return false;
    const next = object.properties[at + 1]?.start ?? object.end;
    return end <= offset && offset <= next && /^[ \t]*$/.test(text.slice(end, offset));
  });
}

function keyPlace(text: string, object: ObjectNode, property: PropertyNode, offset: number): Place | undefined {
  const { key } = property;
  // A value without a key, such as a string in the place of one, has an empty key before it.
  if (key.start === key.end) return undefined;
  const hasColon = /^\s*:/.test(text.slice(key.end, key.end + 50));
  const place = { at: 'key', parent: object, self: property, hasColon } as const;
  const quote = quoteAt(text, key.start);
  if (quote === undefined) return { ...place, replace: key };
  const closed = key.end > key.start + 1 && text[key.end - 1] === quote;
  if (offset <= key.start || (closed && offset >= key.end)) return undefined;
  return { ...place, quote, closed, replace: content(text, key, closed, offset) };
}

function scalarPlace(
  text: string,
  node: SyntaxNode,
  parent: ObjectNode | ArrayNode | undefined,
  offset: number,
): Place | undefined {
  const self = node;
  if (!isWrittenAt(node, offset)) return undefined;
  if (node.kind !== 'string') return { at: 'value', replace: node, parent, self };
  if (offset <= node.start || (node.closed && offset >= node.end)) return undefined;
  const replace = content(text, node, node.closed, offset);
  const variable = variableAt(text, node.start + 1, replace.end, offset);
  return { at: 'value', replace, quote: quoteAt(text, node.start), closed: node.closed, parent, self, variable };
}

/** What is between the quotes. Without the closing one it ends with the word, as the rest of the line is none of it. */
function content(text: string, { start, end }: Range, closed: boolean, offset: number): Range {
  if (closed) return { start: start + 1, end: end - 1 };
  let stop = offset;
  while (stop < end && isNamePart(text.charCodeAt(stop))) stop++;
  return { start: start + 1, end: stop };
}

function variableAt(text: string, start: number, end: number, offset: number): Cursor['variable'] {
  const before = text.slice(start, offset);
  const open = before.lastIndexOf('${');
  if (open < 0 || before.indexOf('}', open) >= 0) return undefined;
  const nameEnd = /^[\w.-]*/.exec(text.slice(offset, end))?.[0].length ?? 0;
  return { start: start + open + 2, end: offset + nameEnd, closed: text[offset + nameEnd] === '}' };
}

/** Behind the last element, if one with a value is there and no comma follows it. */
function commaBefore(document: PipelineDocument, offset: number, parent: ObjectNode | ArrayNode): number | undefined {
  const elements = parent.kind === 'object' ? parent.properties : parent.items;
  const previous = elements.findLast(({ end }) => end <= offset);
  if (previous === undefined || (previous.kind === 'property' && previous.value === undefined)) return undefined;
  return afterTrivia(document, previous.end) >= offset ? previous.end : undefined;
}

function followedByElement(document: PipelineDocument, offset: number): boolean {
  const next = document.text[afterTrivia(document, offset)];
  return next !== undefined && !',:}])'.includes(next);
}

function isInside({ start, end, closed }: ObjectNode | ArrayNode, offset: number): boolean {
  return start < offset && (closed ? offset < end : offset <= end);
}

/** Whether what stands there is being written at the offset; a closed object or list is finished at its end. */
function isWrittenAt(node: SyntaxNode, offset: number): boolean {
  if (node.kind === 'object' || node.kind === 'array') return isInside(node, offset);
  return node.start <= offset && offset <= node.end;
}

function quoteAt(text: string, at: number): '"' | "'" | undefined {
  const quote = text[at];
  return quote === '"' || quote === "'" ? quote : undefined;
}

function wordAround(text: string, offset: number): Range {
  let start = offset;
  while (start > 0 && isNamePart(text.charCodeAt(start - 1))) start--;
  let end = offset;
  while (end < text.length && isNamePart(text.charCodeAt(end))) end++;
  return { start, end };
}
