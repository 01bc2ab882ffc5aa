import { type EventName, eventBits } from '../../protocol/events.js';
import { countFlow, decodeFlow } from '../worker/flowRecords.js';
import type { RunAnalytics } from './analytics.js';
import type { EventBatch, EventScope, EventSink, TaskEvent } from './events.js';
import type { FlowComposer } from './flowEvents.js';
import { EventHistory, type HistoryPage, type HistoryQuery } from './history.js';

const historyBytes = 4 * 1024 * 1024;

/** Characters of a flow event's body besides its detail, roughly. */
const flowBodyChars = 300;

/** The `apaevt_flow` events of one batch of records. */
class FlowBatch implements EventBatch {
  readonly name = 'apaevt_flow';
  readonly lastSeq: number;
  readonly size: number;
  private made: TaskEvent[] | undefined;

  /** @param composer where it stood before the records; it is not moved */
  constructor(
    readonly scope: EventScope,
    readonly firstSeq: number,
    private readonly records: Buffer,
    private readonly composer: FlowComposer,
  ) {
    const count = countFlow(records);
    this.lastSeq = firstSeq + count - 1;
    this.size = records.length + count * flowBodyChars;
  }

  events(): readonly TaskEvent[] {
    return (this.made ??= this.make());
  }

  private make(): TaskEvent[] {
    const { name, scope } = this;
    const composer = this.composer.clone();
    const events: TaskEvent[] = [];
    decodeFlow(this.records, (record) => {
      const seqNo = this.firstSeq + events.length;
      events.push({ name, scope, pipe: record.pipe, seqNo, body: composer.compose(record, seqNo) });
    });
    return events;
  }
}

/** The numbered event stream of one task. Snapshots are not kept in its history; everything else is. */
export class TaskStream {
  private readonly history = new EventHistory(historyBytes);
  private lastSeq = 0;

  constructor(
    readonly scope: EventScope,
    private readonly sink: EventSink,
  ) {}

  wants(name: EventName): boolean {
    return this.sink.wants(this.scope, eventBits[name]);
  }

  /** A status snapshot: numbered, sent if somebody wants it, not kept. `body` is only called if it is sent. */
  snapshot(name: EventName, body: () => object): void {
    const seqNo = ++this.lastSeq;
    if (this.wants(name)) this.sink.emit({ name, scope: this.scope, seqNo, body: this.encode(body(), seqNo) });
  }

  /** An event that a reader may ask for again. */
  event(name: EventName, body: object, pipe?: number): void {
    const seqNo = ++this.lastSeq;
    const event: TaskEvent = {
      name,
      scope: this.scope,
      seqNo,
      body: this.encode(body, seqNo),
      ...(pipe === undefined ? {} : { pipe }),
    };
    this.history.keep({ name, seqNo, body: event.body, ...(pipe === undefined ? {} : { pipe }) });
    if (this.wants(name)) this.sink.emit(event);
  }

  flow(records: Buffer, composer: FlowComposer, analytics: RunAnalytics): void {
    const firstSeq = this.lastSeq + 1;
    const kept = this.history.keepFlow(records, firstSeq, composer);
    const batch = this.wants('apaevt_flow') && new FlowBatch(this.scope, firstSeq, kept, composer.clone());
    decodeFlow(kept, (record) => {
      analytics.record(record, ++this.lastSeq);
      composer.follow(record);
    });
    if (batch) this.sink.emitBatch(batch);
  }

  /** What a reader that has seen everything up to `seqNo` missed, as far as it is kept. */
  since(seqNo: number): { events: TaskEvent[]; lost: number | undefined } {
    const { events, lost } = this.history.since(seqNo);
    return { events: events.map((event) => ({ ...event, scope: this.scope })), lost };
  }

  /** The number of the newest event. */
  get newest(): number {
    return this.lastSeq;
  }

  page(query: HistoryQuery): HistoryPage {
    return this.history.page(query);
  }

  /** The task has ended by itself, and not well. */
  failed(exitCode: number, exitMessage: string): void {
    this.sink.failed(this.scope, exitCode, exitMessage);
  }

  /** The end of the task: nothing will be replayed any more. */
  dispose(): void {
    this.history.clear();
  }

  private encode(body: object, seqNo: number): string {
    return JSON.stringify({ ...body, seqNo, __id: this.scope.id });
  }
}
