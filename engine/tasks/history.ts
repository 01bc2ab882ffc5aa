import type { EventName } from '../../protocol/events.js';
import { countFlow, decodeFlow } from '../worker/flowRecords.js';
import type { FlowComposer } from './flowEvents.js';

/** Flow records are kept in pieces of about this size, each with the stacks at its start. */
const chunkBytes = 256 * 1024;

interface FlowChunk {
  /** Where the composer stood before the first batch. */
  composer: FlowComposer;
  batches: { firstSeq: number; records: Buffer }[];
  bytes: number;
  lastSeq: number;
}

export interface KeptEvent {
  name: EventName;
  seqNo: number;
  body: string;
  pipe?: number;
}

/** What is asked of the history: what comes after a number, a portion at a time. */
export interface HistoryQuery {
  readonly since: number;
  /** Whether the kinds of events that are wanted include this one. */
  wants(name: EventName): boolean;
  /** Only events of this pipe, and those of the whole task. */
  readonly pipe: number | undefined;
  /** Events at which the portion ends; it may have somewhat more. */
  readonly limit: number;
}

export interface HistoryPage {
  /** In order. */
  readonly events: readonly KeptEvent[];
  /** Everything wanted up to this number is in `events`; undefined when that is all there is. */
  readonly last: number | undefined;
  /** The highest lost number above `since`, if any. */
  readonly lost: number | undefined;
}

/** Characters at which a portion ends. */
const pageChars = 2 * 1024 * 1024;

/**
 * The newest events of a task, bounded in bytes, so that a reader that was away can go on where it stopped. Status
 * snapshots are not kept: the current one replaces them.
 */
export class EventHistory {
  private readonly chunks: FlowChunk[] = [];
  private flowBytes = 0;
  private readonly others: KeptEvent[] = [];
  private otherBytes = 0;
  /** Highest number that is no longer kept; 0 when nothing was dropped. */
  private dropped = 0;

  constructor(private readonly maxBytes: number) {}

  /** Keeps a batch and returns its own copy of it. `composer` must stand before the records. */
  keepFlow(records: Buffer, firstSeq: number, composer: FlowComposer): Buffer {
    let chunk = this.chunks.at(-1);
    if (chunk === undefined || chunk.bytes > chunkBytes || !composer.continues(chunk.composer)) {
      chunk = { composer: composer.clone(), batches: [], bytes: 0, lastSeq: 0 };
      this.chunks.push(chunk);
    }
    // The records are a view of a larger read; a copy lets the rest of it go.
    const copy = Buffer.from(records);
    chunk.batches.push({ firstSeq, records: copy });
    chunk.bytes += records.length;
    chunk.lastSeq = firstSeq + countFlow(records) - 1;
    this.flowBytes += records.length;
    while (this.flowBytes > this.maxBytes && this.chunks.length > 1) {
      const gone = this.chunks.shift() as FlowChunk;
      this.flowBytes -= gone.bytes;
      this.dropped = Math.max(this.dropped, gone.lastSeq);
    }
    return copy;
  }

  keep(event: KeptEvent): void {
    this.others.push(event);
    this.otherBytes += event.body.length;
    while (this.otherBytes > this.maxBytes && this.others.length > 1) {
      const gone = this.others.shift() as KeptEvent;
      this.otherBytes -= gone.body.length;
      this.dropped = Math.max(this.dropped, gone.seqNo);
    }
  }

  /** The kept events after `seqNo` in order, and the highest lost number above it, if any. */
  since(seqNo: number): { events: KeptEvent[]; lost: number | undefined } {
    const events: KeptEvent[] = this.others.filter((event) => event.seqNo > seqNo);
    for (const chunk of this.chunks) {
      if (chunk.lastSeq <= seqNo) continue;
      const composer = chunk.composer.clone();
      for (const { firstSeq, records } of chunk.batches) {
        let number = firstSeq;
        decodeFlow(records, (record) => {
          const current = number++;
          if (current <= seqNo) composer.follow(record);
          else
            events.push({
              name: 'apaevt_flow',
              seqNo: current,
              pipe: record.pipe,
              body: composer.compose(record, current),
            });
        });
      }
    }
    events.sort((a, b) => a.seqNo - b.seqNo);
    return { events, lost: this.dropped > seqNo ? this.dropped : undefined };
  }

  /** Some of the kept events, in order. Events that nobody wants are not made. */
  page({ since, wants, pipe, limit }: HistoryQuery): HistoryPage {
    const lost = this.dropped > since ? this.dropped : undefined;
    const flow = wants('apaevt_flow') ? this.flowPage(since, pipe, limit) : { events: [], last: undefined };
    const others = this.others.filter(
      ({ name, seqNo, pipe: own }) =>
        seqNo > since && wants(name) && (pipe === undefined || own === undefined || own === pipe),
    );
    const last = Math.min(flow.last ?? Infinity, others[limit]?.seqNo ?? Infinity);
    const events = [...flow.events, ...others].filter(({ seqNo }) => seqNo <= last);
    events.sort((a, b) => a.seqNo - b.seqNo);
    return { events, last: last === Infinity ? undefined : last, lost };
  }

  private flowPage(
    since: number,
    pipe: number | undefined,
    limit: number,
  ): { events: KeptEvent[]; last: number | undefined } {
    const events: KeptEvent[] = [];
    let chars = 0;
    for (const chunk of this.chunks) {
      if (chunk.lastSeq <= since) continue;
      const composer = chunk.composer.clone();
      for (const { firstSeq, records } of chunk.batches) {
        if (events.length >= limit || chars >= pageChars) return { events, last: firstSeq - 1 };
        let number = firstSeq;
        decodeFlow(records, (record) => {
          const seqNo = number++;
          if (seqNo <= since || (pipe !== undefined && record.pipe !== pipe)) return composer.follow(record);
          const body = composer.compose(record, seqNo);
          chars += body.length;
          events.push({ name: 'apaevt_flow', seqNo, pipe: record.pipe, body });
        });
      }
    }
    return { events, last: undefined };
  }

  clear(): void {
    this.chunks.length = 0;
    this.others.length = 0;
    this.flowBytes = 0;
    this.otherBytes = 0;
  }
}
