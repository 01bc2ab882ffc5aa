import { decodeText } from '../charset.js';
import { type Extraction, type Source, emptyExtraction } from '../extraction.js';
import { Flow } from '../flow.js';
import { walkXml } from '../markup.js';
import { declaredCharset } from '../mimeType.js';

/** XML of no known vocabulary: the text of each element on a line of its own. */
export async function extractXml(source: Source): Promise<Extraction> {
  const head = new TextDecoder('latin1').decode(source.bytes.subarray(0, 200));
  const declared = declaredCharset(source.mimeType) ?? /<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1];
  const { text, charset } = await decodeText(source.bytes, declared);
  const flow = new Flow();
  walkXml(text, {
    start: () => flow.break(1),
    end: () => flow.break(1),
    text: (piece) => flow.inline(piece),
  });
  return { ...emptyExtraction({ charset }), ...flow.finish() };
}
