import type { Bounds } from './bounds.js';
import { Ring } from './ring.js';

/** One call of a component on the way of an object. Times are Unix seconds. */
export interface Span {
  readonly component: string;
  readonly lane: string;
  /** How many calls this one is inside of. */
  readonly depth: number;
  readonly begin: number;
  end: number | undefined;
  error: string | undefined;
  /** The beginning of what the component was given; empty when the trace level carries none. */
  readonly data: string;
}

/** One object on its way through a pipe. */
export interface TraceObject {
  /** `seqNo` of its begin event: its identity. */
  readonly beginSeq: number;
  readonly pipe: number;
  readonly name: string;
  readonly begin: number;
  end: number | undefined;
  error: string | undefined;
  readonly spans: Span[];
  /** Calls beyond those in `spans`. */
  moreSpans: number;
  result: string;
  /** Its end was lost, or never came before the run ended: it is over, nobody knows when. */
  endLost: boolean;
  /** Whether it is still in the log, and its spans count there. */
  kept: boolean;
}

/** The newest objects of a run, found by the number of their begin event. */
export class ObjectLog {
  /** Grows with every change. */
  version = 0;
  /** Objects that have begun, also those that are forgotten. */
  begun = 0;
  completed = 0;
  failed = 0;
  private readonly ring: Ring<TraceObject>;
  private readonly byBeginSeq = new Map<number, TraceObject>();
  private spanCount = 0;

  constructor(private readonly bounds: Bounds) {
    this.ring = new Ring(bounds.objects);
  }

  get length(): number {
    return this.ring.length;
  }

  get spans(): number {
    return this.spanCount;
  }

  /** @param place 0 is the oldest */
  at(place: number): TraceObject | undefined {
    return this.ring.at(place);
  }

  find(beginSeq: number): TraceObject | undefined {
    return this.byBeginSeq.get(beginSeq);
  }

  add(object: TraceObject): void {
    object.kept = true;
    this.forget(this.ring.push(object));
    this.byBeginSeq.set(object.beginSeq, object);
    this.begun++;
    this.version++;
  }

  countSpan(object: TraceObject): void {
    if (!object.kept) return;
    this.spanCount++;
    while (this.spanCount > this.bounds.spans && this.ring.length > 1) this.forget(this.ring.shift());
    this.version++;
  }

  ended(object: TraceObject): void {
    this.completed++;
    if (object.error !== undefined) this.failed++;
    this.version++;
  }

  private forget(object: TraceObject | undefined): void {
    if (object === undefined) return;
    object.kept = false;
    this.spanCount -= object.spans.length;
    if (this.byBeginSeq.get(object.beginSeq) === object) this.byBeginSeq.delete(object.beginSeq);
  }
}
