import type { DocumentSymbol, FoldingRange, Position, SelectionRange } from 'vscode-languageserver-types';
import type { Range, SyntaxNode } from '../../../pipeline/syntax/nodes.js';
import type { PipelineDocument } from './pipelineDocument.js';

export const symbolKind = { file: 1, object: 19, interface: 11, field: 8 } as const;

/** The outline: the components by their ids, each with its links. */
export function documentSymbols(document: PipelineDocument): DocumentSymbol[] {
  return document.components.map(({ id, provider, node, links, index }) => ({
    name: id?.value || `components[${index}]`,
    detail: provider?.value ?? '',
    kind: symbolKind.object,
    range: document.range(node),
    selectionRange: document.range(id ?? { start: node.start, end: node.start + 1 }),
    children: links.map((link) => ({
      name: `${link.kind === 'input' ? '←' : '⇠'} ${link.from?.value ?? '…'}`,
      detail: link.type?.value ?? '',
      kind: symbolKind.interface,
      range: document.range(link.node),
      selectionRange: document.range(link.from ?? { start: link.node.start, end: link.node.start + 1 }),
    })),
  }));
}

/** Objects, lists and comments of more than one line, line comments that follow each other, and `#region`s. */
export function foldingRanges(document: PipelineDocument): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  const add = (range: Range, kind?: 'comment'): void => {
    const { start, end } = document.range(range);
    // The closing bracket stays visible.
    const endLine = kind === 'comment' ? end.line : end.line - 1;
    if (endLine > start.line) ranges.push({ startLine: start.line, endLine, ...(kind === undefined ? {} : { kind }) });
  };
  walk(document.tree.root, (node) => {
    if (node.kind === 'object' || node.kind === 'array') add(node);
  });
  for (const comment of document.tree.comments) if (comment.kind === 'block') add(comment, 'comment');
  ranges.push(...lineComments(document));
  return ranges.sort((a, b) => a.startLine - b.startLine);
}

/** The runs of comments that have their lines for themselves, and the regions that such comments begin and end. */
function lineComments({ text, lines, tree }: PipelineDocument): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  const regions: number[] = [];
  let run: { startLine: number; endLine: number } | undefined;
  const end = (): void => {
    if (run !== undefined && run.endLine > run.startLine) ranges.push({ ...run, kind: 'comment' });
    run = undefined;
  };
  for (const comment of tree.comments) {
    const { line, character } = lines.positionAt(comment.start);
    const before = text.slice(comment.start - character, comment.start);
    if (comment.kind !== 'line' || before.trim() !== '') continue;
    const [, marker] = /^\/\/\s*#?(region|endregion)\b/.exec(text.slice(comment.start, comment.end)) ?? [];
    if (marker !== undefined || line !== (run?.endLine ?? line) + 1) end();
    if (marker === 'region') regions.push(line);
    else if (marker === 'endregion') {
      const startLine = regions.pop();
      if (startLine !== undefined) ranges.push({ startLine, endLine: line, kind: 'region' });
    } else run = { startLine: run?.startLine ?? line, endLine: line };
  }
  end();
  return ranges;
}

/** From the smallest thing at a position outwards to the whole text. */
export function selectionRange(document: PipelineDocument, position: Position): SelectionRange {
  const offset = document.offsetAt(position);
  let current: SelectionRange = { range: document.range({ start: 0, end: document.text.length }) };
  const enter = (range: Range): void => {
    current = { range: document.range(range), parent: current };
  };
  let node = document.tree.root;
  while (node !== undefined && contains(node, offset)) {
    enter(node);
    if (node.kind === 'string' && node.end - node.start > 2) enter({ start: node.start + 1, end: node.end - 1 });
    if (node.kind === 'object') {
      const property = node.properties.find((each) => contains(each, offset));
      if (property === undefined) break;
      enter(property);
      if (contains(property.key, offset)) {
        enter(property.key);
        break;
      }
      node = property.value;
    } else node = node.kind === 'array' ? node.items.find((item) => contains(item, offset)) : undefined;
  }
  return current;
}

function contains({ start, end }: Range, offset: number): boolean {
  return start <= offset && offset <= end;
}

function walk(node: SyntaxNode | undefined, visit: (node: SyntaxNode) => void): void {
  if (node === undefined) return;
  visit(node);
  if (node.kind === 'object') for (const { value } of node.properties) walk(value, visit);
  if (node.kind === 'array') for (const item of node.items) walk(item, visit);
}
