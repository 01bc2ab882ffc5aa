import type { Position, TextEdit } from 'vscode-languageserver-types';
import { editsInRange, formatEdits, type FormatOptions } from '../../../pipeline/format.js';
import type { Range, SyntaxNode } from '../../../pipeline/syntax/nodes.js';
import type { PipelineDocument } from './pipelineDocument.js';

/** The edits that give a document, or a range of it, its usual form. None for a broken text. */
export function formatDocument(document: PipelineDocument, options: FormatOptions, range?: Range): TextEdit[] {
  const edits = formatEdits(document.tree, options);
  return (range === undefined ? edits : editsInRange(edits, range)).map(({ start, end, newText }) => ({
    range: document.range({ start, end }),
    newText,
  }));
}

/**
 * What follows a character that was typed: a closing bracket forms what it closes, a line break gets the indentation
 * of its depth, also in a text that is not finished.
 */
export function formatOnType(
  document: PipelineDocument,
  position: Position,
  typed: string,
  options: FormatOptions,
): TextEdit[] {
  const offset = document.offsetAt(position);
  if (typed === '\n') return indentation(document, position, options);
  const closed = containersAround(document.tree.root, offset).findLast(({ end }) => end === offset);
  return closed === undefined ? [] : formatDocument(document, options, { start: closed.start + 1, end: offset });
}

function indentation(document: PipelineDocument, { line }: Position, options: FormatOptions): TextEdit[] {
  const start = document.offsetAt({ line, character: 0 });
  const written = /^[ \t]*/.exec(document.text.slice(start, start + 1000))?.[0] ?? '';
  const first = start + written.length;
  if (document.tree.comments.some((comment) => comment.start < first && first < comment.end)) return [];
  const around = containersAround(document.tree.root, first).filter(
    (node) => node.start < start && (node.end > first || !node.closed),
  );
  const closes = /[\]}]/.test(document.text[first] ?? '');
  const depth = Math.max(0, around.length - (closes ? 1 : 0));
  const wanted = (options.insertSpaces ? ' '.repeat(options.tabSize) : '\t').repeat(depth);
  if (wanted === written) return [];
  return [{ range: document.range({ start, end: first }), newText: wanted }];
}

/** The objects and lists around an offset, the outermost first. */
function containersAround(node: SyntaxNode | undefined, offset: number): (SyntaxNode & { closed: boolean })[] {
  if ((node?.kind !== 'object' && node?.kind !== 'array') || node.start > offset) return [];
  if (node.end < offset) return [];
  const children = node.kind === 'object' ? node.properties.map(({ value }) => value) : node.items;
  const inner = children.map((child) => containersAround(child, offset)).findLast(({ length }) => length > 0);
  return [node, ...(inner ?? [])];
}
