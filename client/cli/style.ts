import { stripVTControlCharacters } from 'node:util';
import { type Io, isLive, type Output } from './io.js';

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export type Style = Record<keyof typeof codes, (text: string) => string>;

/** Colours for an output; on one that is no terminal, or with NO_COLOR, texts stay as they are. */
export function styleOf(io: Pick<Io, 'env'>, output: Output): Style {
  const live = isLive(io, output);
  const paint = (code: number) => (text: string) => (live ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
  };
}

/** Text of a server, without the control characters that would reach the terminal. */
export function plain(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}

/** Lines with columns of equal width, two blanks apart. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, width(cell))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell + ' '.repeat((widths[i] ?? 0) - width(cell))))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

/** Characters that a cell takes; colours take none. */
function width(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

/** For example `3.4 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ''}`;
}
