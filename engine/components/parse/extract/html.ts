import { Parser } from 'htmlparser2';
import { decodeText } from '../charset.js';
import { type Extraction, type Source, emptyExtraction } from '../extraction.js';
import { Flow } from '../flow.js';
import { declaredCharset } from '../mimeType.js';

export async function extractHtml(source: Source): Promise<Extraction> {
  const { text, charset } = await decodeText(
    source.bytes,
    declaredCharset(source.mimeType) ?? metaCharset(source.bytes),
  );
  const extraction = htmlToText(text);
  extraction.metadata.charset = charset;
  return extraction;
}

const skipped: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg', 'math', 'object']);
const headings: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const blocks: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'header hr html legend li main menu nav ol optgroup option p pre section summary ul caption'
  ).split(' '),
);
const sections: Readonly<Record<string, number>> = { thead: 0, tbody: 1, tfoot: 2 };

/** What a reader sees of the page, block by block; title, author and description are metadata. */
export function htmlToText(html: string): Extraction {
  const flow = new Flow();
  const metadata: Record<string, unknown> = {};
  const spans: number[] = [];
  let skip = 0;
  let preformatted = 0;
  let title: string | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (skip > 0 || skipped.has(name)) {
        skip++;
        return;
      }
      switch (name) {
        case 'title':
          title ??= '';
          break;
        case 'meta':
          addMeta(metadata, attributes);
          break;
        case 'html':
          if (attributes.lang) metadata.language = attributes.lang;
          break;
        case 'br':
          flow.break(1);
          break;
        case 'table':
          flow.startTable();
          break;
        case 'tr':
          flow.startRow();
          break;
        case 'td':
        case 'th':
          flow.startCell();
          spans.push(Number(attributes.colspan) || 1);
          break;
        case 'pre':
          preformatted++;
          break;
        default:
          if (name in sections) flow.section(sections[name] ?? 1);
      }
      if (headings.has(name)) flow.break(2);
      else if (blocks.has(name)) flow.break(1);
    },
    onclosetag(name) {
      if (skip > 0) {
        skip--;
        return;
      }
      switch (name) {
        case 'title':
          if (title !== undefined) metadata.title = title.replace(/\s+/g, ' ').trim();
          break;
        case 'table':
          flow.endTable();
          break;
        case 'tr':
          flow.endRow();
          break;
        case 'td':
        case 'th':
          flow.endCell(spans.pop());
          break;
        case 'pre':
          preformatted--;
          break;
        default:
          if (name in sections) flow.section(1);
      }
      if (headings.has(name) || blocks.has(name)) flow.break(1);
    },
    ontext(text) {
      if (skip > 0) return;
      if (title !== undefined && metadata.title === undefined) title += text;
      else if (preformatted > 0) flow.text(text);
      else flow.inline(text);
    },
  });
  parser.end(html);
  return { ...emptyExtraction(metadata), ...flow.finish() };
}

function addMeta(metadata: Record<string, unknown>, attributes: Record<string, string>): void {
  const name = attributes.name?.toLowerCase();
  if (name !== 'author' && name !== 'description' && name !== 'keywords') return;
  if (attributes.content) metadata[name] = attributes.content.trim();
}

/** The encoding that the page declares near its start. */
function metaCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 4096));
  return /<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)/i
    .exec(head)
    ?.slice(1)
    .find(Boolean);
}
