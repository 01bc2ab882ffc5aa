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

  clear(): void {
    this.chunks.length = 0;
    this.others.length = 0;
    this.flowBytes = 0;
    this.otherBytes = 0;
  }
}
