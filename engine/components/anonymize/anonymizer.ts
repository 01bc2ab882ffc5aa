import { setImmediate } from 'node:timers/promises';
import type { NameFinder } from './names.js';
import { rules } from './rules.js';
import { type Span, maskSpans } from './span.js';

/** Characters the rules read at a time. What they find is shorter than the overlap. */
const ruleWindow = 16_384;
const ruleOverlap = 2048;
const nameWindow = 600;
/** Milliseconds of work after which other work of the process gets its turn. */
const turn = 15;

/**
 * Masks personal data in `text`; the length stays. Long texts are read in slices with pauses, so that the process
 * goes on with other work meanwhile; rejects with the reason of `signal` when it is aborted.
 */
export async function anonymize(
  text: string,
  mask: string,
  findNames: NameFinder,
  signal: AbortSignal,
): Promise<string> {
  const spans: Span[] = [];
  let turnEnds = performance.now() + turn;
  const pause = async (): Promise<void> => {
    if (performance.now() < turnEnds) return;
    await setImmediate();
    signal.throwIfAborted();
    turnEnds = performance.now() + turn;
  };

  for (let start = 0; start < text.length; start += ruleWindow - ruleOverlap) {
    const slice = text.slice(start, start + ruleWindow);
    for (const rule of rules) {
      for (const span of rule.find(slice)) spans.push(shifted(span, start));
    }
    await pause();
    if (start + ruleWindow >= text.length) break;
  }

  for (let start = 0; start < text.length;) {
    const end = sliceEnd(text, start, nameWindow);
    for (const span of findNames(text.slice(start, end))) spans.push(shifted(span, start));
    start = end;
    await pause();
  }

  return maskSpans(text, spans, mask);
}

function shifted({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}

/** The end of a slice of at most `most` characters: after a line, a sentence or a word where there is one. */
function sliceEnd(text: string, start: number, most: number): number {
  if (start + most >= text.length) return text.length;
  const slice = text.slice(start, start + most);
  for (const separator of ['\n', '. ', ' ']) {
    const at = slice.lastIndexOf(separator);
    if (at >= most / 2) return start + at + separator.length;
  }
  return start + most;
}
