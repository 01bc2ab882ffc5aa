import type { Span } from './span.js';

/** Finds names of people, places and organisations. Takes about 10 ms for 1,000 characters. */
export type NameFinder = (text: string) => Span[];

const wanted = '(#Person|#Place|#Organization)+';

/** Loads the name finder; it knows English. */
export async function loadNameFinder(): Promise<NameFinder> {
  const { default: nlp } = await import('compromise/two');
  const find = (text: string): Span[] =>
    (nlp(text).match(wanted).json({ offset: true }) as FoundName[]).flatMap(({ offset }) =>
      names(text, offset.start, offset.start + offset.length),
    );
  // The first use compiles the lexicon, which a document should not have to wait for.
  find('Ada Lovelace lived in London.');
  return find;
}

interface FoundName {
  offset: { start: number; length: number };
}

/** The names in a find, which may be several with commas between them, without the punctuation around them. */
function names(text: string, from: number, to: number): Span[] {
  const spans: Span[] = [];
  for (const { 0: name, index } of text.slice(from, to).matchAll(/[\p{L}\p{N}](?:[^,;:()\r\n\t]*[\p{L}\p{N}])?/gu)) {
    spans.push({ start: from + index, end: from + index + name.length });
  }
  return spans;
}
