import type { ObjectLog, TraceObject } from '../store/objects.js';

export const outcomes = ['all', 'failed', 'open'] as const;
export type Outcome = (typeof outcomes)[number];

export interface TraceFilter {
  /** Searched in names, errors, results and data, in any case. */
  readonly text: string;
  readonly outcome: Outcome;
}

/** The objects that pass, newest first. Remembers what it found of completed objects, which do not change any more. */
export class ObjectSearch {
  private readonly found = new WeakMap<TraceObject, boolean>();
  private readonly needle: string;

  constructor(private readonly filter: TraceFilter) {
    this.needle = filter.text.trim().toLowerCase();
  }

  search(log: ObjectLog): TraceObject[] {
    const out: TraceObject[] = [];
    for (let at = log.length - 1; at >= 0; at--) {
      const object = log.at(at);
      if (object !== undefined && this.hasOutcome(object) && this.hasText(object)) out.push(object);
    }
    return out;
  }

  private hasOutcome({ error, end, endLost }: TraceObject): boolean {
    if (this.filter.outcome === 'failed') return error !== undefined;
    return this.filter.outcome === 'all' || (end === undefined && !endLost);
  }

  private hasText(object: TraceObject): boolean {
    if (this.needle === '') return true;
    const known = this.found.get(object);
    if (known !== undefined) return known;
    const has = (text: string | undefined): boolean => text?.toLowerCase().includes(this.needle) ?? false;
    const hit =
      has(object.name) ||
      has(object.error) ||
      has(object.result) ||
      object.spans.some(({ data, error }) => has(data) || has(error));
    if (hit || object.end !== undefined) this.found.set(object, hit);
    return hit;
  }
}
