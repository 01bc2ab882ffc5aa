import { hasContent, tableMarkdown } from './tables.js';

interface OpenTable {
  rows: { cells: string[]; section: number }[];
  row: string[] | undefined;
  cell: string | undefined;
  section: number;
}

/**
 * Collects the text and the tables of a document that is walked from start to end. Breaks are remembered and written
 * only when more text follows, so that nothing begins or ends with blank lines. What stands in a table is written row
 * by row, cells separated by tabs.
 */
export class Flow {
  private out = '';
  private lineBreaks = 0;
  private space = false;
  private readonly open: OpenTable[] = [];
  private readonly done: string[] = [];

  /** Text as it stands. */
  text(text: string): void {
    if (text === '') return;
    const table = this.writable();
    if (table?.cell !== undefined) {
      table.cell = join(table.cell, text, this.lineBreaks > 0 || this.space);
      this.lineBreaks = 0;
      this.space = false;
      return;
    }
    if (this.out !== '' && this.lineBreaks > 0) this.out += '\n'.repeat(this.lineBreaks);
    else if (this.space) this.out += ' ';
    this.lineBreaks = 0;
    this.space = false;
    this.out += text;
  }

  /** Text in which any white space means one space, as in HTML. */
  inline(text: string): void {
    const collapsed = text.replace(/[ \t\r\n\f]+/g, ' ');
    if (collapsed === ' ') {
      this.space ||= !this.atLineStart();
      return;
    }
    const start = collapsed.startsWith(' ') ? 1 : 0;
    const end = collapsed.endsWith(' ') ? collapsed.length - 1 : collapsed.length;
    if (start === 1) this.space ||= !this.atLineStart();
    this.text(collapsed.slice(start, end));
    this.space = end < collapsed.length;
  }

  /** Ends the line; 2 leaves a blank line. */
  break(lines: 1 | 2 = 1): void {
    this.lineBreaks = Math.max(this.lineBreaks, lines);
    this.space = false;
  }

  startTable(): void {
    if (this.open.length === 0) this.break(1);
    this.open.push({ rows: [], row: undefined, cell: undefined, section: 1 });
    this.forgetBreaks();
  }

  /** 0 header, 1 body, 2 footer: the order in which the rows of the table are given. */
  section(section: number): void {
    const table = this.innermost();
    if (table) table.section = section;
  }

  startRow(): void {
    const table = this.innermost();
    if (!table) return;
    this.endRow();
    table.row = [];
  }

  startCell(): void {
    const table = this.innermost();
    if (!table) return;
    this.endCell();
    table.row ??= [];
    table.cell = '';
    this.forgetBreaks();
  }

  /** `span`: columns that the cell covers, `copies`: how many cells hold this same text. */
  endCell(span = 1, copies = 1): void {
    const table = this.innermost();
    if (table?.cell === undefined) return;
    for (let copy = 0; copy < copies; copy++) table.row?.push(table.cell);
    for (let extra = Math.min(span, 1000); extra > 1; extra--) table.row?.push('');
    table.cell = undefined;
    this.forgetBreaks();
  }

  endRow(copies = 1): void {
    const table = this.innermost();
    this.endCell();
    if (!table?.row) return;
    for (let copy = 0; copy < copies; copy++) table.rows.push({ cells: table.row, section: table.section });
    table.row = undefined;
  }

  /** `trim` cuts off empty rows and columns at the end, as spreadsheets have them. */
  endTable({ trim = false } = {}): void {
    if (this.open.length === 0) return;
    this.endRow();
    const table = this.open.pop();
    this.forgetBreaks();
    if (!table) return;
    const sections = [0, 1, 2].flatMap((section) => table.rows.filter((row) => row.section === section));
    const cells = sections.map((row) => row.cells);
    const rows = trim ? trimTable(cells) : cells;
    if (!hasContent(rows)) return;
    this.done.push(tableMarkdown(rows));
    if (this.open.length > 0) {
      this.break(1);
      this.text(rows.map((row) => row.filter((cell) => cell !== '').join(' ')).join(' '));
      this.break(1);
      return;
    }
    for (const row of rows) {
      this.break(1);
      this.text(row.join('\t'));
    }
    this.break(2);
  }

  finish(): { text: string; tables: string[] } {
    while (this.open.length > 0) this.endTable();
    return { text: this.out, tables: this.done };
  }

  private innermost(): OpenTable | undefined {
    return this.open[this.open.length - 1];
  }

  /** The innermost open cell takes the text; a caption, outside any cell, goes before its table. */
  private writable(): OpenTable | undefined {
    return this.open.findLast((table) => table.cell !== undefined);
  }

  private atLineStart(): boolean {
    return this.lineBreaks > 0 || (this.writable()?.cell ?? this.out) === '';
  }

  private forgetBreaks(): void {
    if (this.open.length === 0) return;
    this.lineBreaks = 0;
    this.space = false;
  }
}

function join(cell: string, text: string, space: boolean): string {
  return space && cell !== '' ? `${cell} ${text}` : cell + text;
}

function trimTable(rows: string[][]): string[][] {
  const isFilled = (cell: string) => cell.trim() !== '';
  const width = rows.reduce((widest, row) => Math.max(widest, row.findLastIndex(isFilled) + 1), 0);
  return rows.slice(0, rows.findLastIndex((row) => row.some(isFilled)) + 1).map((row) => row.slice(0, width));
}
