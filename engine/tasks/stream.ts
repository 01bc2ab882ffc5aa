import { type EventName, eventBits } from '../../protocol/events.js';
import { decodeFlow } from '../worker/flowRecords.js';
import type { RunAnalytics } from './analytics.js';
import type { EventScope, EventSink, TaskEvent } from './events.js';
import type { FlowComposer } from './flowEvents.js';
import { EventHistory } from './history.js';

const historyBytes = 4 * 1024 * 1024;

/** Characters of a flow event's body besides its detail, roughly. */
const flowBodyChars = 300;

/** An `apaevt_flow` whose body is made when it is read. */
class FlowEvent implements TaskEvent {
  readonly name = 'apaevt_flow';
  private text: string | undefined;

  constructor(
    readonly scope: EventScope,
    readonly pipe: number,
    readonly seqNo: number,
    readonly size: number,
    private readonly make: () => string,
  ) {}

  get body(): string {
    return (this.text ??= this.make());
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
    const wanted = this.wants('apaevt_flow');
    decodeFlow(this.history.keepFlow(records, this.lastSeq + 1, composer), (record) => {
      const seqNo = ++this.lastSeq;
      analytics.record(record, seqNo);
      if (!wanted) return composer.follow(record);
      const size = record.size + flowBodyChars;
      this.sink.emit(new FlowEvent(this.scope, record.pipe, seqNo, size, composer.composeLater(record, seqNo)));
    });
  }

  /** What a reader that has seen everything up to `seqNo` missed, as far as it is kept. */
  since(seqNo: number): { events: TaskEvent[]; lost: number | undefined } {
    const { events, lost } = this.history.since(seqNo);
    return { events: events.map((event) => ({ ...event, scope: this.scope })), lost };
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
