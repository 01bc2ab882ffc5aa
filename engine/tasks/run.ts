import { MillraceError, toMillraceError } from '../../protocol/errors.js';
import { TaskState, type TaskStatus } from '../../protocol/status.js';
import {
  type EndedMessage,
  FromWorker,
  type NotesMessage,
  type OpenMessage,
  type SnapshotMessage,
  type SseMessage,
  type StartMessage,
  type StartedMessage,
  ToWorker,
} from '../worker/messages.js';
import { u32 } from '../worker/frames.js';
import { RunAnalytics } from './analytics.js';
import { FlowComposer } from './flowEvents.js';
import { type ProcessSampler, UsageMeter } from './metrics.js';
import type { Cancellation } from './service.js';
import { StateMachine } from './stateMachine.js';
import { RunStatus } from './status.js';
import type { TaskStream } from './stream.js';
import type { WorkerProcess } from './workerProcess.js';

/** Time limits of a run, milliseconds. */
export interface RunLimits {
  /** From the start request to RUNNING. */
  readonly startMs: number;
  /** A busy worker that answers nothing for this long is ended. */
  readonly stallMs: number;
  /** From `terminate` to the kill. */
  readonly stopMs: number;
}

export interface RunContext {
  readonly stream: TaskStream;
  readonly sampler: ProcessSampler;
  readonly limits: RunLimits;
  /** Unix seconds. */
  readonly now: () => number;
  /** Replaces `{token}` and `{public_auth}` in the notes of the source. */
  readonly fillIn: (text: string) => string;
}

/** How a run ended. */
export type RunEnd =
  { kind: 'completed' } | { kind: 'stopped'; message: string } | { kind: 'failed'; code: number; message: string };

/** From a task's start to its end: one worker, one pass through the states. */
export class Run {
  readonly machine: StateMachine;
  /** Resolves in a final state. */
  readonly ended: Promise<RunEnd>;
  private readonly status: RunStatus;
  private readonly analytics: RunAnalytics;
  private readonly composer: FlowComposer;
  private readonly meter = new UsageMeter();
  private resolveEnded: (end: RunEnd) => void = () => undefined;
  private worker: WorkerProcess | undefined;
  private ending: RunEnd | undefined;
  private changed = false;
  private countsSent = '';
  private lastCounts = 0;
  private lastSample: number | undefined;
  private lastPublish = 0;
  /** Ticks since a ping that is not answered yet. */
  private unanswered: number | undefined;
  private sourceRuns = false;
  private restarts = false;

  constructor(
    readonly name: string,
    private readonly message: StartMessage,
    readonly startTime: number,
    private readonly context: RunContext,
  ) {
    const ids = message.components.map(({ id }) => id);
    const source = ids[message.source] ?? '';
    this.status = new RunStatus(name, message.projectId, source);
    this.status.value.startTime = startTime;
    this.analytics = new RunAnalytics(ids);
    this.composer = new FlowComposer(ids, message.projectId, source, context.stream.scope.id);
    this.machine = new StateMachine((state) => {
      this.status.value.state = state;
      this.publish();
    });
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
  }

  /** Unix seconds; 0 until the run has ended. */
  get endTime(): number {
    return this.status.value.endTime;
  }

  /** Whether the worker has something to do. */
  get busy(): boolean {
    return this.sourceRuns || (this.worker?.pendingCount ?? 0) > 0;
  }

  /**
   * Takes the worker through the start. Resolves in RUNNING.
   *
   * @throws MillraceError with the component's reason; the run has then ended
   */
  async start(takeWorker: () => WorkerProcess, warnings: readonly string[]): Promise<void> {
    this.status.takeNotes({ errors: [], warnings: [...warnings] });
    try {
      this.machine.move(TaskState.STARTING);
      const worker = takeWorker();
      this.worker = worker;
      worker.onNotice = (kind, payload) => this.notice(kind, payload);
      worker.onOutput = (line) => this.context.stream.event('output', { category: 'console', output: `${line}\n` });
      void worker.exited.then(({ code, signal }) => this.exited(code, signal));
      await within(worker.ready, this.context.limits.startMs, 'The worker process did not start');
      if (this.ending !== undefined) throw stoppedWhileStarting(this.ending);
      this.status.value.status = 'Processing';
      this.machine.move(TaskState.INITIALIZING);
      const answer = await within(
        worker.request(ToWorker.start, JSON.stringify(this.message)),
        this.context.limits.startMs,
        'The components did not start',
      );
      if (this.ending !== undefined) return this.endedAtOnce(this.ending);
      const { readyText, notes, runs } = JSON.parse(answer.toString('utf8')) as StartedMessage;
      this.sourceRuns = runs;
      this.status.value.status = readyText;
      this.status.value.notes = JSON.parse(this.context.fillIn(JSON.stringify(notes))) as TaskStatus['notes'];
      this.status.value.serviceUp = true;
      this.machine.move(TaskState.RUNNING);
      this.context.stream.event('apaevt_status_user', { notes: this.status.value.notes });
    } catch (thrown) {
      const { ending } = this;
      const error = ending?.kind === 'stopped' ? stoppedWhileStarting(ending) : toMillraceError(thrown, 'start_failed');
      this.end({ kind: 'failed', code: 1, message: error.message });
      await this.ended;
      throw error;
    }
  }

  /**
   * The worker had started when the run ended: a source that fetches its own objects may be done, or have failed, before
   * its answer is looked at. Whether that comes a moment earlier or later must make no difference to the caller.
   */
  private endedAtOnce(ending: RunEnd): void {
    if (ending.kind === 'stopped') throw stoppedWhileStarting(ending);
  }

  /** The worker, while it can be asked; otherwise the reason why not is thrown. */
  private ready(): WorkerProcess {
    if (this.worker === undefined || this.ending !== undefined) throw this.refusal();
    return this.worker;
  }

  /** Begins an object of `size` bytes; it ends with `close` or `abandon`. */
  open(message: OpenMessage, size: number, cancellation: Cancellation | undefined): Promise<number> {
    const worker = this.ready();
    if (cancellation?.cancelled === true) throw new MillraceError('cancelled');
    this.began(message, size);
    return new Promise((resolve, reject) => {
      const call = worker.call(ToWorker.open, [JSON.stringify(message)], (error, payload) => {
        forget?.();
        if (error !== undefined) {
          this.objectEnded(worker, size);
          return reject(this.explain(error));
        }
        const pipe = payload.readUInt32LE(0);
        // The one who wanted it is gone, and the pipe was given before the worker learned of it.
        if (cancellation?.cancelled === true) void this.abandon(pipe, 'The client is gone', size);
        resolve(pipe);
      });
      const forget = cancellation?.onCancel(() => {
        worker.post(ToWorker.cancel, call);
        reject(new MillraceError('cancelled'));
      });
    });
  }

  /** @param settled called before the promise settles, either way */
  write(pipe: number, parts: readonly Uint8Array[], settled: () => void): Promise<void> {
    return this.ask(ToWorker.write, [u32(pipe), ...parts], nothing, settled);
  }

  /**
   * @param size what `open` was given
   * @param settled called before the promise settles, either way
   */
  close(pipe: number, size: number, settled: () => void): Promise<string> {
    return this.ask(ToWorker.close, [u32(pipe)], toText, settled, size);
  }

  send(message: OpenMessage, data: Uint8Array, size: number): Promise<string> {
    const json = Buffer.from(JSON.stringify(message));
    this.ready();
    this.began(message, size);
    return this.ask(ToWorker.send, [u32(json.length), json, data], toText, nothing, size);
  }

  /**
   * Resolves when the object has ended, also when that is because the worker has.
   *
   * @param size what `open` was given
   */
  abandon(pipe: number, reason: string, size: number): Promise<void> {
    const { worker } = this;
    if (worker === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      worker.call(ToWorker.abandon, [u32(pipe), reason], () => {
        this.objectEnded(worker, size);
        resolve();
      });
    });
  }

  /** Bookkeeping of objects under way, so that none is silently gone when the worker dies. */
  private began({ object: { name } }: OpenMessage, size: number): void {
    const shown = typeof name === 'string' ? name : '';
    this.status.began(shown, size);
    this.changed = true;
    if (this.context.stream.wants('apaevt_status_object')) {
      this.context.stream.event('apaevt_status_object', { object: shown, size });
    }
  }

  /** The worker has answered, so it has counted the object; those it could not answer for stay until `finish`. */
  private objectEnded(worker: WorkerProcess, size: number): void {
    if (!worker.alive) return;
    this.status.ended(size);
    this.changed = true;
  }

  /**
   * Stops the run; resolves in a final state.
   *
   * @param message becomes `exitMessage`; empty when a user asked for it
   * @param restarts the task goes on with another run, so its status never says completed
   */
  async stop(message: string, restarts = false): Promise<void> {
    if (this.ending === undefined) {
      this.ending = { kind: 'stopped', message };
      this.restarts = restarts;
      this.status.value.status = restarts ? 'Restarting' : 'Stopping';
      this.machine.stop();
      await this.worker?.stop(message || 'The task was stopped', this.context.limits.stopMs);
      this.finish();
    }
    await this.ended;
  }

  current(): TaskStatus {
    return this.status.current(this.context.now(), this.analytics, this.meter);
  }

  /** Every half second: sampling, the stall watch, and publishing what changed, at most once a second. */
  tick(): void {
    const { worker } = this;
    if (worker === undefined || this.machine.state !== TaskState.RUNNING) return;
    this.watch(worker);
    const now = this.context.now();
    if (this.lastSample === undefined || now - this.lastSample >= 0.9) void this.sample(worker, now);
    if (this.changed && now - this.lastPublish >= 0.9) this.publish();
    if (now - this.lastCounts >= 2.5) this.publishCounts(now);
  }

  /** Why data cannot be taken in the current state. */
  refusal(): MillraceError {
    if (!this.machine.ended && this.ending === undefined)
      return new MillraceError('internal', 'The task has no worker');
    if (!this.machine.ended) return new MillraceError('task_stopping');
    if (this.machine.state === TaskState.COMPLETED) return new MillraceError('task_ended');
    return new MillraceError('task_failed', this.status.value.exitMessage || 'The task was stopped');
  }

  /** @param endsObject bytes of the object that the answer ends */
  /** One promise a request, because this is the send path. */
  private ask<T>(
    kind: number,
    parts: Uint8Array[],
    read: (payload: Buffer) => T,
    settled: () => void,
    endsObject?: number,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const worker = this.ready();
      worker.call(kind, parts, (error, payload) => {
        settled();
        if (endsObject !== undefined) this.objectEnded(worker, endsObject);
        if (error === undefined) resolve(read(payload));
        else reject(this.explain(error));
      });
    });
  }

  /** A worker that died says only that; the end of the run says why. */
  private explain(error: MillraceError): MillraceError {
    if (error.code !== 'task_failed' || this.ending === undefined) return error;
    if (this.ending.kind !== 'failed')
      return new MillraceError('task_stopping', 'The task was stopped', { cause: error });
    return new MillraceError('task_failed', this.ending.message, { cause: error });
  }

  private notice(kind: number, payload: Buffer): void {
    this.changed = true;
    switch (kind) {
      case FromWorker.flow:
        this.context.stream.flow(payload, this.composer, this.analytics);
        return;
      case FromWorker.counters:
        this.status.takeCounters(payload);
        return;
      case FromWorker.snapshot:
        this.status.takeSnapshot(JSON.parse(payload.toString('utf8')) as SnapshotMessage);
        return;
      case FromWorker.notes:
        this.notes(JSON.parse(payload.toString('utf8')) as NotesMessage);
        return;
      case FromWorker.sse: {
        const message = JSON.parse(payload.toString('utf8')) as SseMessage;
        this.context.stream.event('apaevt_sse', message, message.pipe_id);
        return;
      }
      case FromWorker.ended: {
        const { code, message } = JSON.parse(payload.toString('utf8')) as EndedMessage;
        this.end(code === 0 ? { kind: 'completed' } : { kind: 'failed', code, message });
        return;
      }
    }
  }

  private notes(message: NotesMessage): void {
    this.status.takeNotes(message);
    for (const text of message.errors) this.context.stream.event('apaevt_status_error', { message: text });
    for (const text of message.warnings) this.context.stream.event('apaevt_status_warning', { message: text });
  }

  private exited(code: number | null, signal: NodeJS.Signals | null): void {
    const { worker } = this;
    if (worker === undefined) return;
    this.context.sampler.forget(worker.pid);
    this.end({
      kind: 'failed',
      code: code === null || code === 0 ? 1 : code,
      message: worker.describeExit({ code, signal }),
    });
  }

  /** The run ends by itself. */
  private end(end: RunEnd): void {
    if (this.ending !== undefined) return;
    this.ending = end;
    if (end.kind === 'failed') this.status.takeNotes({ errors: [end.message], warnings: [] });
    this.status.value.status = 'Stopping';
    this.machine.stop();
    this.worker?.kill(new MillraceError('task_failed', end.kind === 'failed' ? end.message : 'The task has ended'));
    this.finish();
  }

  private finish(): void {
    const end = this.ending ?? { kind: 'completed' };
    const { value } = this.status;
    this.status.loseOpen();
    value.serviceUp = false;
    if (!this.restarts) {
      value.completed = true;
      value.endTime = this.context.now();
    }
    value.exitCode = end.kind === 'failed' ? end.code : 0;
    value.exitMessage = end.kind === 'completed' ? '' : end.message;
    value.status = end.kind === 'completed' ? 'Completed' : this.restarts ? 'Restarting' : 'Stopped';
    value.pipeflow = { totalPipes: value.pipeflow.totalPipes, byPipe: {} };
    this.machine.move(end.kind === 'completed' ? TaskState.COMPLETED : TaskState.CANCELLED);
    this.resolveEnded(end);
  }

  private watch(worker: WorkerProcess): void {
    if (this.unanswered !== undefined) {
      // Ticks are counted instead of time, so that a pause of this very process is not held against the worker.
      this.unanswered++;
      if (this.unanswered * tickMs >= this.context.limits.stallMs) this.endStalled();
      return;
    }
    if (worker.pendingCount === 0 && !this.sourceRuns) return;
    this.unanswered = 0;
    worker.call(ToWorker.ping, [], () => (this.unanswered = undefined));
  }

  private endStalled(): void {
    const seconds = Math.round(this.context.limits.stallMs / 1000);
    const object = this.status.value.currentObject;
    this.end({
      kind: 'failed',
      code: 1,
      message:
        `A component blocked the task for ${seconds} s${object === '' ? '' : ` while processing "${object}"`}; ` +
        'components must give way (await) or work in a thread',
    });
  }

  private async sample(worker: WorkerProcess, now: number): Promise<void> {
    const seconds = this.lastSample === undefined ? 0 : now - this.lastSample;
    this.lastSample = now;
    this.status.sampleRates(now);
    const usage = await this.context.sampler.sample(worker.pid).catch(() => undefined);
    if (usage === undefined || this.machine.ended) return;
    this.meter.add(usage, seconds);
    this.changed = true;
  }

  private publish(): void {
    this.changed = false;
    this.lastPublish = this.context.now();
    this.context.stream.snapshot('apaevt_status_update', () => this.current());
  }

  private publishCounts(now: number): void {
    this.lastCounts = now;
    if (!this.context.stream.wants('apaevt_status_counts')) return;
    const status = this.current();
    const counts = Object.fromEntries(countNames.map((name) => [name, status[name]]));
    const text = JSON.stringify(counts);
    if (text === this.countsSent) return;
    this.countsSent = text;
    this.context.stream.snapshot('apaevt_status_counts', () => counts);
  }
}

export const tickMs = 500;

const countNames = [
  'totalSize',
  'totalCount',
  'completedSize',
  'completedCount',
  'failedSize',
  'failedCount',
  'wordsSize',
  'wordsCount',
  'rateSize',
  'rateCount',
] as const satisfies readonly (keyof TaskStatus)[];

function nothing(): void {
  // For requests whose answer says no more than that they are done.
}

function toText(payload: Buffer): string {
  return payload.toString('utf8');
}

function stoppedWhileStarting(end: RunEnd): MillraceError {
  const message = end.kind === 'completed' ? 'The task ended while it started' : end.message;
  return new MillraceError('start_failed', message || 'The task was stopped while it started');
}

async function within<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MillraceError('start_failed', `${what} within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } catch (thrown) {
    throw toMillraceError(thrown, 'start_failed');
  } finally {
    clearTimeout(timer);
  }
}
