import { isNamePart } from '../../../pipeline/syntax/characters.js';
import type { ObjectNode, PropertyNode, Range, SyntaxNode } from '../../../pipeline/syntax/nodes.js';
import type { PipelineDocument } from './pipelineDocument.js';

/** What somebody is writing at an offset. */
export interface Cursor {
  /** Path from the pipeline to the value (or, at a key, to the object it belongs to). */
  readonly path: readonly (string | number)[];
  readonly at: 'key' | 'value';
  /** What is written there so far and would be replaced; quotes are outside when `quoted`. */
  readonly replace: Range;
  readonly quoted: boolean;
  /** The object whose key is written. */
  readonly object: ObjectNode | undefined;
  /** Whether a colon follows the key already. */
  readonly hasColon: boolean;
}

/** Undefined in comments and where nothing can be written. */
export function cursorAt(document: PipelineDocument, offset: number): Cursor | undefined {
  const { tree, base } = document;
  if (tree.comments.some(({ start, end, kind }) => start < offset && (kind === 'line' ? offset <= end : offset < end)))
    return undefined;
  const path: (string | number)[] = [];
  let node: SyntaxNode | undefined = tree.root;
  let result: Cursor | undefined;
  while (node !== undefined) {
    if (node.kind === 'object') {
      const property: PropertyNode | undefined = propertyAt(document.text, node, offset);
      if (property === undefined || offset <= property.key.end) {
        result = keyCursor(document, node, property, path, offset);
        break;
      }
      path.push(property.key.name);
      if (property.value === undefined || !touches(property.value, offset)) {
        result = valueCursor(document.text, path, offset);
        break;
      }
      node = property.value;
    } else if (node.kind === 'array') {
      const index: number = node.items.findIndex((item) => touches(item, offset));
      path.push(index < 0 ? node.items.filter(({ end }) => end <= offset).length : index);
      if (index < 0) {
        result = valueCursor(document.text, path, offset);
        break;
      }
      node = node.items[index];
    } else {
      result = scalarCursor(node, path, offset);
      break;
    }
  }
  if (result === undefined || base.some((key, at) => result.path[at] !== key)) return undefined;
  return { ...result, path: result.path.slice(base.length) };
}

/** The property that is being written: the one around the offset, or one whose value is still missing there. */
function propertyAt(text: string, object: ObjectNode, offset: number): PropertyNode | undefined {
  return object.properties.find((property, at) => {
    if (property.start <= offset && offset <= property.end) return true;
    if (property.value !== undefined) return false;
    const next = object.properties[at + 1]?.start ?? object.end;
    return property.end <= offset && offset <= next && /^[ \t]*$/.test(text.slice(property.end, offset));
  });
}

function keyCursor(
  { text }: PipelineDocument,
  object: ObjectNode,
  property: PropertyNode | undefined,
  path: readonly (string | number)[],
  offset: number,
): Cursor {
  const hasColon = property !== undefined && /^\s*:/.test(text.slice(property.key.end, property.key.end + 50));
  if (property === undefined)
    return { path, at: 'key', replace: wordAround(text, offset), quoted: false, object, hasColon };
  const { key } = property;
  const quoted = text[key.start] === '"' || text[key.start] === "'";
  const closed = quoted && key.end > key.start + 1 && text[key.end - 1] === text[key.start];
  const replace = quoted ? { start: key.start + 1, end: closed ? key.end - 1 : key.end } : key;
  return { path, at: 'key', replace, quoted, object, hasColon };
}

function valueCursor(text: string, path: readonly (string | number)[], offset: number): Cursor {
  return { path, at: 'value', replace: wordAround(text, offset), quoted: false, object: undefined, hasColon: false };
}

function scalarCursor(node: SyntaxNode, path: readonly (string | number)[], offset: number): Cursor | undefined {
  const rest = { path, at: 'value', object: undefined, hasColon: false } as const;
  if (node.kind !== 'string') return { ...rest, replace: node, quoted: false };
  if (offset <= node.start || (node.closed && offset >= node.end)) return undefined;
  return { ...rest, replace: { start: node.start + 1, end: node.closed ? node.end - 1 : node.end }, quoted: true };
}

function touches({ start, end }: Range, offset: number): boolean {
  return start <= offset && offset <= end;
}

function wordAround(text: string, offset: number): Range {
  let start = offset;
  while (start > 0 && isNamePart(text.charCodeAt(start - 1))) start--;
  let end = offset;
  while (end < text.length && isNamePart(text.charCodeAt(end))) end++;
  return { start, end };
}
