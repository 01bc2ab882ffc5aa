import { MillraceError } from '../../protocol/errors.js';
import { type WorkerOptions, WorkerProcess } from './workerProcess.js';

export interface PoolOptions extends WorkerOptions {
  /** Workers kept loaded and ready, so that a task starts without waiting for a process. */
  readonly warm: number;
  /** After this time without a start the spare workers go, so that an idle server is small. */
  readonly warmSeconds: number;
}

/** Spawns workers, some of them ahead of need. */
export class WorkerPool {
  private readonly spare: WorkerProcess[] = [];
  private readonly alive = new Set<WorkerProcess>();
  private refillTimer: NodeJS.Timeout | undefined;
  private retireTimer: NodeJS.Timeout | undefined;
  private disposed = false;

  constructor(private readonly options: PoolOptions) {}

  /** Begins to fill the pool. */
  warmUp(): void {
    try {
      while (!this.disposed && this.spare.length < this.options.warm) this.spare.push(this.spawn());
    } catch {
      // A start that needs a worker tries again and says why there is none.
    }
    clearTimeout(this.retireTimer);
    this.retireTimer = setTimeout(() => this.retire(), this.options.warmSeconds * 1000);
    this.retireTimer.unref();
  }

  /** A worker for one task; it is never given out twice. Await its `ready`. */
  take(): WorkerProcess {
    if (this.disposed) throw new MillraceError('task_stopping', 'The server is shutting down');
    const worker = this.spare.shift() ?? this.spawn();
    // The next one is made a little later: it would only slow down the start that is under way.
    clearTimeout(this.refillTimer);
    this.refillTimer = setTimeout(() => this.warmUp(), 300);
    this.refillTimer.unref();
    return worker;
  }

  /** Ends every worker at once. */
  async dispose(): Promise<void> {
    this.disposed = true;
    clearTimeout(this.refillTimer);
    clearTimeout(this.retireTimer);
    const workers = [...this.alive];
    for (const worker of workers) worker.kill(new MillraceError('task_stopping', 'The server is shutting down'));
    await Promise.all(workers.map((worker) => worker.exited));
  }

  private retire(): void {
    for (const worker of this.spare.splice(0)) worker.kill(new MillraceError('task_stopping', 'Not needed any more'));
  }

  private spawn(): WorkerProcess {
    const worker = new WorkerProcess(this.options);
    this.alive.add(worker);
    void worker.exited.then(() => {
      this.alive.delete(worker);
      const at = this.spare.indexOf(worker);
      if (at >= 0) this.spare.splice(at, 1);
    });
    return worker;
  }
}
