import { decodeText } from '../charset.js';
import { type Extraction, type Source, type Wanted, emptyExtraction } from '../extraction.js';
import { hasContent, tableMarkdown } from '../tables.js';
import { declaredCharset } from '../mimeType.js';

/** Plain text, Markdown, JSON and the like: the text as it stands, and the tables a Markdown reader would see. */
export async function extractText(source: Source, wanted: Wanted): Promise<Extraction> {
  const { text, charset } = await decodeText(source.bytes, declaredCharset(source.mimeType));
  const tables = wanted.table ? markdownTables(text) : [];
  return { ...emptyExtraction({ charset }), text, tables };
}

const fence = /^\s{0,3}(```|~~~)/;

/** Tables as GitHub's Markdown has them: a header, a line of dashes, rows up to the next line without `|`. */
export function markdownTables(text: string): string[] {
  if (!text.includes('|') || !text.includes('-')) return [];
  const lines = text.split(/\r\n|\n|\r/);
  const tables: string[] = [];
  let fenced: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const mark = fence.exec(line)?.[1];
    if (mark !== undefined && (fenced === undefined || fenced === mark))
      fenced = fenced === undefined ? mark : undefined;
    const next = lines[at + 1] ?? '';
    if (fenced !== undefined || !line.includes('|') || !/^[\s|:-]+$/.test(next)) continue;
    const header = cellsOf(line);
    const dashes = cellsOf(next);
    if (header.length !== dashes.length || !dashes.every((cell) => /^:?-+:?$/.test(cell))) continue;
    const rows = [header];
    for (at += 2; at < lines.length && (lines[at] ?? '').includes('|'); at++) rows.push(cellsOf(lines[at] ?? ''));
    at--;
    if (hasContent(rows)) tables.push(tableMarkdown(rows));
  }
  return tables;
}

/** Cells of a row; `\|` is no border. */
function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());
  if (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells;
}
