import type { Archive } from '../archive.js';
import { type Extraction, type Wanted, emptyExtraction } from '../extraction.js';
import { walkXml } from '../markup.js';
import { tableMarkdown } from '../tables.js';
import { documentProperties, mainPart, mediaBelow, relationships } from './office.js';
import { type NumberFormat, formatNumber, numberFormat } from './numberFormat.js';

interface Workbook {
  strings: readonly string[];
  /** By index of the cell style. */
  formats: readonly NumberFormat[];
  date1904: boolean;
}

/** Every sheet as a table; the text has the sheet's name above its rows. */
export function extractXlsx(archive: Archive, wanted: Wanted): Extraction {
  const main = mainPart(archive, 'xl/workbook.xml');
  const related = relationships(archive, main);
  const partOf = (kind: string) => [...related.values()].find((target) => target.kind === kind)?.part ?? '';
  const sheets: { name: string; part: string }[] = [];
  let date1904 = false;
  walkXml(archive.readText(main), {
    start(name, attributes) {
      if (name === 'workbookPr') date1904 = isTrue(attributes.date1904);
      const target = name === 'sheet' ? related.get(attributes['r:id'] ?? '') : undefined;
      if (target?.kind === 'worksheet') sheets.push({ name: attributes.name ?? '', part: target.part });
    },
    end() {},
    text() {},
  });
  const workbook: Workbook = {
    strings: readStrings(archive.readText(partOf('sharedStrings'))),
    formats: readFormats(archive.readText(partOf('styles'))),
    date1904,
  };
  const extraction = emptyExtraction({
    ...documentProperties(archive, 'docProps/core.xml'),
    sheets: sheets.map((sheet) => sheet.name),
  });
  const texts: string[] = [];
  for (const sheet of sheets) {
    const rows = denseRows(readSheet(archive.readText(sheet.part), workbook));
    if (wanted.text) texts.push([sheet.name, ...rows.map((row) => row.join('\t'))].join('\n'));
    if (wanted.table && rows.length > 0) extraction.tables.push(tableMarkdown(rows));
  }
  extraction.text = texts.join('\n\n');
  extraction.media = mediaBelow(archive, 'xl/media/', wanted);
  return extraction;
}

function readStrings(xml: string): string[] {
  const strings: string[] = [];
  let text = '';
  let inText = false;
  let phonetic = 0;
  walkXml(xml, {
    start(name) {
      if (name === 'si') text = '';
      else if (name === 't') inText = true;
      else if (name === 'rPh') phonetic++;
    },
    end(name) {
      if (name === 'si') strings.push(text);
      else if (name === 't') inText = false;
      else if (name === 'rPh') phonetic--;
    },
    text(piece) {
      if (inText && phonetic === 0) text += piece;
    },
  });
  return strings;
}

function readFormats(xml: string): NumberFormat[] {
  const codes = new Map<number, string>();
  const formats: NumberFormat[] = [];
  let inCellFormats = false;
  walkXml(xml, {
    start(name, attributes) {
      if (name === 'numFmt') codes.set(Number(attributes.numFmtId), attributes.formatCode ?? '');
      else if (name === 'cellXfs') inCellFormats = true;
      else if (name === 'xf' && inCellFormats) {
        const id = Number(attributes.numFmtId ?? 0);
        formats.push(numberFormat(id, codes.get(id)));
      }
    },
    end(name) {
      if (name === 'cellXfs') inCellFormats = false;
    },
    text() {},
  });
  return formats;
}

/** The filled cells of each row, by column. */
function readSheet(xml: string, workbook: Workbook): Map<number, string>[] {
  const rows: Map<number, string>[] = [];
  let row = new Map<number, string>();
  let column = -1;
  let type = '';
  let style = 0;
  let value = '';
  let inValue = false;
  walkXml(xml, {
    start(name, attributes) {
      if (name === 'row') {
        row = new Map();
        column = -1;
      } else if (name === 'c') {
        column = columnOf(attributes.r) ?? column + 1;
        type = attributes.t ?? 'n';
        style = Number(attributes.s ?? 0);
        value = '';
      } else if (name === 'v' || name === 't') {
        inValue = true;
      }
    },
    end(name) {
      if (name === 'v' || name === 't') inValue = false;
      else if (name === 'c') {
        const text = cellText(value, type, style, workbook);
        if (text !== '') row.set(column, text);
      } else if (name === 'row' && row.size > 0) {
        rows.push(row);
      }
    },
    text(piece) {
      if (inValue) value += piece;
    },
  });
  return rows;
}

function cellText(value: string, type: string, style: number, workbook: Workbook): string {
  if (value === '') return '';
  switch (type) {
    case 's':
      return workbook.strings[Number(value)] ?? '';
    case 'b':
      return isTrue(value) ? 'true' : 'false';
    case 'n':
      return formatNumber(Number(value), workbook.formats[style] ?? 'number', workbook.date1904) ?? value;
    default:
      return value;
  }
}

/** Rows without the columns that are empty throughout, so that one cell far out does not widen every row. */
function denseRows(rows: readonly Map<number, string>[]): string[][] {
  const used = new Set<number>();
  for (const row of rows) for (const column of row.keys()) used.add(column);
  const columns = [...used].sort((a, b) => a - b);
  return rows.map((row) => {
    const last = Math.max(...row.keys());
    const cells: string[] = [];
    for (const column of columns) {
      if (column > last) break;
      cells.push(row.get(column) ?? '');
    }
    return cells;
  });
}

/** 0 for `A7`, 26 for `AA7`. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
