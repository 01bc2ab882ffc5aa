import { type Lane, lanes } from '../../pipeline/model.js';
import { errorText } from '../../protocol/errors.js';
import type { FlowOp, TraceLevel } from '../../protocol/events.js';
import { limits } from '../../protocol/limits.js';
import type { PipelineResult } from '../../protocol/results.js';
import type { StreamItem } from '../runtime/component.js';
import type { ResultText } from './resultText.js';
import type { CallItem, CallLane, FlowSink, InvokeItem } from '../runtime/flow.js';

/**
 * Flow events travel from the worker in a compact form, because with tracing on there are dozens for one object:
 * u8 op, u8 lane, u16 pipe, u16 component, u16 unused, f64 Unix seconds, u32 length of the JSON detail, the detail.
 */
const recordBytes = 20;
const slabBytes = 64 * 1024;
const ops: readonly FlowOp[] = ['begin', 'enter', 'leave', 'end'];
const callLanes: readonly CallLane[] = [...lanes, 'open', 'closing', 'close', 'invoke'];
const laneCodes = new Map(callLanes.map((lane, code) => [lane, code]));

/** One flow event. */
export interface FlowRecord {
  readonly op: FlowOp;
  readonly pipe: number;
  readonly component: number;
  readonly lane: CallLane;
  /** Unix seconds. */
  readonly time: number;
  /** Bytes of the detail. */
  readonly size: number;
  /**
   * begin: the object's name. enter: the `data` of the trace. leave: the error text. end: the result. All as JSON;
   * empty when there is none.
   */
  readonly detail: string;
}

/** As it came over the channel. The detail is read only when somebody asks, which is not often. */
class EncodedRecord implements FlowRecord {
  constructor(
    readonly op: FlowOp,
    readonly pipe: number,
    readonly component: number,
    readonly lane: CallLane,
    readonly time: number,
    readonly size: number,
    private readonly batch: Buffer,
    private readonly start: number,
  ) {}

  get detail(): string {
    return this.size === 0 ? '' : this.batch.toString('utf8', this.start, this.start + this.size);
  }
}

export interface Clock {
  /** Unix seconds with a fraction. */
  now(): number;
}

/** Encodes what the runtime reports, in as much detail as the trace level asks for. */
export class FlowEncoder implements FlowSink {
  private slab = Buffer.allocUnsafe(slabBytes);
  private view = viewOf(this.slab);
  /** What has gathered since the last `take` lies between these. */
  private from = 0;
  private to = 0;

  constructor(
    private readonly level: Exclude<TraceLevel, 'none'>,
    private readonly clock: Clock,
    private readonly texts: ResultText,
    private readonly onRecord: () => void,
  ) {}

  begin(pipe: number, name: string): void {
    this.record(0, 0, pipe, 0, JSON.stringify(name.slice(0, limits.docNameChars)));
  }

  enter(pipe: number, component: number, lane: CallLane, item: CallItem): void {
    this.record(1, laneCodes.get(lane) ?? 0, pipe, component, describe(lane, item, this.level));
  }

  leave(pipe: number, component: number, lane: CallLane, error: unknown): void {
    const detail = error === undefined ? '' : JSON.stringify(errorText(error));
    this.record(2, laneCodes.get(lane) ?? 0, pipe, component, detail);
  }

  end(pipe: number, result: PipelineResult): void {
    this.record(3, 0, pipe, 0, this.level === 'metadata' ? '' : dump(result, () => this.texts.response(result)));
  }

  /** The records since the last call; empty when there are none. */
  take(): Buffer {
    const taken = this.slab.subarray(this.from, this.to);
    this.from = this.to;
    // One that had to grow is not kept for what comes later.
    if (this.slab.length > slabBytes) this.renew(slabBytes);
    return taken;
  }

  private record(op: number, lane: number, pipe: number, component: number, detail: string): void {
    this.reserve(recordBytes + detail.length * 3);
    const { slab, view, to: at } = this;
    view.setUint8(at, op);
    view.setUint8(at + 1, lane);
    view.setUint16(at + 2, pipe, true);
    view.setUint16(at + 4, component, true);
    view.setUint16(at + 6, 0, true);
    view.setFloat64(at + 8, this.clock.now(), true);
    const written = detail === '' ? 0 : slab.write(detail, at + recordBytes, 'utf8');
    view.setUint32(at + 16, written, true);
    this.to = at + recordBytes + written;
    this.onRecord();
  }

  /** What was taken may still be on its way, so a full slab is left to it. */
  private reserve(room: number): void {
    if (this.to + room <= this.slab.length) return;
    const gathered = this.to - this.from;
    this.renew(Math.max(slabBytes, gathered * 2, gathered + room));
  }

  private renew(bytes: number): void {
    const next = Buffer.allocUnsafe(bytes);
    this.to = this.slab.copy(next, 0, this.from, this.to);
    this.from = 0;
    this.slab = next;
    this.view = viewOf(next);
  }
}

/** Its methods are compiled in place, those of Buffer are called: with 30 records for an object that is a third of their cost. */
function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** How many records a batch has. */
export function countFlow(batch: Buffer): number {
  const view = viewOf(batch);
  let count = 0;
  for (let at = 0; at + recordBytes <= batch.length; count++) at += recordBytes + view.getUint32(at + 16, true);
  return count;
}

/** Calls back for each record of an encoded batch, in order. */
export function decodeFlow(batch: Buffer, each: (record: FlowRecord) => void): void {
  const view = viewOf(batch);
  let at = 0;
  while (at + recordBytes <= batch.length) {
    const start = at + recordBytes;
    const end = start + view.getUint32(at + 16, true);
    each(
      new EncodedRecord(
        ops[view.getUint8(at)] ?? 'begin',
        view.getUint16(at + 2, true),
        view.getUint16(at + 4, true),
        callLanes[view.getUint8(at + 1)] ?? 'text',
        view.getFloat64(at + 8, true),
        end - start,
        batch,
        start,
      ),
    );
    at = end;
  }
}

/** The `data` (or `invoke`) part of a trace as JSON (wire.md 4.4), or `''`. */
function describe(lane: CallLane, item: CallItem, level: TraceLevel): string {
  if (item === undefined) return '';
  const full = level === 'full';
  switch (lane) {
    case 'text':
    case 'table': {
      const text = item as string;
      return full
        ? `{"length":${text.length},"${lane}":${JSON.stringify(text.slice(0, limits.traceTextChars))}}`
        : `{"length":${text.length}}`;
    }
    case 'documents': {
      const count = (item as unknown[]).length;
      return full ? dump({ count, documents: item }) : `{"count":${count}}`;
    }
    case 'questions':
    case 'answers':
      return full ? dump({ [lane]: item }) : '';
    case 'classifications':
      return level === 'metadata' ? '' : JSON.stringify({ count: Array.isArray(item) ? item.length : 1 });
    case 'tags':
    case 'image':
    case 'audio':
    case 'video':
      return describeStream(item as StreamItem);
    case 'invoke':
      return describeInvoke(item as InvokeItem, full);
    default:
      return full && isDataLane(lane) ? dump({ [lane]: item }) : '';
  }
}

function describeStream(item: StreamItem): string {
  const bufferSize = item.action === 'write' ? item.data.length : 0;
  const mimeType = item.action === 'begin' ? item.mimeType : '';
  return JSON.stringify({ action: item.action, mimeType, bufferSize });
}

function describeInvoke(item: InvokeItem, full: boolean): string {
  const call = { classType: item.classType, operation: item.operation };
  return full ? dump({ ...call, parameter: item.parameter ?? null }, undefined, call) : dump(call);
}

/** As JSON; a value that has none (a circle, a BigInt) must not make the object fail only because it is traced. */
function dump(value: object, write = (): string => JSON.stringify(value), instead: object = {}): string {
  try {
    return write();
  } catch (thrown) {
    return JSON.stringify({ ...instead, unreadable: errorText(thrown) });
  }
}

function isDataLane(lane: CallLane): lane is Lane {
  return (lanes as readonly string[]).includes(lane);
}
