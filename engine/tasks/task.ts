import { MillraceError } from '../../protocol/errors.js';
import { TaskState, type TaskStatus } from '../../protocol/status.js';
import { limits } from '../../protocol/limits.js';
import type { TaskSummary, TraceLevel } from '../../protocol/events.js';
import type { OpenMessage } from '../worker/messages.js';
import type { ProcessSampler } from './metrics.js';
import { Run, type RunLimits } from './run.js';
import type { Cancellation, ObjectRequest, OpenPipe, RunningTask, StartInfo, StartRequest } from './service.js';
import type { TaskPlan } from './startPlan.js';
import type { TaskStream } from './stream.js';
import type { WorkerPool } from './workerPool.js';

export interface TaskDeps {
  readonly pool: WorkerPool;
  readonly sampler: ProcessSampler;
  readonly limits: RunLimits;
  /** Unix seconds. */
  readonly now: () => number;
}

/** A task: an identity that outlives restarts, and its current run. */
export class Task implements RunningTask {
  readonly description: string;
  readonly info: StartInfo;
  /** What the task was started with; restarts replace the pipeline in it. */
  request: StartRequest;
  /** Settles when the current run has reached RUNNING or failed to. */
  private running: Promise<void>;
  private run: Run;
  private readonly pipes = new Set<TaskPipe>();
  private lastActivity: number;
  /** Restarts under way. */
  private restarting = 0;

  constructor(
    readonly keyId: string,
    readonly stream: TaskStream,
    plan: TaskPlan,
    request: StartRequest,
    publicToken: string,
    private readonly deps: TaskDeps,
  ) {
    const { id, token } = stream.scope;
    this.info = {
      id,
      token,
      publicToken,
      projectId: plan.projectId,
      source: plan.source.id,
      provider: plan.source.provider,
    };
    this.request = request;
    this.description = plan.description;
    this.lastActivity = deps.now();
    this.run = this.makeRun(plan, deps.now());
    this.running = this.begin(plan);
  }

  get state(): TaskState {
    return this.run.machine.state;
  }

  /** Idle seconds after which the task ends; 0 = never. */
  get ttl(): number {
    return this.request.ttl ?? limits.defaultTtlSeconds;
  }

  /** In a final state, and not about to run again. */
  get ended(): boolean {
    return this.run.machine.ended && this.restarting === 0;
  }

  /** Unix seconds of the end; undefined while the task lives. */
  get endTime(): number | undefined {
    return this.ended ? this.run.endTime : undefined;
  }

  /** Resolves in RUNNING; rejects when the start failed. */
  ready(): Promise<void> {
    return this.running;
  }

  status(): TaskStatus {
    return this.run.current();
  }

  get traceLevel(): TraceLevel {
    return this.request.traceLevel ?? 'none';
  }

  pipeline(): unknown {
    return this.request.pipeline;
  }

  idleSeconds(): number {
    return this.pipes.size > 0 ? 0 : Math.max(0, this.deps.now() - this.lastActivity);
  }

  summary(): TaskSummary {
    const { id, projectId, source } = this.info;
    return { id, name: this.run.name, projectId, source };
  }

  async open(request: ObjectRequest, cancellation?: Cancellation): Promise<OpenPipe> {
    if (this.state !== TaskState.RUNNING || request.provider !== undefined) await this.accepting(request);
    const size = sizeOf(request.object);
    const { run } = this;
    return this.active(async () => {
      const id = await run.open(messageOf(request), size, cancellation);
      const pipe = new TaskPipe(id, size, run, this.deps.now, () => {
        this.pipes.delete(pipe);
        this.lastActivity = this.deps.now();
      });
      this.pipes.add(pipe);
      return pipe;
    });
  }

  async send(request: ObjectRequest, data: Uint8Array): Promise<string> {
    if (this.state !== TaskState.RUNNING || request.provider !== undefined) await this.accepting(request);
    return this.active(() => this.run.send(messageOf(request), data, sizeOf(request.object) || data.length));
  }

  /** Resolves when the current run has ended. */
  async whenEnded(): Promise<void> {
    await this.run.ended;
  }

  async terminate(): Promise<void> {
    // A restart under way puts another run in the place of the one that ends.
    do await this.run.stop('');
    while (!this.ended);
  }

  /** Ends the run and starts another with the same identity. Of several restarts the last one asked for stays. */
  async restart(plan: TaskPlan, request: StartRequest): Promise<void> {
    const startTime = this.run.startTime;
    this.restarting++;
    try {
      do await this.run.stop('', true);
      while (!this.run.machine.ended);
      this.request = request;
      this.run = this.makeRun(plan, startTime);
      this.lastActivity = this.deps.now();
      this.running = this.begin(plan, true);
    } finally {
      this.restarting--;
    }
    await this.running;
  }

  /** Every half second. */
  tick(): void {
    this.run.tick();
    if (this.state !== TaskState.RUNNING) return;
    const now = this.deps.now();
    for (const pipe of this.pipes) {
      if (pipe.idleSince(now) > limits.pipeIdleSeconds)
        void pipe.abandon('The pipe was closed after 60 s without activity');
    }
    const { ttl } = this;
    if (ttl > 0 && !this.run.busy && this.idleSeconds() >= ttl) void this.run.stop(`No data for ${ttl} s (ttl)`);
  }

  private async begin(plan: TaskPlan, restarts = false): Promise<void> {
    const { run, stream } = this;
    const { name, projectId, source } = this.summary();
    const announce = (action: 'begin' | 'end' | 'restart'): void =>
      stream.event('apaevt_task', { action, name, projectId, source });
    void run.ended.then((end) => {
      this.pipes.clear();
      if (this.restarting > 0) return;
      announce('end');
      if (end.kind === 'failed') stream.failed(end.code, end.message);
    });
    const started = run.start(() => this.deps.pool.take(), plan.warnings);
    announce(restarts ? 'restart' : 'begin');
    await started;
  }

  private makeRun(plan: TaskPlan, startTime: number): Run {
    const shown = plan.name === '' ? this.stream.scope.id : plan.name;
    return new Run(`${shown}.${plan.source.label}`, plan.message, startTime, {
      stream: this.stream,
      sampler: this.deps.sampler,
      limits: this.deps.limits,
      now: this.deps.now,
      fillIn: (text) => text.replaceAll('{token}', this.info.token).replaceAll('{public_auth}', this.info.publicToken),
    });
  }

  /** Waits until the task takes data, and checks that it is the kind the caller looks for. */
  private async accepting({ provider }: ObjectRequest): Promise<void> {
    if (this.state < TaskState.RUNNING) await this.running;
    if (this.state !== TaskState.RUNNING) throw this.run.refusal();
    if (provider !== undefined && provider !== this.info.provider) {
      throw new MillraceError('pipe_failed', `You are looking for a "${provider}", but this pipeline isn't it`, {
        hint: `Its source is a "${this.info.provider}" component.`,
      });
    }
  }

  /** Data operations keep the task from being idle. */
  private async active<T>(operation: () => Promise<T>): Promise<T> {
    this.lastActivity = this.deps.now();
    try {
      return await operation();
    } finally {
      this.lastActivity = this.deps.now();
    }
  }
}

/** A pipe as its owner holds it. Ends once, by `close` or `abandon`. */
class TaskPipe implements OpenPipe {
  private lastUsed: number;
  private working = 0;
  private done = false;

  constructor(
    readonly id: number,
    private readonly size: number,
    private readonly run: Run,
    private readonly now: () => number,
    private readonly onEnd: () => void,
  ) {
    this.lastUsed = now();
  }

  write(...parts: Uint8Array[]): Promise<void> {
    if (this.done)
      return Promise.reject(new MillraceError('pipe_not_found', `Write pipe with id ${this.id} is not open`));
    this.working++;
    return this.run.write(this.id, parts, this.settled);
  }

  close(): Promise<string> {
    if (this.done)
      return Promise.reject(new MillraceError('pipe_not_found', `Close pipe with id ${this.id} not found`));
    this.done = true;
    return this.run.close(this.id, this.size, this.onEnd);
  }

  abandon(reason: string): Promise<void> {
    if (this.done) return Promise.resolve();
    this.done = true;
    this.onEnd();
    return this.run.abandon(this.id, reason, this.size);
  }

  /** Seconds since the last operation ended; 0 while one runs. */
  idleSince(now: number): number {
    return this.working > 0 ? 0 : now - this.lastUsed;
  }

  private readonly settled = (): void => {
    this.working--;
    this.lastUsed = this.now();
  };
}

function messageOf({ object, mimeType, dialect }: ObjectRequest): OpenMessage {
  return { object, mimeType, dialect };
}

function sizeOf(object: Record<string, unknown>): number {
  return typeof object.size === 'number' && object.size > 0 ? object.size : 0;
}
