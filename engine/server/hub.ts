import { EventBit, eventBits } from '../../protocol/events.js';
import type { EventBatch, EventScope, EventSink, TaskEvent } from '../tasks/events.js';
import type { Principal } from '../tasks/service.js';

/** One reader of events: a connection that has logged in. */
export interface Subscriber {
  readonly principal: Principal | undefined;
  /** Bits wanted for an event of a task, or of one of its pipes. */
  interest(scope: EventScope, pipe: number | undefined): number;
  /** Bits wanted for the task or any of its pipes. */
  interestInAny(scope: EventScope): number;
  readonly serverInterest: number;
  taskEvent(event: TaskEvent): void;
  /** Events of which some may be of pipes that are not wanted. */
  taskEvents(batch: EventBatch): void;
  serverEvent(name: string, body: object): void;
}

/** Hands the events of tasks and of the server to those who may see and want them. */
export class EventHub implements EventSink {
  private readonly subscribers = new Set<Subscriber>();

  /** @param now Unix seconds */
  constructor(private readonly now: () => number) {}

  add(subscriber: Subscriber): void {
    this.subscribers.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.subscribers.delete(subscriber);
  }

  wants(scope: EventScope, bit: number): boolean {
    for (const subscriber of this.subscribers) {
      if ((subscriber.interestInAny(scope) & bit) !== 0 && maySee(subscriber.principal, scope, bit)) return true;
    }
    return false;
  }

  emit(event: TaskEvent): void {
    const bit = eventBits[event.name];
    for (const subscriber of this.subscribers) {
      const wanted = subscriber.interest(event.scope, event.pipe) & bit;
      if (wanted !== 0 && maySee(subscriber.principal, event.scope, bit)) subscriber.taskEvent(event);
    }
  }

  emitBatch(batch: EventBatch): void {
    const bit = eventBits[batch.name];
    for (const subscriber of this.subscribers) {
      const wanted = subscriber.interestInAny(batch.scope) & bit;
      if (wanted !== 0 && maySee(subscriber.principal, batch.scope, bit)) subscriber.taskEvents(batch);
    }
  }

  failed({ id, keyId }: EventScope, exitCode: number, exitMessage: string): void {
    this.dashboard('task_error', { taskId: id, exitCode, exitMessage }, keyId);
  }

  removed({ id, keyId }: EventScope): void {
    this.dashboard('task_removed', { taskId: id }, keyId);
  }

  /** An `apaevt_dashboard` event; with `keyId` only for connections of that key. */
  dashboard(action: string, fields: object, keyId?: string): void {
    for (const subscriber of this.subscribers) {
      const { principal } = subscriber;
      if (principal?.kind !== 'key' || (keyId !== undefined && principal.keyId !== keyId)) continue;
      if ((subscriber.serverInterest & EventBit.DASHBOARD) === 0) continue;
      subscriber.serverEvent('apaevt_dashboard', { action, timestamp: this.now(), ...fields });
    }
  }
}

/** A public key sees only what concerns its own data; a task's own token only that task. */
export function maySee(principal: Principal | undefined, scope: EventScope, bit: number): boolean {
  if (principal === undefined || principal.keyId !== scope.keyId) return false;
  if (principal.kind === 'key') return true;
  return principal.token === scope.token && (principal.kind === 'task' || bit === EventBit.SSE);
}
