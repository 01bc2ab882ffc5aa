import { sha256 } from './bundle.js';

/** The part of ours in a file that others write into as well. */
export type Block =
  | { readonly kind: 'none' }
  /** A marker is missing or there is one too many: nobody knows what is ours. */
  | { readonly kind: 'broken' }
  | {
      readonly kind: 'one';
      readonly start: number;
      readonly end: number;
      readonly body: string;
      readonly intact: boolean;
    };

const begin = /^(?:<!-- |# )millrace:begin(?: ([0-9a-f]{12}))?\b.*$/gm;
const end = /^(?:<!-- |# )millrace:end\b.*$/gm;

/** Finds the part between the markers. It is intact when nobody changed it since it was written. */
export function findBlock(text: string): Block {
  const [begins, ends] = [[...text.matchAll(begin)], [...text.matchAll(end)]];
  const [first, last] = [begins[0], ends[0]];
  if (first === undefined && last === undefined) return { kind: 'none' };
  if (first === undefined || last === undefined || begins.length + ends.length > 2 || last.index < first.index) {
    return { kind: 'broken' };
  }
  const body = lineFeeds(text.slice(first.index + first[0].length, last.index)).replace(/^\n/, '');
  const intact = first[1] === markOf(body);
  return { kind: 'one', start: first.index, end: last.index + last[0].replace(/\r$/, '').length, body, intact };
}

/** The text with `body` as our part of it, in place of the one that is there or behind everything else. */
export function putBlock(text: string, body: string, target: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const written = render(body, target).replaceAll('\n', eol);
  const found = findBlock(text);
  if (found.kind === 'one') return text.slice(0, found.start) + written + text.slice(found.end);
  const gap = text === '' ? '' : /\n$/.test(text) ? eol : eol + eol;
  return `${text}${gap}${written}${eol}`;
}

/** The text without our part. */
export function withoutBlock(text: string): string {
  const found = findBlock(text);
  if (found.kind !== 'one') return text;
  return text.slice(0, found.start).replace(/(\r?\n)\r?\n$/, '$1') + text.slice(found.end).replace(/^\r?\n/, '');
}

export function lineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function render(body: string, target: string): string {
  const [open, close] = target.endsWith('.md') ? ['<!-- ', ' -->'] : ['# ', ''];
  const note = 'written by `millrace init`; your own words go outside';
  return `${open}millrace:begin ${markOf(body)} ${note}${close}\n${body}${open}millrace:end${close}`;
}

function markOf(body: string): string {
  return sha256(body).slice(0, 12);
}
