import { decodeText } from '../charset.js';
import { type Extraction, type Source, UnreadableError, type Wanted, emptyExtraction } from '../extraction.js';
import { declaredCharset } from '../mimeType.js';
import { hasContent, tableMarkdown } from '../tables.js';

const delimiters = [',', ';', '\t', '|'] as const;

/** One table; the text has its cells separated by tabs. */
export async function extractCsv(source: Source, wanted: Wanted): Promise<Extraction> {
  const { text, charset } = await decodeText(source.bytes, declaredCharset(source.mimeType));
  const { parse } = await import('csv-parse/sync');
  const delimiter = delimiterOf(text.slice(0, 65_536)) ?? ',';
  let rows: string[][];
  try {
    rows = parse(text, {
      delimiter,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    throw new UnreadableError('is not valid CSV', {}, { cause: error });
  }
  return {
    ...emptyExtraction({ charset }),
    text: wanted.text ? rows.map((row) => row.join('\t')).join('\n') : '',
    tables: wanted.table && hasContent(rows) ? [tableMarkdown(rows)] : [],
  };
}

/** The delimiter that gives every complete line of a sample the same number of cells, and more than one. */
export function delimiterOf(sample: string, fewestLines = 1): string | undefined {
  const lines = linesOf(sample);
  if (lines.length < fewestLines) return undefined;
  let best: { delimiter: string; score: number } | undefined;
  for (const delimiter of delimiters) {
    const counts = lines.map((line) => line.split(delimiter).length);
    const columns = counts[0] ?? 1;
    if (columns < 2) continue;
    const agreeing = counts.filter((count) => count === columns).length / counts.length;
    if (agreeing < 0.9 && fewestLines > 1) continue;
    const score = agreeing * 100 + columns;
    if (best === undefined || score > best.score) best = { delimiter, score };
  }
  return best?.delimiter;
}

/** Up to 50 lines with what stands in quotes taken out, so that only real delimiters are left. */
function linesOf(sample: string): string[] {
  const complete = sample.length < 65_536 ? sample : sample.slice(0, sample.lastIndexOf('\n'));
  return complete
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, 50);
}
