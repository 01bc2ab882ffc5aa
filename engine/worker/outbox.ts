import { limits } from '../../protocol/limits.js';
import type { FlowEncoder } from './flowRecords.js';
import type { FrameWriter, Part } from './frames.js';
import {
  type Counters,
  type EndedMessage,
  FromWorker,
  type SnapshotMessage,
  type SseMessage,
  counterNames,
} from './messages.js';

/** Stacks are sent at most this often; counters and flow go with every answer. */
const snapshotMs = 250;
/** Flow events that no answer carries leave after this time. */
const lingerMs = 15;

/**
 * What the worker tells the server, asked and unasked. Answers leave at the end of a tick, and everything that has
 * gathered leaves before them, so that a client that has its result finds it in the status.
 */
export class Outbox {
  flow: FlowEncoder | undefined;
  private readonly counters: Counters = {
    completedCount: 0,
    completedSize: 0,
    failedCount: 0,
    failedSize: 0,
    wordsCount: 0,
    wordsSize: 0,
  };
  private countersChanged = false;
  private answers: { kind: number; call: number; part: Part }[] = [];
  private errors: string[] = [];
  private warnings: string[] = [];
  private stacksChanged = false;
  private lastSnapshot = 0;
  private lingering: NodeJS.Timeout | undefined;
  private snapshotTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly writer: FrameWriter,
    private readonly snapshot: () => SnapshotMessage,
  ) {}

  /** An answer of `kind` ok or fail to a call. */
  answer(kind: number, call: number, part: Part): void {
    // After everything that can be read now: the answers to several reads then leave in one write.
    if (this.answers.push({ kind, call, part }) === 1) setImmediate(() => this.sendAnswers());
  }

  count(changes: Partial<Counters>): void {
    for (const [name, by] of Object.entries(changes)) this.counters[name as keyof Counters] += by;
    this.countersChanged = true;
    this.linger();
  }

  error(message: string): void {
    keepNewest(this.errors, message);
    this.linger();
  }

  warning(message: string): void {
    keepNewest(this.warnings, message);
    this.linger();
  }

  sse(message: SseMessage): void {
    this.sendAnswers();
    this.writer.post(FromWorker.sse, 0, JSON.stringify(message));
  }

  /** The last message of a task that ends by itself. */
  ended(message: EndedMessage): void {
    this.sendAnswers();
    this.writer.post(FromWorker.ended, 0, JSON.stringify(message));
  }

  moved(): void {
    if (this.stacksChanged) return;
    this.stacksChanged = true;
    const wait = this.lastSnapshot + snapshotMs - performance.now();
    this.snapshotTimer ??= setTimeout(() => this.sendSnapshot(), Math.max(lingerMs, wait));
  }

  linger(): void {
    this.lingering ??= setTimeout(() => {
      this.lingering = undefined;
      this.sync();
    }, lingerMs);
  }

  /** Sends everything at once, down to the channel. */
  flush(): void {
    this.sendAnswers();
    this.writer.flush();
  }

  /** Sends what has gathered; answers wait for the end of the tick. */
  sync(): void {
    const records = this.flow?.take();
    if (records !== undefined && records.length > 0) this.writer.post(FromWorker.flow, 0, records);
    if (this.countersChanged) {
      this.countersChanged = false;
      const bytes = Buffer.allocUnsafe(counterNames.length * 8);
      counterNames.forEach((name, position) => bytes.writeDoubleLE(this.counters[name], position * 8));
      this.writer.post(FromWorker.counters, 0, bytes);
    }
    if (this.stacksChanged && performance.now() - this.lastSnapshot >= snapshotMs) this.sendSnapshot();
    if (this.errors.length > 0 || this.warnings.length > 0) {
      const { errors, warnings } = this;
      this.errors = [];
      this.warnings = [];
      this.writer.post(FromWorker.notes, 0, JSON.stringify({ errors, warnings }));
    }
  }

  dispose(): void {
    clearTimeout(this.lingering);
    clearTimeout(this.snapshotTimer);
  }

  private sendAnswers(): void {
    this.sync();
    const { answers } = this;
    this.answers = [];
    for (const { kind, call, part } of answers) this.writer.post(kind, call, part);
  }

  private sendSnapshot(): void {
    clearTimeout(this.snapshotTimer);
    this.snapshotTimer = undefined;
    this.stacksChanged = false;
    this.lastSnapshot = performance.now();
    this.writer.post(FromWorker.snapshot, 0, JSON.stringify(this.snapshot()));
  }
}

function keepNewest(list: string[], message: string): void {
  list.push(message);
  if (list.length > limits.recentMessages) list.shift();
}
