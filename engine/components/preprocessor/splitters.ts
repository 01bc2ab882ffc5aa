import type { Measure } from './measure.js';

/** Cuts a text into chunks, in order, without white space around them and without empty ones. */
export type Splitter = (text: string) => string[];

/** Characters given to the sentence segmenter at a time. */
const sentenceBlock = 4096;

export const plainSeparators: readonly string[] = ['\n\n', '\n', ' ', ''];

export const markdownSeparators: readonly string[] = [
  '\n# ',
  '\n## ',
  '\n### ',
  '\n#### ',
  '\n##### ',
  '\n###### ',
  '```\n\n',
  '\n\n***\n\n',
  '\n\n---\n\n',
  '\n\n___\n\n',
  ...plainSeparators,
];

export const latexSeparators: readonly string[] = [
  '\n\\chapter{',
  '\n\\section{',
  '\n\\subsection{',
  '\n\\subsubsection{',
  ...['enumerate', 'itemize', 'description', 'list', 'quote', 'quotation', 'verse', 'verbatim', 'align'].map(
    (environment) => `\n\\begin{${environment}}`,
  ),
  '$$',
  '$',
  ...plainSeparators,
];

/**
 * Packs as much as fits into each chunk and cuts before the last separator that lies in it; a piece that holds no
 * such separator is cut at the next one of the list. The separator stays at the start of its chunk.
 */
export function recursiveSplitter(separators: readonly string[], measure: Measure): Splitter {
  return (text) => {
    const chunks: string[] = [];
    splitAt(text, 0, chunks);
    return chunks;
  };

  function splitAt(text: string, level: number, chunks: string[]): void {
    if (measure.holds(text)) return push(chunks, text);
    const separator = separators[level];
    if (separator === undefined) return push(chunks, text);
    if (separator !== '' && !text.includes(separator)) return splitAt(text, level + 1, chunks);

    let start = 0;
    while (start < text.length) {
      const end = measure.fit(text, start);
      if (end === text.length || separator === '') {
        push(chunks, text.slice(start, end));
        start = end;
        continue;
      }
      // Only the window is searched: looking back through all of the text would take quadratic time.
      const cut = text.slice(start, end + separator.length).lastIndexOf(separator);
      if (cut > 0) {
        push(chunks, text.slice(start, start + cut));
        start += cut;
        continue;
      }
      const next = text.indexOf(separator, start + 1);
      const pieceEnd = next < 0 ? text.length : next;
      splitAt(text.slice(start, pieceEnd), level + 1, chunks);
      start = pieceEnd;
    }
  }
}

/** Cuts at every `separator` and joins neighbours while they fit; a longer piece stays whole. */
export function separatorSplitter(separator: string, measure: Measure): Splitter {
  return (text) => {
    const chunks: string[] = [];
    let chunk = '';
    for (const piece of text.split(separator)) {
      if (piece === '') continue;
      const joined = chunk === '' ? piece : chunk + separator + piece;
      if (chunk === '' || measure.holds(joined)) {
        chunk = joined;
      } else {
        push(chunks, chunk);
        chunk = piece;
      }
    }
    push(chunks, chunk);
    return chunks;
  };
}

/** Packs whole sentences; one that does not fit alone is cut at words. */
export function sentenceSplitter(locale: string, measure: Measure): Splitter {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
  const words = recursiveSplitter(plainSeparators, measure);
  return (text) => {
    const chunks: string[] = [];
    let start = 0;
    let end = 0;
    const flush = (): void => {
      const packed = text.slice(start, end);
      if (measure.holds(packed)) push(chunks, packed);
      else for (const chunk of words(packed)) push(chunks, chunk);
    };
    for (const block of blocks(text)) {
      for (const { segment } of segmenter.segment(block)) {
        const next = end + segment.length;
        if (end > start && !measure.holds(text.slice(start, next))) {
          flush();
          start = end;
        }
        end = next;
      }
    }
    flush();
    return chunks;
  };
}

/** All of `text` in pieces cut at blank lines, lines or words, because the segmenter's time grows with the square. */
function* blocks(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + sentenceBlock, text.length);
    if (end < text.length) {
      const window = text.slice(start, end);
      const separator = ['\n\n', '\n', ' '].find((candidate) => window.lastIndexOf(candidate) > 0);
      if (separator !== undefined) end = start + window.lastIndexOf(separator) + separator.length;
    }
    yield text.slice(start, end);
    start = end;
  }
}

/** Cuts what `splitter` left too long wherever `measure` says. */
export function capped(splitter: Splitter, measure: Measure): Splitter {
  const hard = recursiveSplitter([''], measure);
  return (text) => splitter(text).flatMap((chunk) => (measure.holds(chunk) ? [chunk] : hard(chunk)));
}

function push(chunks: string[], piece: string): void {
  const chunk = piece.trim();
  if (chunk !== '') chunks.push(chunk);
}
