const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const twoDigits = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** `1,204`, from a million on `1.2M`. */
export function formatCount(count: number): string {
  return (Math.abs(count) >= 1_000_000 ? compact : whole).format(Math.round(count));
}

/** `0.4`, `12.5`, `1,204`. */
export function formatRate(rate: number): string {
  return rate >= 100 ? formatCount(rate) : oneDigit.format(rate);
}

/** `3 objects`, `1 object`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'];

/** `512 B`, `48.2 MB`. */
export function formatSize(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1000 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? whole.format(Math.round(value)) : oneDigit.format(value);
  return `${digits} ${byteUnits[unit] ?? ''}`;
}

/** `412 MB`, `1.2 GB` of megabytes. */
export function formatMegabytes(megabytes: number): string {
  return formatSize(megabytes * 1_000_000);
}

export function formatPercent(percent: number): string {
  return `${percent > 0 && percent < 10 ? oneDigit.format(percent) : whole.format(Math.round(percent))}%`;
}

/** `0 ms`, `840 µs`, `12 ms`, `1.25 s`, `2 min 05 s`, `1 h 03 min`, `2 d 4 h`. */
export function formatDuration(seconds: number): string {
  const value = Math.max(0, seconds);
  if (value === 0) return '0 ms';
  if (value < 0.001) return `${whole.format(Math.max(1, Math.round(value * 1e6)))} µs`;
  if (value < 0.9995) return `${value < 0.01 ? oneDigit.format(value * 1e3) : whole.format(value * 1e3)} ms`;
  if (value < 59.95) return `${value < 10 ? twoDigits.format(value) : oneDigit.format(value)} s`;
  const total = Math.round(value);
  const [minutes, hours, days] = [Math.floor(total / 60), Math.floor(total / 3600), Math.floor(total / 86_400)];
  if (hours === 0) return `${minutes} min ${pad(total % 60)} s`;
  if (days === 0) return `${hours} h ${pad(minutes % 60)} min`;
  return `${days} d ${hours % 24} h`;
}

/** Whole seconds, for what counts up once a second. */
export function formatUptime(seconds: number): string {
  const value = Math.max(0, Math.floor(seconds));
  return value < 60 ? `${value} s` : formatDuration(value);
}

/** `14:03:27` in local time. */
export function formatClock(unixSeconds: number): string {
  const time = new Date(unixSeconds * 1000);
  return `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}`;
}

/** A share of 1 as a width of a bar that can always be seen when it is not nothing. */
export function barWidth(share: number): string {
  if (!(share > 0)) return '0%';
  return `${Math.max(0.5, Math.min(1, share) * 100).toFixed(2)}%`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
