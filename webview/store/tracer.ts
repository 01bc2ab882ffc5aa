import type { FlowBody } from '../../protocol/events.js';
import type { Bounds } from './bounds.js';
import type { Span, TraceObject } from './objects.js';
import { isRecord, previewOf, shortText } from './preview.js';

/** What hears of the steps that a tracer finds in the flow events. */
export interface TraceListener {
  began(object: TraceObject): void;
  /** @param from the component whose call this one is inside of; undefined for the first */
  entered(component: string, from: string | undefined, step: Step): void;
  /** Seconds are undefined when the event of the call was lost; `own` are those not spent in calls inside. */
  left(component: string, seconds: number | undefined, own: number | undefined, failed: boolean): void;
  spanAdded(object: TraceObject): void;
  ended(object: TraceObject): void;
}

export interface Step {
  readonly object: string;
  readonly lane: string;
  /** The kind of control call, where it is one. */
  readonly control: string | undefined;
  readonly data: string;
  readonly time: number;
}

interface Frame {
  readonly component: string;
  readonly begin: number | undefined;
  readonly span: Span | undefined;
  childSeconds: number;
  /** The error of a call inside; the same text on the way out is not a second error. */
  childError: string | undefined;
}

export interface OpenPipe {
  readonly name: string;
  readonly object: TraceObject | undefined;
  readonly frames: Frame[];
}

const structural = new Set(['open', 'closing', 'close']);

/** Follows the pipes of a run through its flow events. Lost events leave gaps, never wrong pairs. */
export class Tracer {
  /** Pipes that have an object now. */
  readonly open = new Map<number, OpenPipe>();

  constructor(
    private readonly bounds: Bounds,
    private readonly listener: TraceListener,
  ) {}

  apply(event: FlowBody): void {
    switch (event.op) {
      case 'begin':
        return this.begin(event);
      case 'enter':
        return this.enter(event);
      case 'leave':
        return this.leave(event);
      case 'end':
        return this.end(event);
    }
  }

  private begin(event: FlowBody): void {
    const before = this.open.get(event.id)?.object;
    if (before !== undefined) {
      before.endLost = true;
      this.listener.ended(before);
    }
    const object: TraceObject = {
      beginSeq: event.seqNo,
      pipe: event.id,
      name: shortText(event.pipes[0] ?? '', this.bounds.nameChars),
      begin: event.time,
      end: undefined,
      error: undefined,
      spans: [],
      moreSpans: 0,
      result: '',
      endLost: false,
      kept: false,
    };
    this.setOpen(event.id, { name: object.name, object, frames: [] });
    this.listener.began(object);
  }

  private enter(event: FlowBody): void {
    const pipe = this.pipeOf(event);
    const depth = event.pipes.length - 2;
    const component = event.pipes.at(-1);
    if (depth < 0 || component === undefined) return;
    matchFrames(pipe.frames, event.pipes, depth);
    const lane = textOf(event.trace['lane']);
    const data = previewOf(event.trace['data'], lane, this.bounds.dataChars);
    const span: Span = { component, lane, depth, begin: event.time, end: undefined, error: undefined, data };
    const kept = this.keepSpan(pipe.object, span);
    pipe.frames.push({
      component,
      begin: event.time,
      span: kept ? span : undefined,
      childSeconds: 0,
      childError: undefined,
    });
    if (structural.has(lane)) return;
    const control = typeof event.trace['invoke'] === 'string' ? event.trace['invoke'] : undefined;
    const from = depth > 0 ? event.pipes[depth] : undefined;
    this.listener.entered(component, from, { object: pipe.name, lane, control, data, time: event.time });
  }

  private leave(event: FlowBody): void {
    const { frames, object } = this.pipeOf(event);
    // The stack is the one after the call: the first frame that it lacks is the one that returned.
    let at = 0;
    while (at < frames.length && frames[at]?.component === event.pipes[at + 1]) at++;
    const [frame] = frames.splice(at, 1);
    if (frame === undefined) return;
    const parent = frames[at - 1];
    const error = event.trace['result'] === 'error' || event.trace['error'] !== undefined ? errorOf(event) : undefined;
    const seconds = frame.begin === undefined ? undefined : Math.max(0, event.time - frame.begin);
    if (frame.span) {
      frame.span.end = event.time;
      frame.span.error = error;
    }
    if (parent !== undefined) {
      parent.childSeconds += seconds ?? 0;
      parent.childError = error ?? parent.childError;
    }
    if (error !== undefined && object !== undefined) object.error ??= error;
    const own = seconds === undefined ? undefined : Math.max(0, seconds - frame.childSeconds);
    this.listener.left(frame.component, seconds, own, error !== undefined && error !== frame.childError);
  }

  private end(event: FlowBody): void {
    const object = this.open.get(event.id)?.object;
    this.open.delete(event.id);
    if (object === undefined) return;
    object.end = event.time;
    const result = event.result ?? (Object.keys(event.trace).length > 0 ? event.trace : undefined);
    object.result = previewOf(result, '', this.bounds.resultChars);
    const failure = isRecord(result) ? result['error'] : undefined;
    if (isRecord(failure) && typeof failure['message'] === 'string')
      object.error ??= shortText(failure['message'], this.bounds.noteChars);
    this.listener.ended(object);
  }

  /** The pipe of an event; one whose begin was lost is followed from here. */
  private pipeOf(event: FlowBody): OpenPipe {
    let pipe = this.open.get(event.id);
    if (pipe === undefined) {
      pipe = { name: shortText(event.pipes[0] ?? '', this.bounds.nameChars), object: undefined, frames: [] };
      this.setOpen(event.id, pipe);
    }
    return pipe;
  }

  private setOpen(id: number, pipe: OpenPipe): void {
    this.open.delete(id);
    if (this.open.size >= this.bounds.pipes) {
      const oldest = this.open.keys().next();
      if (!oldest.done) this.open.delete(oldest.value);
    }
    this.open.set(id, pipe);
  }

  private keepSpan(object: TraceObject | undefined, span: Span): boolean {
    if (object === undefined) return false;
    if (object.spans.length >= this.bounds.spansPerObject) {
      object.moreSpans++;
      return false;
    }
    object.spans.push(span);
    this.listener.spanAdded(object);
    return true;
  }
}

/** Makes the frames those that the stack of an event names below `depth`, whatever was lost before. */
function matchFrames(frames: Frame[], stack: readonly string[], depth: number): void {
  let same = 0;
  while (same < depth && frames[same] !== undefined && frames[same]?.component === stack[same + 1]) same++;
  frames.length = Math.min(frames.length, same);
  for (let at = same; at < depth; at++)
    frames.push({
      component: stack[at + 1] ?? '',
      begin: undefined,
      span: undefined,
      childSeconds: 0,
      childError: undefined,
    });
}

function errorOf(event: FlowBody): string {
  const error = event.trace['error'];
  return typeof error === 'string' && error !== '' ? shortText(error, 2000) : 'It failed without a message';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const ignore = (): void => undefined;

/** The one object whose flow events these are, or undefined when its beginning is not among them. */
export function traceObject(events: readonly FlowBody[], bounds: Bounds): TraceObject | undefined {
  let found: TraceObject | undefined;
  const began = (object: TraceObject): void => {
    found ??= object;
  };
  const tracer = new Tracer(bounds, { began, entered: ignore, left: ignore, spanAdded: ignore, ended: ignore });
  const pipe = events.find(({ op }) => op === 'begin')?.id;
  for (const event of events) {
    if (event.id === pipe) tracer.apply(event);
    if (found?.end !== undefined) break;
  }
  return found;
}
