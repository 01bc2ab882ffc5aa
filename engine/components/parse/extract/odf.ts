import type { Archive } from '../archive.js';
import { type Extraction, UnreadableError, type Wanted, emptyExtraction } from '../extraction.js';
import { Flow } from '../flow.js';
import { walkXml } from '../markup.js';
import { documentProperties, mediaBelow } from './office.js';

// A repeated cell is written once in the file; a hostile file may repeat without end.
const mostCopies = 1000;
const mostCells = 1_000_000;
const mostGap = 64;

/** Text documents, spreadsheets and presentations of the OpenDocument family. */
export function extractOdf(archive: Archive, mimeType: string, wanted: Wanted): Extraction {
  if (archive.readText('META-INF/manifest.xml').includes('encryption-data')) {
    throw new UnreadableError('is password-protected', { encrypted: true });
  }
  const flow = new Flow();
  if (mimeType.endsWith('.text')) walkOdf(archive.readText('styles.xml'), flow, 'master-styles');
  flow.break(2);
  walkOdf(archive.readText('content.xml'), flow, 'body');
  return {
    ...emptyExtraction(documentProperties(archive, 'meta.xml')),
    ...flow.finish(),
    media: mediaBelow(archive, 'Pictures/', wanted),
  };
}

const skipped: ReadonlySet<string> = new Set(['tracked-changes', 'forms', 'annotation']);

interface Repeated {
  copies: number;
  hasText: boolean;
}

function walkOdf(xml: string, flow: Flow, root: 'body' | 'master-styles'): void {
  let inRoot = false;
  let paragraphs = 0;
  let skip = 0;
  let written = 0;
  const cells: Repeated[] = [];
  const rows: Repeated[] = [];
  const text = (value: string) => {
    for (const open of [cells.at(-1), rows.at(-1)]) if (open) open.hasText = true;
    flow.text(value);
  };
  /** What is repeated empty fills up the sheet; it is cut off at the end of the table. */
  const copiesOf = (open: Repeated | undefined) => {
    const copies = open?.hasText === true && written < mostCells ? open.copies : 1;
    written += copies;
    return copies;
  };
  walkXml(xml, {
    start(name, attributes) {
      if (!inRoot) {
        inRoot = name === root;
        return;
      }
      if (skip > 0 || skipped.has(name)) {
        skip++;
        return;
      }
      switch (name) {
        case 'h':
          flow.break(2);
          paragraphs++;
          break;
        case 'p':
          paragraphs++;
          break;
        case 's':
          text(' '.repeat(repeat(attributes['text:c'])));
          break;
        case 'tab':
          text('\t');
          break;
        case 'line-break':
          flow.break(1);
          break;
        case 'page':
          flow.break(2);
          break;
        case 'table':
          flow.startTable();
          break;
        case 'table-row':
          rows.push({ copies: repeat(attributes['table:number-rows-repeated']), hasText: false });
          flow.startRow();
          break;
        case 'table-cell':
        case 'covered-table-cell':
          cells.push({ copies: repeat(attributes['table:number-columns-repeated']), hasText: false });
          flow.startCell();
          break;
      }
    },
    end(name) {
      if (!inRoot) return;
      if (skip > 0) {
        skip--;
        return;
      }
      switch (name) {
        case root:
          inRoot = false;
          break;
        case 'h':
        case 'p':
          paragraphs--;
          flow.break(1);
          break;
        case 'table-cell':
        case 'covered-table-cell': {
          const cell = cells.pop();
          // Empty cells between others keep the columns in line; a long run of them is the rest of the sheet.
          const gap = cell && !cell.hasText && cell.copies <= mostGap ? cell.copies : undefined;
          flow.endCell(1, gap ?? copiesOf(cell));
          break;
        }
        case 'table-row':
          flow.endRow(copiesOf(rows.pop()));
          break;
        case 'table':
          flow.endTable({ trim: true });
          break;
      }
    },
    text(value) {
      if (inRoot && skip === 0 && paragraphs > 0) text(value);
    },
  });
}

function repeat(times: string | undefined): number {
  return Math.min(Math.max(Number(times) || 1, 1), mostCopies);
}
