import { byteOrderMark, zeroByteCharset } from './charset.js';
import { delimiterOf } from './extract/csv.js';
import { bareType, extensionOf } from './mimeType.js';

/** How a document is read. `zip` covers the office formats too; its reader looks inside. */
export type Kind = 'pdf' | 'zip' | 'ole' | 'html' | 'xml' | 'eml' | 'csv' | 'text' | 'media' | 'unsupported';

export interface Detected {
  kind: Kind;
  mimeType: string;
}

const sampleSize = 65_536;

/**
 * The type of a document by what it contains. The name and the sender's MIME type only choose between formats that
 * are all readable text, such as Markdown and CSV.
 */
export async function detectType(bytes: Uint8Array, name: string, mimeType: string): Promise<Detected> {
  const head = latin1(bytes.subarray(0, 1024));
  if (head.includes('%PDF-')) return { kind: 'pdf', mimeType: 'application/pdf' };
  if (head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06'))
    return { kind: 'zip', mimeType: 'application/zip' };
  if (head.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return { kind: 'ole', mimeType: 'application/x-cfb' };
  const sample = textSample(bytes);
  if (sample?.certain) return textType(sample.text, name, bareType(mimeType));
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  if (found && /^(?:image|audio|video)\//.test(found.mime)) return { kind: 'media', mimeType: found.mime };
  if (!found && sample) return textType(sample.text, name, bareType(mimeType));
  return { kind: 'unsupported', mimeType: found?.mime ?? 'application/octet-stream' };
}

interface TextSample {
  text: string;
  /** False for one of the many encodings that any bytes would fit. */
  certain: boolean;
}

/** The first part of the document as text; undefined if it cannot be text. */
function textSample(bytes: Uint8Array): TextSample | undefined {
  const head = bytes.subarray(0, sampleSize);
  const charset = byteOrderMark(head) ?? zeroByteCharset(head);
  if (charset?.startsWith('utf-16')) return { text: new TextDecoder(charset).decode(head), certain: true };
  if (charset?.startsWith('utf-32')) return { text: latin1(head).replaceAll('\0', ''), certain: true };
  let control = 0;
  for (const byte of head) {
    if (byte === 0) return undefined;
    if (byte < 32 && !(byte >= 7 && byte <= 13) && byte !== 27) control++;
  }
  // Compressed or encrypted bytes have far more control characters than any text.
  if (control > head.length / 50) return undefined;
  const text = latin1(head);
  return { text: charset === undefined ? text : text.slice(3), certain: isValidUtf8(head) };
}

function isValidUtf8(head: Uint8Array): boolean {
  try {
    // A sample may end in the middle of a character, which `stream` allows.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

const markdownNames: ReadonlySet<string> = new Set(['md', 'markdown', 'mdown']);
const csvTypes: ReadonlySet<string> = new Set(['text/csv', 'text/tab-separated-values', 'application/csv']);

function textType(sample: string, name: string, mimeType: string): Detected {
  const start = sample.slice(0, 4096).trimStart();
  const extension = extensionOf(name);
  if (start.startsWith('{\\rtf')) return { kind: 'unsupported', mimeType: 'application/rtf' };
  if (isMail(start)) return { kind: 'eml', mimeType: 'message/rfc822' };
  const root = withoutPrologue(start);
  if (/^<(?:!doctype\s+html|html[\s>])/i.test(root)) return { kind: 'html', mimeType: 'text/html' };
  if (/^<svg[\s>]/i.test(root)) return { kind: 'media', mimeType: 'image/svg+xml' };
  if (start.startsWith('<?xml')) return { kind: 'xml', mimeType: 'application/xml' };
  if (/^<(?:head|body|div|p|table|h[1-6]|ul|ol|span|section|article|main|!--)[\s>]/i.test(start)) {
    return { kind: 'html', mimeType: 'text/html' };
  }
  if (/^[{[]/.test(start) && isJsonStart(start)) return { kind: 'text', mimeType: 'application/json' };
  if (markdownNames.has(extension) || mimeType === 'text/markdown') return { kind: 'text', mimeType: 'text/markdown' };
  if (extension === 'csv' || extension === 'tsv' || csvTypes.has(mimeType))
    return { kind: 'csv', mimeType: 'text/csv' };
  if (extension === 'txt' || extension === 'log') return { kind: 'text', mimeType: 'text/plain' };
  if (/^#{1,6} \S/m.test(start) && /^(?:#{2,6} \S|[-*] \S|```|\|.*\|\s*$)/m.test(start)) {
    return { kind: 'text', mimeType: 'text/markdown' };
  }
  if (isCsv(sample)) return { kind: 'csv', mimeType: 'text/csv' };
  return { kind: 'text', mimeType: 'text/plain' };
}

/** What follows the declaration, comments and foreign document types at the start of markup. */
function withoutPrologue(start: string): string {
  let rest = start;
  for (;;) {
    const end = rest.startsWith('<?')
      ? '?>'
      : rest.startsWith('<!--')
        ? '-->'
        : /^<!doctype\s+svg/i.test(rest)
          ? '>'
          : '';
    const at = end === '' ? -1 : rest.indexOf(end);
    if (at < 0) return rest;
    rest = rest.slice(at + end.length).trimStart();
  }
}

/** Header lines from the first line on, two of them of the kind that every mail has. */
function isMail(start: string): boolean {
  const header = start.replace(/^From [^\r\n]*\r?\n/, '').split(/\r?\n\r?\n/, 1)[0] ?? '';
  const lines = header.split(/\r?\n/);
  const complete = lines.length > 1 && start.length > header.length ? lines : lines.slice(0, -1);
  if (!complete.every((line) => /^(?:[\w-]+:|[ \t])/.test(line))) return false;
  const known = /^(?:from|to|cc|subject|date|received|return-path|message-id|mime-version|delivered-to|reply-to)\s*:/i;
  return lines.filter((line) => known.test(line)).length >= 2;
}

function isJsonStart(start: string): boolean {
  return /^(?:\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})|\[\s*(?:[[{"\]\d-]|true|false|null))/.test(start);
}

/** Prose has commas too: only several lines with the same number of cells, without spaces after commas, count. */
function isCsv(sample: string): boolean {
  const delimiter = delimiterOf(sample, 3);
  if (delimiter === undefined) return false;
  if (delimiter !== ',') return delimiter !== '|';
  const commas = sample.slice(0, 4096).replace(/"(?:[^"]|"")*"/g, '');
  return (commas.match(/, /g)?.length ?? 0) < (commas.match(/,/g)?.length ?? 0) / 2;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
