import type { LinkState, LiveChanges, LiveNote, LiveTask, ToLiveView } from '../../protocol/liveView.js';
import type { TaskStatus } from '../../protocol/status.js';
import { TaskState } from '../../protocol/status.js';
import { defaultBounds } from './bounds.js';
import type { Bounds } from './bounds.js';
import type { TraceObject } from './objects.js';
import { shortText } from './preview.js';
import { Ring } from './ring.js';
import { RunModel } from './run.js';
import { traceObject } from './tracer.js';

/** The answer to a request for one object's trace. */
export type TraceAnswer =
  { readonly kind: 'found'; readonly object: TraceObject } | { readonly kind: 'lost'; readonly reason: string };

/** The values of the sparklines, one of each per status. */
export class StatusHistory {
  version = 0;
  readonly rateCount: Ring<number>;
  readonly rateSize: Ring<number>;
  readonly cpu: Ring<number>;
  readonly memory: Ring<number>;
  readonly gpuMemory: Ring<number>;

  constructor(samples: number) {
    this.rateCount = new Ring(samples);
    this.rateSize = new Ring(samples);
    this.cpu = new Ring(samples);
    this.memory = new Ring(samples);
    this.gpuMemory = new Ring(samples);
  }

  add({ rateCount, rateSize, metrics }: TaskStatus): void {
    this.rateCount.push(rateCount);
    this.rateSize.push(rateSize);
    this.cpu.push(metrics.cpu_percent);
    this.memory.push(metrics.cpu_memory_mb);
    this.gpuMemory.push(metrics.gpu_memory_mb);
    this.version++;
  }
}

/** Errors or warnings as they came. */
export class NoteLog {
  version = 0;
  /** All that came, also those that are forgotten. */
  total = 0;
  readonly ring: Ring<LiveNote>;
  private lastSeq = 0;

  constructor(private readonly bounds: Bounds) {
    this.ring = new Ring(bounds.notes);
  }

  add(notes: readonly LiveNote[]): void {
    for (const note of notes) {
      if (note.seqNo <= this.lastSeq) continue;
      this.lastSeq = note.seqNo;
      this.ring.push({ ...note, text: shortText(note.text, this.bounds.noteChars) });
      this.total++;
    }
    if (notes.length > 0) this.version++;
  }
}

/**
 * Everything the live view shows. Changed in place, one pass per message; each part counts its changes in a `version`, so
 * that a reader asks for a number instead of comparing contents.
 */
export class LiveModel {
  task: LiveTask | undefined;
  link: LinkState = { kind: 'live' };
  status: TaskStatus | undefined;
  run: RunModel | undefined;
  history: StatusHistory;
  errors: NoteLog;
  warnings: NoteLog;
  lost: Ring<{ readonly first: number; readonly last: number }>;
  lostEvents = 0;
  /** Answers to `trace`, by `beginSeq`. Replaced at each change. */
  traces: ReadonlyMap<number, TraceAnswer> = new Map();
  /** Runs that were shown, this one included. */
  runs = 0;

  constructor(readonly bounds: Bounds = defaultBounds) {
    this.history = new StatusHistory(bounds.samples);
    this.errors = new NoteLog(bounds);
    this.warnings = new NoteLog(bounds);
    this.lost = new Ring(bounds.lost);
  }

  /** Whether the run is over for good. */
  get ended(): boolean {
    const state = this.status?.state;
    return (
      this.link.kind === 'ended' ||
      this.status?.completed === true ||
      state === TaskState.COMPLETED ||
      state === TaskState.CANCELLED
    );
  }

  apply(message: ToLiveView): void {
    switch (message.type) {
      case 'task':
        return this.begin(message);
      case 'changes':
        return this.change(message);
      case 'link':
        this.link = message.state;
        if (message.state.kind === 'ended') this.run?.finish();
        return;
      case 'trace': {
        const object = traceObject(message.events, this.bounds);
        const reason = 'The server no longer has the beginning of this object.';
        return this.answer(message.beginSeq, object ? { kind: 'found', object } : { kind: 'lost', reason });
      }
      case 'traceLost':
        return this.answer(message.beginSeq, { kind: 'lost', reason: message.reason });
    }
  }

  private begin(task: LiveTask): void {
    this.task = task;
    this.status = undefined;
    // Only a new run follows an ended one; a lost connection is told to be back by its own message.
    if (this.link.kind === 'ended') this.link = { kind: 'live' };
    this.run = new RunModel(task, this.bounds);
    this.history = new StatusHistory(this.bounds.samples);
    this.errors = new NoteLog(this.bounds);
    this.warnings = new NoteLog(this.bounds);
    this.lost = new Ring(this.bounds.lost);
    this.lostEvents = 0;
    this.traces = new Map();
    this.runs++;
  }

  private change({ status, flow, errors, warnings, lost }: LiveChanges): void {
    if (status !== undefined) {
      this.status = withUsage(status, this.status);
      this.history.add(status);
    }
    this.run?.take(flow, status);
    this.errors.add(errors);
    this.warnings.add(warnings);
    for (const range of lost) {
      this.lost.push(range);
      this.lostEvents += range.last - range.first + 1;
    }
  }

  private answer(beginSeq: number, answer: TraceAnswer): void {
    const kept = [...this.traces].filter(([key]) => key !== beginSeq).slice(1 - this.bounds.traces);
    this.traces = new Map([...kept, [beginSeq, answer]]);
  }
}

/** Servers forget what a run has used when it ends; its peaks and means are worth showing all the same. */
function withUsage(status: TaskStatus, before: TaskStatus | undefined): TaskStatus {
  if (!status.completed || before === undefined) return status;
  const { cpu_percent, cpu_memory_mb, gpu_memory_mb } = status.metrics;
  return { ...status, metrics: { ...before.metrics, cpu_percent, cpu_memory_mb, gpu_memory_mb } };
}
