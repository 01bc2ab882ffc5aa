import type { FlowBody } from '../protocol/events.js';
import type { LiveChanges, LiveNote } from '../protocol/liveView.js';
import type { TaskStatus } from '../protocol/status.js';

/** Numbers of events, both ends included. */
export interface SeqRange {
  readonly first: number;
  readonly last: number;
}

export interface BufferLimits {
  /** Flow events that wait for a slow receiver. */
  readonly events: number;
  /** Their size, in characters, about. */
  readonly chars: number;
  /** Flow events in one message. */
  readonly perMessage: number;
}

const defaultLimits: BufferLimits = { events: 50_000, chars: 32 * 1024 * 1024, perMessage: 5000 };
const mostNotes = 1000;

/** What has happened and was not told yet. Bounded: the oldest flow goes first, and is told as lost. */
export class ChangeBuffer {
  readonly #limits: BufferLimits;
  #flow: FlowBody[] = [];
  /** Flow before this place has gone; the array is cut now and then. */
  #start = 0;
  #chars = 0;
  #status: TaskStatus | undefined;
  #errors: LiveNote[] = [];
  #warnings: LiveNote[] = [];
  #lost: SeqRange[] = [];

  constructor(limits: Partial<BufferLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** Flow events that wait. */
  get waiting(): number {
    return this.#flow.length - this.#start;
  }

  get isEmpty(): boolean {
    const others = this.#errors.length + this.#warnings.length + this.#lost.length;
    return this.waiting === 0 && this.#status === undefined && others === 0;
  }

  addFlow(event: FlowBody): void {
    this.#flow.push(event);
    this.#chars += sizeOf(event);
    const { events, chars } = this.#limits;
    while (this.waiting > 1 && (this.waiting > events || this.#chars > chars)) {
      const { seqNo } = this.#takeOne();
      this.addLost({ first: seqNo, last: seqNo });
    }
  }

  addStatus(status: TaskStatus): void {
    this.#status = status;
  }

  addError(note: LiveNote): void {
    this.#errors = withNote(this.#errors, note);
  }

  addWarning(note: LiveNote): void {
    this.#warnings = withNote(this.#warnings, note);
  }

  addLost(range: SeqRange): void {
    const before = this.#lost.at(-1);
    // Nothing between two lost ones is still to come: what is there are events of other kinds.
    const joins = before !== undefined && range.first > before.last && this.#firstWaiting() > range.last;
    if (joins) this.#lost[this.#lost.length - 1] = { first: before.first, last: range.last };
    else this.#lost.push(range);
  }

  /** The next message, or undefined when there is nothing to tell. */
  take(): LiveChanges | undefined {
    if (this.isEmpty) return undefined;
    const flow: FlowBody[] = [];
    while (flow.length < this.#limits.perMessage && this.waiting > 0) flow.push(this.#takeOne());
    const changes: LiveChanges = {
      type: 'changes',
      ...(this.#status === undefined ? {} : { status: this.#status }),
      flow,
      errors: this.#errors,
      warnings: this.#warnings,
      lost: this.#lost,
    };
    this.#status = undefined;
    this.#errors = [];
    this.#warnings = [];
    this.#lost = [];
    return changes;
  }

  clear(): void {
    this.#flow = [];
    this.#start = 0;
    this.#chars = 0;
    this.#status = undefined;
    this.#errors = [];
    this.#warnings = [];
    this.#lost = [];
  }

  #firstWaiting(): number {
    return this.#flow[this.#start]?.seqNo ?? Infinity;
  }

  #takeOne(): FlowBody {
    const event = this.#flow[this.#start++] as FlowBody;
    this.#chars -= sizeOf(event);
    if (this.#start > 10_000 && this.#start * 2 > this.#flow.length) {
      this.#flow = this.#flow.slice(this.#start);
      this.#start = 0;
    }
    return event;
  }
}

function withNote(notes: LiveNote[], note: LiveNote): LiveNote[] {
  notes.push(note);
  return notes.length > mostNotes ? notes.slice(-mostNotes) : notes;
}

/** Texts and tables are cut by the server at 2000 characters; results can be of any size. */
function sizeOf({ trace, result }: FlowBody): number {
  const { data } = trace;
  const size = typeof data === 'string' ? data.length : data === undefined ? 0 : 500;
  return 300 + size + (result === undefined ? 0 : resultSize(result));
}

function resultSize(result: unknown): number {
  if (typeof result === 'string') return result.length;
  if (typeof result !== 'object' || result === null) return 10;
  return Object.values(result).reduce<number>((sum, value) => sum + resultSize(value), 10);
}
