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
    const extraction = emptyExtraction(await documentMetadata(pdf));
    const images = new Set<string>();
    const texts: string[] = [];
    let damaged = 0;
    for (let number = 1; number <= pdf.numPages; number++) {
      try {
        const page = await pdf.getPage(number);
        const { text, marked } = await pageContent(page);
        texts.push(text);
        if (wanted.table) extraction.tables.push(...(await pageTables(page, marked)));
        if (wanted.media) extraction.media.push(...(await pageImages(pdf, number, images)));
        page.cleanup();
      } catch {
        damaged++;
      }
    }
    extraction.text = texts.filter((text) => text !== '').join('\n\n');
    extraction.embedded = await attachments(pdf);
    if (damaged > 0) extraction.warnings.push(`${damaged} of ${pdf.numPages} pages are damaged`);
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

/** The pictures painted on a page, each once per document, as PNG. */
async function pageImages(pdf: PDFDocumentProxy, number: number, seen: Set<string>): Promise<EmbeddedFile[]> {
  const { extractImages } = await import('unpdf');
  const images: EmbeddedFile[] = [];
  for (const image of await extractImages(pdf, number).catch(() => [])) {
    const { key, data, width, height, channels } = image;
    if (seen.has(key) || width * height > mostPixels) continue;
    seen.add(key);
    const bytes = await encodePng({ data, width, height, channels });
    images.push({ name: `page-${number}-${key}.png`, mimeType: 'image/png', bytes });
  }
  return images;
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
