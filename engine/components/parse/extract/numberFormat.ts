/** How the number of a cell is meant. */
export type NumberFormat = 'number' | 'percent' | 'date' | 'time' | 'dateTime';

const builtIn: Readonly<Record<number, NumberFormat>> = {
  9: 'percent',
  10: 'percent',
  14: 'date',
  15: 'date',
  16: 'date',
  17: 'date',
  18: 'time',
  19: 'time',
  20: 'time',
  21: 'time',
  22: 'dateTime',
  45: 'time',
  46: 'time',
  47: 'time',
};

/** Decides from the id of a built-in format or the code of one's own, such as `yyyy-mm-dd` or `0.00%`. */
export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return builtIn[id] ?? (isLocalDate(id) ? 'date' : 'number');
  // Literals, escaped characters, colours and conditions say nothing about the kind; `[h]` does.
  const bare = code
    .toLowerCase()
    .replace(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/g, '')
    .replace(/general/g, '');
  if (bare.includes('%')) return 'percent';
  const date = /[yd]|mmm/.test(bare);
  const time = /[hs]/.test(bare);
  if (date) return time ? 'dateTime' : 'date';
  return time ? 'time' : 'number';
}

/** The number as text; dates in ISO 8601. Undefined if it is not a number. */
export function formatNumber(value: number, format: NumberFormat, date1904: boolean): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (format === 'number') return trimmed(value);
  if (format === 'percent') return `${trimmed(value * 100)}%`;
  // Day 60 of the 1900 system is a leap day that never was; days before it count one more.
  const days = date1904 ? value + 1462 : value < 60 ? value + 1 : value;
  const date = new Date(Math.round((days - 25_569) * 86_400) * 1000);
  if (value < 0 || Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999) return trimmed(value);
  const [day = '', clock = ''] = date.toISOString().split('T');
  const time = clock.slice(0, 8);
  if (format === 'time') return value < 1 ? time : `${day} ${time}`;
  return format === 'date' && time === '00:00:00' ? day : `${day} ${time}`;
}

/** Without the noise of binary fractions: 15 digits, as spreadsheets have. */
function trimmed(value: number): string {
  return String(Number(value.toPrecision(15)));
}

function isLocalDate(id: number): boolean {
  return (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
}
