import type { ArrayNode, ObjectNode, SyntaxNode } from '../../pipeline/syntax/nodes.js';
import { member } from '../../pipeline/syntax/navigation.js';
import { parseSyntax } from '../../pipeline/syntax/parser.js';

/** Where a component stands in the text of a pipeline file. Offsets are in UTF-16 units. */
export interface ComponentPosition {
  /** Place in `components`, from 0. */
  readonly index: number;
  /** Undefined while it has none that is a string. */
  readonly id: string | undefined;
  /** Of its opening brace. */
  readonly start: number;
  /** Behind its closing brace, or the end of the text when that is missing. */
  readonly end: number;
  /** Of the value of `id`, its quotes included; the opening brace when there is none. */
  readonly idStart: number;
  readonly idEnd: number;
}

export interface TextPosition {
  /** From 0. */
  readonly line: number;
  /** From 0, in UTF-16 units. */
  readonly character: number;
}

/**
 * The components of a pipeline text in JSON or JSON5, in the order they stand. Never throws: a text that is broken or
 * being written gives what can be recognised.
 */
export function findComponents(text: string): ComponentPosition[] {
  return (componentList(parseSyntax(text).root)?.items ?? []).flatMap((item, index) =>
    item.kind === 'object' ? [positionOf(item, index)] : [],
  );
}

/** Where the first value of the text begins, behind comments; 0 when there is none. */
export function findDocumentStart(text: string): number {
  return parseSyntax(text).root?.start ?? 0;
}

/** Line and character of an offset; an offset outside the text counts as its nearest end. */
export function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, Math.max(0, offset)).split(/\r\n|\r|\n/);
  return { line: before.length - 1, character: (before.at(-1) ?? '').length };
}

/** `components` of the top level, or of the object under `pipeline` there. */
function componentList(root: SyntaxNode | undefined): ArrayNode | undefined {
  const list = (member(root, 'components') ?? member(member(root, 'pipeline')?.value, 'components'))?.value;
  return list?.kind === 'array' ? list : undefined;
}

function positionOf(node: ObjectNode, index: number): ComponentPosition {
  const { start, end } = node;
  const id = member(node, 'id')?.value;
  if (id?.kind !== 'string') return { index, id: undefined, start, end, idStart: start, idEnd: start + 1 };
  return { index, id: id.value, start, end, idStart: id.start, idEnd: id.end };
}
