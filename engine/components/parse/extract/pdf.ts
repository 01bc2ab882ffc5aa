import type { PDFDocumentProxy } from 'unpdf/pdfjs';
import { errorText } from '../../../../protocol/errors.js';
import {
  type EmbeddedFile,
  type Extraction,
  type Source,
  UnreadableError,
  type Wanted,
  emptyExtraction,
} from '../extraction.js';
import { encodePng } from '../png.js';
import { pageContent, pageTables } from './pdfTables.js';

// Larger pictures are scans of whole pages at print resolution at most.
const mostPixels = 64 << 20;
const pageBatch = 16;

/** The pages' text, the tables of tagged documents, pictures and attached files. */
export async function extractPdf(source: Source, wanted: Wanted): Promise<Extraction> {
  const { getDocumentProxy } = await import('unpdf');
  let pdf: PDFDocumentProxy;
  try {
    pdf = await getDocumentProxy(source.bytes, { verbosity: 0 });
  } catch (error) {
    throw unreadable(error);
  }
  try {
    const [metadata, embedded, pages] = await Promise.all([
      documentMetadata(pdf),
      attachments(pdf),
      readPages(pdf, wanted),
    ]);
    const extraction: Extraction = {
      ...emptyExtraction(metadata),
      text: pages
        .map((page) => page?.text ?? '')
        .filter((text) => text !== '')
        .join('\n\n'),
      tables: pages.flatMap((page) => page?.tables ?? []),
      media: wanted.media ? await images(pdf) : [],
      embedded,
    };
    const damaged = pages.filter((page) => page === undefined).length;
    if (damaged > 0) extraction.warnings.push(`${damaged} of ${pages.length} pages are damaged`);
    else if (extraction.text === '') {
      extraction.warnings.push('has no text, probably scanned pages; connect its images to an OCR component');
    }
    return extraction;
  } catch (error) {
    throw unreadable(error);
  } finally {
    await pdf.destroy();
  }
}

function unreadable(error: unknown): UnreadableError {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') {
    return new UnreadableError('is password-protected', { encrypted: true }, { cause: error });
  }
  return new UnreadableError(`is damaged (${errorText(error)})`, {}, { cause: error });
}

async function documentMetadata(pdf: PDFDocumentProxy): Promise<Record<string, unknown>> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const values = info as Record<string, unknown>;
  const metadata: Record<string, unknown> = { pages: pdf.numPages };
  for (const [name, key] of [
    ['Title', 'title'],
    ['Author', 'author'],
    ['Subject', 'subject'],
    ['Keywords', 'keywords'],
    ['Language', 'language'],
  ] as const) {
    const value = values[name];
    if (typeof value === 'string' && value.trim() !== '') metadata[key] = value.trim();
  }
  for (const [name, key] of [
    ['CreationDate', 'created'],
    ['ModDate', 'modified'],
  ] as const) {
    const date = isoDate(values[name]);
    if (date !== undefined) metadata[key] = date;
  }
  if (typeof values.EncryptFilterName === 'string') metadata.encrypted = true;
  return metadata;
}

/** ISO 8601 of `D:20260417101500+02'00'`. */
function isoDate(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const parts = /^(?:D:)?(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?/.exec(value);
  if (!parts) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', utc, zoneHour, zoneMinute = '00'] = parts;
  const zone = utc ?? (zoneHour === undefined ? '' : `${zoneHour}:${zoneMinute}`);
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}

interface PageText {
  text: string;
  tables: string[];
}

/** Pages in their order, undefined where a page cannot be read; a few at a time, to hide the waiting inside pdf.js. */
async function readPages(pdf: PDFDocumentProxy, wanted: Wanted): Promise<(PageText | undefined)[]> {
  const pages: (PageText | undefined)[] = [];
  while (pages.length < pdf.numPages) {
    const batch = Math.min(pageBatch, pdf.numPages - pages.length);
    const numbers = Array.from({ length: batch }, (_, index) => pages.length + index + 1);
    pages.push(...(await Promise.all(numbers.map((number) => readPage(pdf, number, wanted)))));
    // What pdf.js keeps of the pages read so far is given back, or long documents would not fit.
    if (pages.length < pdf.numPages) await pdf.cleanup();
  }
  return pages;
}

async function readPage(pdf: PDFDocumentProxy, number: number, wanted: Wanted): Promise<PageText | undefined> {
  try {
    const page = await pdf.getPage(number);
    const { text, marked } = await pageContent(page);
    return { text, tables: wanted.table ? await pageTables(page, marked) : [] };
  } catch {
    return undefined;
  }
}

/** The pictures painted on the pages, each once, as PNG. */
async function images(pdf: PDFDocumentProxy): Promise<EmbeddedFile[]> {
  provideTransfer();
  const { extractImages } = await import('unpdf');
  const seen = new Set<string>();
  const found: EmbeddedFile[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    for (const { key, data, width, height, channels } of await extractImages(pdf, number).catch(() => [])) {
      if (seen.has(key) || width * height > mostPixels) continue;
      seen.add(key);
      const bytes = await encodePng({ data, width, height, channels });
      found.push({ name: `page-${number}-${key}.png`, mimeType: 'image/png', bytes });
    }
  }
  return found;
}

/** pdf.js compiles fonts with a method that Node 20 lacks, and without it finds no picture on a page with text. */
function provideTransfer(): void {
  const prototype = ArrayBuffer.prototype as { transferToFixedLength?: (length: number) => ArrayBuffer };
  prototype.transferToFixedLength ??= function (this: ArrayBuffer, length: number) {
    const copy = new Uint8Array(length);
    copy.set(new Uint8Array(this, 0, Math.min(length, this.byteLength)));
    return copy.buffer;
  };
}

async function attachments(pdf: PDFDocumentProxy): Promise<EmbeddedFile[]> {
  const attached = (await pdf.getAttachments().catch(() => null)) as Record<
    string,
    { filename: string; content: Uint8Array }
  > | null;
  return Object.values(attached ?? {}).map(({ filename, content }) => ({
    name: filename,
    mimeType: '',
    bytes: new Uint8Array(content),
  }));
}
