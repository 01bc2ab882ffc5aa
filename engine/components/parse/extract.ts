import { cleanText } from './cleanText.js';
import type { Detected } from './detect.js';
import { type Extraction, type Source, UnreadableError, type Wanted, emptyExtraction } from './extraction.js';
import { errorText } from '../../../protocol/errors.js';

/** A document of known type, and what of it is wanted. Can be posted to a thread. */
export interface Job {
  source: Source;
  detected: Detected;
  wanted: Wanted;
}

/**
 * Reads a document. Never throws: what stands in the way is a warning. The bytes of the source may be gone
 * afterwards. Each reader is loaded when first needed.
 */
export async function extract({ source, detected, wanted }: Job): Promise<Extraction> {
  let extraction: Extraction;
  try {
    extraction = await read(source, detected, wanted);
  } catch (error) {
    if (!(error instanceof UnreadableError)) {
      extraction = { ...emptyExtraction(), warnings: [`cannot be read (${errorText(error)})`] };
    } else {
      extraction = { ...emptyExtraction(error.metadata), warnings: [error.message] };
    }
  }
  extraction.metadata.contentType ??= detected.mimeType;
  extraction.text = wanted.text ? cleanText(extraction.text) : '';
  extraction.tables = wanted.table ? extraction.tables.map(cleanText) : [];
  return extraction;
}

async function read(source: Source, { kind, mimeType }: Detected, wanted: Wanted): Promise<Extraction> {
  switch (kind) {
    case 'pdf':
      return (await import('./extract/pdf.js')).extractPdf(source, wanted);
    case 'zip':
      return (await import('./extract/zip.js')).extractZip(source, wanted);
    case 'ole':
      return (await import('./extract/ole.js')).refuseOle(source);
    case 'html':
      return (await import('./extract/html.js')).extractHtml(source);
    case 'xml':
      return (await import('./extract/xml.js')).extractXml(source);
    case 'eml':
      return (await import('./extract/eml.js')).extractEml(source);
    case 'csv':
      return (await import('./extract/csv.js')).extractCsv(source, wanted);
    case 'text':
      return (await import('./extract/text.js')).extractText(source, wanted);
    case 'media':
    case 'unsupported':
      throw new UnreadableError(`is of type ${mimeType}, which is not supported`);
  }
}
