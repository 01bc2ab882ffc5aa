/** Longer names are not compared: nobody mistypes them by one letter, and the comparison is quadratic. */
const longest = 64;

/**
 * The candidates most like `name`, best first, at most `count`: few typing mistakes apart (insert, delete, replace,
 * swap neighbours), or one name contained in the other. Case does not matter.
 */
export function nearest(name: string, candidates: readonly string[], count = 3): string[] {
  if (name.length === 0 || name.length > longest) return [];
  const wanted = name.toLowerCase();
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of new Set(candidates)) {
    if (candidate.length === 0 || candidate.length > longest) continue;
    const other = candidate.toLowerCase();
    const shorter = Math.min(wanted.length, other.length);
    const contained = shorter >= 4 && (other.includes(wanted) || wanted.includes(other));
    if (!contained && Math.abs(wanted.length - other.length) > allowed) continue;
    const score = distance(wanted, other);
    if (contained || score <= allowed) scored.push({ candidate, score });
  }
  return scored
    .sort((a, b) => a.score - b.score || compare(a.candidate, b.candidate))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** `; did you mean "a" or "b"?`, or nothing when no candidate is like `name`. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const found = nearest(name, candidates).map((candidate) => `"${candidate}"`);
  if (found.length === 0) return '';
  const last = found.pop() ?? '';
  return `; did you mean ${found.length === 0 ? last : `${found.join(', ')} or ${last}`}?`;
}

/** Damerau-Levenshtein distance (optimal string alignment) of two short strings. */
export function distance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, at(beforePrevious, column - 2) + 1);
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** "Did you mean" for the first few distinct mistakes only: comparing names is the one slow thing in validation. */
export class Suggestions {
  private readonly made = new Map<string, string>();

  of(name: string, kind: string, candidates: () => readonly string[]): string {
    if (name.length > longest) return '';
    const key = `${kind} ${name}`;
    const known = this.made.get(key);
    if (known !== undefined) return known;
    if (this.made.size >= 20) return '';
    const hint = didYouMean(name, candidates().slice(0, 1000));
    this.made.set(key, hint);
    return hint;
  }
}
