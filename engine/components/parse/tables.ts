/**
 * One table as the `table` lane carries it: a line per row, cells wrapped in `|`, no separator line. Short rows are
 * filled up. Inside cells newlines and quotes become spaces, `|` becomes `-`, empty becomes `-`.
 */
export function tableMarkdown(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  let table = '';
  for (const row of rows) {
    if (table !== '') table += '\n';
    for (let column = 0; column < width; column++) table += '|' + cellText(row[column] ?? '');
    table += '|';
  }
  return table;
}

function cellText(cell: string): string {
  const text = cell.trim();
  if (text === '') return '-';
  if (!/[\r\n"|]/.test(text)) return text;
  return text.replace(/\r\n|[\r\n"]/g, ' ').replace(/\|/g, '-');
}

/** Whether there is anything in the table that is worth emitting. */
export function hasContent(rows: readonly (readonly string[])[]): boolean {
  return rows.some((row) => row.some((cell) => cell.trim() !== ''));
}
