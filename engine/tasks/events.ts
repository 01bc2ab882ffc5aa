import type { EventName } from '../../protocol/events.js';

/** Which task an event is about, and who may see it. */
export interface EventScope {
  /** Short id of the task. */
  readonly id: string;
  readonly token: string;
  readonly keyId: string;
  readonly projectId: string;
  readonly source: string;
}

/** One event of a task's numbered stream, ready to be sent. */
export interface TaskEvent {
  readonly name: EventName;
  readonly scope: EventScope;
  /** Set for events of one pipe. */
  readonly pipe?: number;
  /** Gapless per task. */
  readonly seqNo: number;
  /** The body as JSON text, `__id` and `seqNo` included. */
  readonly body: string;
}

/** Consecutive events of one kind, made when somebody reads them: for a slow reader most never are. */
export interface EventBatch {
  readonly name: EventName;
  readonly scope: EventScope;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** About how many characters the bodies have together. */
  readonly size: number;
  events(): readonly TaskEvent[];
}

/** Where tasks send their events. Bodies are only made when somebody wants them. */
export interface EventSink {
  wants(scope: EventScope, bit: number): boolean;
  emit(event: TaskEvent): void;
  emitBatch(batch: EventBatch): void;
  /** A task has ended with an exit code other than 0. */
  failed(scope: EventScope, exitCode: number, exitMessage: string): void;
  /** The record of a task is gone. */
  removed(scope: EventScope): void;
}
