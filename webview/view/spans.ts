import type { Span, TraceObject } from '../store/objects.js';
import type { Tone } from '../store/state.js';

const housekeeping = new Set(['open', 'closing', 'close']);

/** Whether a step only opened or closed a component: nothing happened inside of it, and nothing went wrong. */
export function isHousekeeping(span: Span, next: Span | undefined): boolean {
  const inside = next !== undefined && next.depth > span.depth;
  return housekeeping.has(span.lane) && span.error === undefined && !inside;
}

export interface BarPart {
  readonly left: string;
  readonly width: string;
}

/** Where the steps of an object stand on its scale of time. A step that still runs reaches to the end. */
export class SpanScale {
  private readonly last: number;

  constructor(private readonly object: TraceObject) {
    const latest = object.spans.reduce((most, { begin, end }) => Math.max(most, end ?? begin), object.begin);
    this.last = object.end ?? latest;
  }

  bar({ begin, end }: Span): BarPart {
    return this.part(begin, end ?? this.last);
  }

  /** The parts of its bar in which a step worked itself, and did not wait for a step inside of it. */
  own(span: Span): BarPart[] {
    const { spans } = this.object;
    const end = span.end ?? this.last;
    const parts: BarPart[] = [];
    let from = span.begin;
    for (let at = spans.indexOf(span) + 1; at < spans.length; at++) {
      const inner = spans[at];
      if (inner === undefined || inner.depth <= span.depth) break;
      if (inner.depth > span.depth + 1) continue;
      if (inner.begin > from) parts.push(this.part(from, inner.begin));
      from = Math.max(from, inner.end ?? this.last);
    }
    if (end > from) parts.push(this.part(from, end));
    return parts;
  }

  private part(from: number, to: number): BarPart {
    const whole = Math.max(this.last - this.object.begin, 1e-9);
    const place = (time: number): number => Math.min(100, Math.max(0, ((time - this.object.begin) / whole) * 100));
    return { left: `${place(from).toFixed(2)}%`, width: `${(place(to) - place(from)).toFixed(2)}%` };
  }
}

export function outcomeOf({ end, endLost, error }: TraceObject): { label: string; tone: Tone } {
  if (error !== undefined) return { label: 'Failed', tone: 'bad' };
  if (end !== undefined) return { label: 'Completed', tone: 'good' };
  return endLost ? { label: 'Not finished', tone: 'warning' } : { label: 'In progress', tone: 'busy' };
}
