/** A piece of a text: from `start` up to but not including `end`. */
export interface Span {
  start: number;
  end: number;
}

/** Replaces every character of the spans by `mask`; spans may overlap and come in any order. */
export function maskSpans(text: string, spans: readonly Span[], mask: string): string {
  if (spans.length === 0) return text;
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of sorted) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    pieces.push(text.slice(at, from), mask.repeat(end - from));
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}
