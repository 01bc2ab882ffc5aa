import type { Position } from 'vscode-languageserver-types';
import { PipelineDocument } from '../pipelineDocument.js';

/** A document from a text with `|` at the cursor. */
export function fixture(marked: string): { document: PipelineDocument; position: Position; offset: number } {
  const offset = marked.indexOf('|');
  if (offset < 0) throw new Error('The fixture has no | at the cursor');
  const document = new PipelineDocument('file:///project/a.pipe', marked.slice(0, offset) + marked.slice(offset + 1));
  return { document, offset, position: document.lines.positionAt(offset) };
}

export function textOf({ text, lines }: PipelineDocument, range: { start: Position; end: Position }): string {
  return text.slice(lines.offsetAt(range.start), lines.offsetAt(range.end));
}
