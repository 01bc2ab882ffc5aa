import type { Archive } from '../archive.js';
import { type Extraction, type Wanted, emptyExtraction } from '../extraction.js';
import { Flow } from '../flow.js';
import { walkXml } from '../markup.js';
import { byNumber, documentProperties, mainPart, mediaBelow, relationships } from './office.js';

/** Body, notes and comments of a Word document, headers and footers around it. */
export function extractDocx(archive: Archive, wanted: Wanted): Extraction {
  const main = mainPart(archive, 'word/document.xml');
  const related = [...relationships(archive, main).values()];
  const parts = (kind: string) =>
    related
      .filter((target) => target.kind === kind)
      .map((target) => target.part)
      .sort(byNumber);
  const flow = new Flow();
  // The first, even and odd pages often repeat the same header.
  const seen = new Set<string>();
  for (const part of [
    ...parts('header'),
    main,
    ...parts('footnotes'),
    ...parts('endnotes'),
    ...parts('comments'),
    ...parts('footer'),
  ]) {
    const xml = archive.readText(part);
    if (seen.has(xml)) continue;
    seen.add(xml);
    flow.break(2);
    walkWord(xml, flow);
  }
  return {
    ...emptyExtraction(documentProperties(archive, 'docProps/core.xml')),
    ...flow.finish(),
    media: mediaBelow(archive, 'word/media/', wanted),
  };
}

// `Fallback` repeats what `Choice` says in an older vocabulary; properties hold tab stops and the like.
const skipped: ReadonlySet<string> = new Set(['Fallback', 'rPr', 'tblPr', 'sectPr', 'instrText', 'delText']);

function walkWord(xml: string, flow: Flow): void {
  let skip = 0;
  let inText = false;
  let inParagraphProperties = false;
  const spans: number[] = [];
  walkXml(xml, {
    start(name, attributes) {
      if (skip > 0 || skipped.has(name)) {
        skip++;
        return;
      }
      switch (name) {
        case 't':
          inText = true;
          break;
        case 'pPr':
          inParagraphProperties = true;
          break;
        case 'pStyle':
          if (/^(?:heading|title|berschrift|titre)/i.test(attributes['w:val'] ?? '')) flow.break(2);
          break;
        case 'tab':
          if (!inParagraphProperties) flow.text('\t');
          break;
        case 'br':
        case 'cr':
          flow.break(1);
          break;
        case 'noBreakHyphen':
          flow.text('\u2011');
          break;
        case 'tbl':
          flow.startTable();
          break;
        case 'tr':
          flow.startRow();
          break;
        case 'tc':
          flow.startCell();
          spans.push(1);
          break;
        case 'gridSpan':
          spans[spans.length - 1] = Number(attributes['w:val']) || 1;
          break;
      }
    },
    end(name) {
      if (skip > 0) {
        skip--;
        return;
      }
      switch (name) {
        case 't':
          inText = false;
          break;
        case 'pPr':
          inParagraphProperties = false;
          break;
        case 'p':
          flow.break(1);
          break;
        case 'tc':
          flow.endCell(spans.pop());
          break;
        case 'tr':
          flow.endRow();
          break;
        case 'tbl':
          flow.endTable();
          break;
      }
    },
    text(text) {
      if (inText && skip === 0) flow.text(text);
    },
  });
}
