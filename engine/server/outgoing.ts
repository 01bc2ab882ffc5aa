import type { EventBatch, EventScope, TaskEvent } from '../tasks/events.js';
import type { MessageWriter } from './messageWriter.js';

/** From this much unsent data on, events wait here instead of in the socket. */
const fullBytes = 1024 * 1024;
const heldEvents = 1000;
const heldBytes = 8 * 1024 * 1024;

/** One or more consecutive events that wait. */
interface Held {
  readonly scope: EventScope;
  readonly first: number;
  readonly last: number;
  /** Characters, about. */
  readonly size: number;
  events(): readonly TaskEvent[];
}

interface Lost {
  id: string;
  first: number;
  last: number;
}

/**
 * What leaves on one socket. Answers always go out; events for a reader that
 * is too slow are held back in bounded number and size: only the newest snapshot of each kind, and of the others the newest.
 * What had to be dropped is announced with `apaevt_lost`.
 */
export class Outgoing {
  private seq = 0;
  private readonly snapshots = new Map<string, TaskEvent>();
  private held: Held[] = [];
  private heldCount = 0;
  private heldSize = 0;
  /** Kept events that a reader asked for again; they leave as fast as it reads, before anything newer. */
  private backlog: TaskEvent[] = [];
  private readonly lost = new Map<string, Lost>();
  sent = 0;

  constructor(private readonly writer: Pick<MessageWriter, 'text' | 'binary' | 'flush' | 'waitingBytes' | 'onDrain'>) {
    writer.onDrain(() => this.release());
  }

  /** Bytes accepted and not yet taken by the system. */
  get waitingBytes(): number {
    return this.writer.waitingBytes;
  }

  /** What gathers to leave together leaves now. */
  flush(): void {
    this.writer.flush();
  }

  /** A whole message but for its opening: `{"seq":N` is put in front of `rest`. */
  text(rest: string): void {
    this.sent++;
    this.writer.text(`{"seq":${++this.seq}${rest}`);
  }

  /** A binary message: the header as in `text`, then the payload. */
  binary(rest: string, payload: Uint8Array): void {
    this.sent++;
    this.writer.binary(`{"seq":${++this.seq}${rest}`, payload);
  }

  /** Sends events again, in order. */
  replay(events: readonly TaskEvent[]): void {
    this.backlog.push(...events);
    this.sendBacklog();
  }

  event(event: TaskEvent): void {
    if (!this.behind) return this.write(event);
    if (isSnapshot(event)) {
      const key = `${event.scope.id} ${event.name}`;
      // A newer snapshot says all that the older one said.
      this.snapshots.delete(key);
      this.snapshots.set(key, event);
      return;
    }
    const { scope, seqNo, body } = event;
    this.hold({ scope, first: seqNo, last: seqNo, size: body.length, events: () => [event] });
  }

  /** Those of a batch that are `wanted`. */
  events(batch: EventBatch, wanted: (event: TaskEvent) => boolean): void {
    const events = (): readonly TaskEvent[] => batch.events().filter(wanted);
    if (!this.behind) {
      for (const event of events()) this.event(event);
      return;
    }
    const { scope, firstSeq, lastSeq, size } = batch;
    this.hold({ scope, first: firstSeq, last: lastSeq, size, events });
  }

  /** Whether an event may not leave yet: the reader is too slow, or older ones wait. */
  private get behind(): boolean {
    return this.waitingBytes >= fullBytes || this.backlog.length > 0 || this.held.length > 0 || this.snapshots.size > 0;
  }

  /** What is held keeps to the limits, but for the newest, which is held whatever it is. */
  private hold(held: Held): void {
    this.held.push(held);
    this.heldCount += countOf(held);
    this.heldSize += held.size;
    while (this.held.length > 1 && this.isFullWithout(this.held[0] as Held)) this.drop(this.held.shift() as Held);
  }

  /** A batch goes as a whole once the others fill the limit without it. */
  private isFullWithout(oldest: Held): boolean {
    return this.heldCount - countOf(oldest) >= heldEvents || this.heldSize > heldBytes;
  }

  private write({ name, scope, body }: TaskEvent): void {
    this.text(`,"type":"event","event":"${name}","id":${JSON.stringify(scope.id)},"body":${body}}`);
  }

  private drop(gone: Held): void {
    const { scope, first, last } = gone;
    this.heldCount -= countOf(gone);
    this.heldSize -= gone.size;
    const known = this.lost.get(scope.token);
    if (known === undefined) this.lost.set(scope.token, { id: scope.id, first, last });
    else known.last = last;
  }

  private sendBacklog(): void {
    let sent = 0;
    while (sent < this.backlog.length && this.waitingBytes < fullBytes) this.write(this.backlog[sent++] as TaskEvent);
    this.backlog = this.backlog.slice(sent);
  }

  private release(): void {
    this.sendBacklog();
    if (this.backlog.length > 0) return;
    for (const { id, first, last } of this.lost.values()) {
      const body = JSON.stringify({ first, last, __id: id });
      this.text(`,"type":"event","event":"apaevt_lost","id":${JSON.stringify(id)},"body":${body}}`);
    }
    this.lost.clear();
    const ready = [...this.held.flatMap((held) => held.events()), ...this.snapshots.values()];
    ready.sort((a, b) => a.seqNo - b.seqNo);
    this.held = [];
    this.heldCount = 0;
    this.heldSize = 0;
    this.snapshots.clear();
    for (const event of ready) this.event(event);
  }
}

function countOf({ first, last }: Held): number {
  return last - first + 1;
}

function isSnapshot({ name }: TaskEvent): boolean {
  return name === 'apaevt_status_update' || name === 'apaevt_status_counts';
}
