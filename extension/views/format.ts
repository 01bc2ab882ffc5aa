import { stripVTControlCharacters } from 'node:util';
import type { Uri } from 'vscode';
import { clip } from '../../pipeline/values.js';

/** For example `12,345`. */
export function countText(count: number): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** For example `1 error` or `2 errors`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** For example `3.4 MB`, in steps of a thousand. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  // What would be rounded to 1000.0 belongs to the next unit.
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** Objects per second, for example `0.4/s` or `1,250/s`. */
export function rateText(perSecond: number): string {
  const text = perSecond > 0 && perSecond < 10 ? String(Math.round(perSecond * 10) / 10) : countText(perSecond);
  return `${text}/s`;
}

/** The two largest units that count, for example `42 s`, `3 min 5 s` or `2 d 4 h`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  if (first < 0) return '0 s';
  const shown = parts.slice(first, first + 2).filter(([value]) => value > 0);
  return shown.map(([value, unit]) => `${value} ${unit}`).join(' ');
}

/** Where a file is, as the system of the workspace writes it. */
export function pathText({ scheme, fsPath, path }: Pick<Uri, 'scheme' | 'fsPath' | 'path'>): string {
  return scheme === 'file' ? fsPath : path;
}

/** Text of a server on one line: without escape sequences and what would reorder the text around it. */
export function lineText(text: string, max = 200): string {
  // Far more than is shown is cut before it is looked at.
  const plain = stripVTControlCharacters(text.slice(0, max * 10)).replace(/[\s\p{Cc}]+/gu, ' ');
  return clip(plain.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').trim(), max);
}

/** Text of a server inside Markdown, shown as it is. */
export function markdownText(text: string, max = 500): string {
  return lineText(text, max)
    .replace(/[\\`*_{}[\]()#+\-.!|~$>]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');
}
