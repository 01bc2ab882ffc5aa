import type { Archive } from '../archive.js';
import { type Extraction, type Wanted, emptyExtraction } from '../extraction.js';
import { Flow } from '../flow.js';
import { walkXml } from '../markup.js';
import { documentProperties, mainPart, mediaBelow, relationships } from './office.js';

/** The slides in their order, each followed by its notes. */
export function extractPptx(archive: Archive, wanted: Wanted): Extraction {
  const main = mainPart(archive, 'ppt/presentation.xml');
  const related = relationships(archive, main);
  const slides: string[] = [];
  walkXml(archive.readText(main), {
    start(name, attributes) {
      const target = name === 'sldId' ? related.get(attributes['r:id'] ?? '') : undefined;
      if (target) slides.push(target.part);
    },
    end() {},
    text() {},
  });
  const flow = new Flow();
  for (const slide of slides) {
    flow.break(2);
    walkSlide(archive.readText(slide), flow);
    for (const target of relationships(archive, slide).values()) {
      if (target.kind !== 'notesSlide' && target.kind !== 'diagramData') continue;
      flow.break(1);
      walkSlide(archive.readText(target.part), flow);
    }
  }
  return {
    ...emptyExtraction({ ...documentProperties(archive, 'docProps/core.xml'), slides: slides.length }),
    ...flow.finish(),
    media: mediaBelow(archive, 'ppt/media/', wanted),
  };
}

function walkSlide(xml: string, flow: Flow): void {
  let inText = false;
  // The slide number is a field, not something the author wrote.
  let skip = 0;
  walkXml(xml, {
    start(name, attributes) {
      if (skip > 0 || name === 'Fallback' || (name === 'fld' && attributes.type === 'slidenum')) {
        skip++;
        return;
      }
      switch (name) {
        case 't':
          inText = true;
          break;
        case 'br':
          flow.break(1);
          break;
        case 'tbl':
          flow.startTable();
          break;
        case 'tr':
          flow.startRow();
          break;
        case 'tc':
          flow.startCell();
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
        case 'p':
          flow.break(1);
          break;
        case 'tc':
          flow.endCell();
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
