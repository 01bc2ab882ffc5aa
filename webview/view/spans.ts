import type { Span, TraceObject } from '../store/objects.js';
import type { Tone } from '../store/state.js';

const housekeeping = new Set(['open', 'closing', 'close']);

/** Whether a step only opened or closed a component: nothing happened inside of it, and nothing went wrong. */
export function isHousekeeping(span: Span, next: Span | undefined): boolean {
  const inside = next !== undefined && next.depth > span.depth;
  return housekeeping.has(span.lane) && span.error === undefined && !inside;
}

/** Where the bar of a step stands on the scale of its object. One that still runs reaches to the end. */
export function spanBar(span: Span, object: TraceObject): { left: string; width: string } {
  const last = object.end ?? Math.max(object.begin, ...object.spans.map(({ begin, end }) => end ?? begin));
  const whole = Math.max(last - object.begin, 1e-9);
  const part = (time: number): number => Math.min(100, Math.max(0, ((time - object.begin) / whole) * 100));
  const from = part(span.begin);
  return { left: `${from.toFixed(2)}%`, width: `${(part(span.end ?? last) - from).toFixed(2)}%` };
}

export function outcomeOf({ end, endLost, error }: TraceObject): { label: string; tone: Tone } {
  if (error !== undefined) return { label: 'Failed', tone: 'bad' };
  if (end !== undefined) return { label: 'Completed', tone: 'good' };
  return endLost ? { label: 'End not seen', tone: 'warning' } : { label: 'In progress', tone: 'busy' };
}
