import type { CompletionItem, Position, TextEdit } from 'vscode-languageserver-types';
import { withoutStops } from '../choice.js';
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

/** The text after an item of completion was accepted and nothing was filled in. */
export function accept({ text, lines }: PipelineDocument, item: CompletionItem): string {
  const { textEdit, additionalTextEdits = [], insertTextFormat } = item;
  if (textEdit === undefined || !('range' in textEdit)) throw new Error(`"${item.label}" writes nothing`);
  const { line } = textEdit.range.start;
  const margin = /^[ \t]*/.exec(text.slice(lines.offsetAt({ line, character: 0 })))?.[0] ?? '';
  const plain = insertTextFormat === 2 ? withoutStops(textEdit.newText) : textEdit.newText;
  const newText = plain.replaceAll('\n', `\n${margin}`);
  return applyEdits(text, lines, [...additionalTextEdits, { range: textEdit.range, newText }]);
}

export function applyEdits(text: string, lines: PipelineDocument['lines'], edits: readonly TextEdit[]): string {
  const sorted = edits.map(({ range, newText }) => ({
    start: lines.offsetAt(range.start),
    end: lines.offsetAt(range.end),
    newText,
  }));
  let out = text;
  for (const { start, end, newText } of sorted.sort((a, b) => b.start - a.start || b.end - a.end)) {
    out = out.slice(0, start) + newText + out.slice(end);
  }
  return out;
}
