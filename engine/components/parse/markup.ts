import { Parser } from 'htmlparser2';

/** Called while a document is read from start to end, so depth and entities of the document cannot exhaust memory. */
export interface MarkupHandler {
  /** `name` without its namespace prefix. */
  start(name: string, attributes: Record<string, string>): void;
  end(name: string): void;
  text(text: string): void;
}

/** Walks XML. Entities other than the five of XML and character references stay as they are written. */
export function walkXml(xml: string, handler: MarkupHandler): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => handler.start(localName(name), attributes),
      onclosetag: (name) => handler.end(localName(name)),
      ontext: (text) => handler.text(text),
    },
    { xmlMode: true },
  );
  parser.end(xml);
}

/** The text of each element of the wanted names, by local name; the last one wins. */
export function elementTexts(xml: string, wanted: ReadonlySet<string>): Map<string, string> {
  const texts = new Map<string, string>();
  let current: string | undefined;
  walkXml(xml, {
    start(name) {
      if (wanted.has(name)) texts.set((current = name), '');
    },
    end(name) {
      if (name === current) current = undefined;
    },
    text(text) {
      if (current !== undefined) texts.set(current, (texts.get(current) ?? '') + text);
    },
  });
  return texts;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
