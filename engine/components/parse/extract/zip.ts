import { Archive } from '../archive.js';
import { type Extraction, type Source, UnreadableError, type Wanted } from '../extraction.js';
import { extractArchive } from './archive.js';
import { extractDocx } from './docx.js';
import { extractOdf } from './odf.js';
import { extractPptx } from './pptx.js';
import { extractXlsx } from './xlsx.js';

const ooxml = 'application/vnd.openxmlformats-officedocument';

interface Reader {
  mimeType: string;
  extract: () => Extraction;
}

/** An office document or a plain archive, by what is inside. */
export async function extractZip(source: Source, wanted: Wanted): Promise<Extraction> {
  const archive = await Archive.open(source.bytes);
  const reader = officeReader(archive, wanted);
  if (!reader) return extractArchive(archive);
  try {
    const extraction = reader.extract();
    extraction.metadata.contentType = reader.mimeType;
    return extraction;
  } catch (error) {
    throw asDocumentError(error);
  }
}

function officeReader(archive: Archive, wanted: Wanted): Reader | undefined {
  const types = textOf(archive, '[Content_Types].xml');
  if (types.includes('wordprocessingml')) {
    return { mimeType: `${ooxml}.wordprocessingml.document`, extract: () => extractDocx(archive, wanted) };
  }
  if (types.includes('presentationml')) {
    return { mimeType: `${ooxml}.presentationml.presentation`, extract: () => extractPptx(archive, wanted) };
  }
  if (types.includes('spreadsheetml')) {
    return { mimeType: `${ooxml}.spreadsheetml.sheet`, extract: () => extractXlsx(archive, wanted) };
  }
  const mimeType = textOf(archive, 'mimetype').trim();
  if (!mimeType.startsWith('application/vnd.oasis.opendocument.')) return undefined;
  return { mimeType, extract: () => extractOdf(archive, mimeType, wanted) };
}

/** A damaged entry of this name says nothing about the type. */
function textOf(archive: Archive, name: string): string {
  try {
    return archive.readText(name);
  } catch {
    return '';
  }
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
