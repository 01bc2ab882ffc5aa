/**
 * The libraries that the parse component uses, called one document after the other in a plain loop. A POST of
 * `{ files, seconds, maxItems }` runs the loop and answers with documents per second.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { TextDecoder } from 'node:util';
import { performance } from 'node:perf_hooks';
import { inflateRawSync } from 'node:zlib';
import { detect } from 'chardet';
import { parse as parseCsv } from 'csv-parse/sync';
import { fileTypeFromBuffer } from 'file-type';
import { Parser } from 'htmlparser2';
import PostalMime from 'postal-mime';
import { getDocumentProxy } from 'unpdf';
import yauzl from 'yauzl';
import { listen } from './listen.mjs';

const text = (bytes) => new TextDecoder(detect(bytes) ?? 'utf-8').decode(bytes);

/** The parts of office documents that hold their text. */
const content =
  /^(word\/(document|header\d*|footer\d*|footnotes|endnotes|comments)|xl\/(sharedStrings|workbook|styles|worksheets\/[^/]+)|ppt\/slides\/[^/]+|ppt\/notesSlides\/[^/]+|content|docProps\/core|meta)\.xml$/;

async function readDocument(name, bytes) {
  const type = await fileTypeFromBuffer(bytes);
  if (type?.ext === 'pdf') return readPdf(bytes);
  if (type?.mime.includes('zip') || type?.mime.includes('officedocument') || type?.mime.includes('opendocument'))
    return readZip(bytes);
  switch (path.extname(name)) {
    case '.eml': {
      const mail = await PostalMime.parse(bytes, { attachmentEncoding: 'arraybuffer' });
      let found = mail.text ?? markupText(mail.html ?? '', false);
      for (const { filename, content: attached } of mail.attachments)
        found += await readDocument(filename ?? '', Buffer.from(attached));
      return found;
    }
    case '.html':
      return markupText(text(bytes), false);
    case '.csv':
      return parseCsv(text(bytes), { relax_column_count: true, relax_quotes: true })
        .map((cells) => cells.join('|'))
        .join('\n');
    default:
      return text(bytes);
  }
}

async function readPdf(bytes) {
  const pdf = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
  let found = (await pdf.getMetadata()).info.Title ?? '';
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    for (const item of (await page.getTextContent()).items) found += item.str + (item.hasEOL ? '\n' : '');
  }
  await pdf.destroy();
  return found;
}

async function readZip(bytes) {
  const file = await yauzl.fromBufferPromise(bytes, { lazyEntries: true });
  const entries = [];
  for await (const entry of file.eachEntry()) entries.push(entry);
  const office = entries.some(({ fileName }) => fileName === '[Content_Types].xml' || fileName === 'mimetype');
  let found = '';
  for (const entry of entries) {
    if (entry.fileName.endsWith('/') || (office && !content.test(entry.fileName))) continue;
    const data = unpack(bytes, entry);
    found += office ? markupText(data.toString(), true) : await readDocument(entry.fileName, data);
  }
  return found;
}

function unpack(bytes, entry) {
  const at = entry.relativeOffsetOfLocalHeader;
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const packed = bytes.subarray(start, start + entry.compressedSize);
  return entry.compressionMethod === 8 ? inflateRawSync(packed) : packed;
}

function markupText(markup, xmlMode) {
  let found = '';
  const parser = new Parser({ ontext: (piece) => void (found += piece) }, { xmlMode, decodeEntities: true });
  parser.end(markup);
  return found;
}

async function loop({ files, seconds, maxItems }) {
  const documents = files.map((file) => [path.basename(file), readFileSync(file)]);
  const started = performance.now();
  let items = 0;
  let characters = 0;
  while (items < maxItems && performance.now() - started < seconds * 1000) {
    const [name, bytes] = documents[items++ % documents.length];
    // Some of the examples are damaged or locked on purpose.
    characters += (await readDocument(name, bytes).catch(() => '')).length;
  }
  return { perSecond: (items * 1000) / (performance.now() - started), characters };
}

listen(
  createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => response.end(JSON.stringify(await loop(JSON.parse(Buffer.concat(chunks))))));
  }),
);
