import { Archive } from '../archive.js';
import { type Extraction, type Source, UnreadableError, type Wanted } from '../extraction.js';
import { extractArchive } from './archive.js';
import { extractDocx } from './docx.js';
import { extractOdf } from './odf.js';
import { extractPptx } from './pptx.js';
import { extractXlsx } from './xlsx.js';

const ooxml = 'application/vnd.openxmlformats-officedocument';

/** An office document or a plain archive, by what is inside. */
export async function extractZip(source: Source, wanted: Wanted): Promise<Extraction> {
  const archive = await Archive.open(source.bytes);
  const { mimeType, extract } = await readerOf(archive, wanted);
  const extraction = await extract().catch((error: unknown) => {
    if (error instanceof UnreadableError && mimeType === 'application/zip') throw error;
    throw asDocumentError(error);
  });
  extraction.metadata.contentType = mimeType;
  return extraction;
}

async function readerOf(
  archive: Archive,
  wanted: Wanted,
): Promise<{ mimeType: string; extract: () => Promise<Extraction> }> {
  if (archive.has('[Content_Types].xml')) {
    const types = await archive.readText('[Content_Types].xml').catch(() => '');
    if (types.includes('wordprocessingml')) {
      return { mimeType: `${ooxml}.wordprocessingml.document`, extract: () => extractDocx(archive, wanted) };
    }
    if (types.includes('presentationml')) {
      return { mimeType: `${ooxml}.presentationml.presentation`, extract: () => extractPptx(archive, wanted) };
    }
    if (types.includes('spreadsheetml')) {
      return { mimeType: `${ooxml}.spreadsheetml.sheet`, extract: () => extractXlsx(archive, wanted) };
    }
  }
  if (archive.has('mimetype')) {
    const mimeType = (await archive.readText('mimetype').catch(() => '')).trim();
    if (mimeType.startsWith('application/vnd.oasis.opendocument.')) {
      return { mimeType, extract: () => extractOdf(archive, mimeType, wanted) };
    }
  }
  return { mimeType: 'application/zip', extract: () => extractArchive(archive) };
}

/** Inside a document the name of the part that failed means nothing to its sender. */
function asDocumentError(error: unknown): unknown {
  if (!(error instanceof UnreadableError)) return error;
  if (error.message.includes('password-protected')) {
    return new UnreadableError('is password-protected', { encrypted: true }, { cause: error });
  }
  return error.message.endsWith('damaged')
    ? new UnreadableError(`is damaged (${error.message})`, error.metadata, { cause: error })
    : error;
}
