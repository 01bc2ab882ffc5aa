import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { errorText } from '../../../protocol/errors.js';
import { type Job, extract } from './extract.js';
import { type Extraction, emptyExtraction } from './extraction.js';

/** Reads documents. What goes wrong is in the warnings; rejects only when the signal is aborted. */
export interface Extractor {
  /** The bytes of the job's source are gone afterwards. */
  extract(job: Job, signal: AbortSignal): Promise<Extraction>;
  stop(): Promise<void>;
}

export interface ThreadOptions {
  /** At most so many threads. */
  size: number;
  /** For one document. */
  timeoutMs: number;
  /** Of the JavaScript heap of one thread; a document that needs more costs the thread, not the task. */
  heapMb: number;
}

export const threadOptions: ThreadOptions = { size: availableParallelism(), timeoutMs: 60_000, heapMb: 1024 };

interface QueuedJob {
  job: Job;
  signal: AbortSignal;
  resolve: (extraction: Extraction) => void;
  reject: (reason: unknown) => void;
  /** Takes the job out of the queue. */
  forsake: () => void;
}

/** Threads from `entry`, or the calling thread if there is no such program. */
export function makeExtractor(entry: URL | undefined, options: ThreadOptions = threadOptions): Extractor {
  return entry ? new ParseThreads(entry, options) : { extract: (job) => extract(job), stop: async () => {} };
}

/** A pool that grows on demand; a thread that fails, hangs or is no longer wanted is ended and replaced when needed. */
class ParseThreads implements Extractor {
  private readonly threads = new Set<Worker>();
  private readonly idle: Worker[] = [];
  private readonly queue: QueuedJob[] = [];
  private stopped = false;

  constructor(
    private readonly entry: URL,
    private readonly options: ThreadOptions,
  ) {}

  extract(job: Job, signal: AbortSignal): Promise<Extraction> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const queued: QueuedJob = { job, signal, resolve, reject, forsake: () => this.forsake(queued) };
      signal.addEventListener('abort', queued.forsake, { once: true });
      this.queue.push(queued);
      this.dispatch();
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    for (const { reject } of this.queue.splice(0)) reject(new Error('The task has ended'));
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  private forsake(queued: QueuedJob): void {
    const at = this.queue.indexOf(queued);
    if (at < 0) return;
    this.queue.splice(at, 1);
    queued.reject(queued.signal.reason);
  }

  private dispatch(): void {
    for (let next = this.queue[0]; next && !this.stopped; next = this.queue[0]) {
      if (next.signal.aborted) {
        next.forsake();
        continue;
      }
      const thread = this.idle.pop() ?? this.start();
      if (!thread) return;
      this.queue.shift();
      this.run(thread, next);
    }
  }

  private start(): Worker | undefined {
    if (this.threads.size >= this.options.size) return undefined;
    const thread = new Worker(this.entry, {
      name: 'parse',
      resourceLimits: { maxOldGenerationSizeMb: this.options.heapMb },
    });
    this.threads.add(thread);
    // Whatever ends a thread, idle or not, it is not used again; without a listener an error would end the task.
    thread.on('error', () => this.forget(thread));
    thread.on('exit', () => this.forget(thread));
    return thread;
  }

  private forget(thread: Worker): void {
    this.threads.delete(thread);
    const at = this.idle.indexOf(thread);
    if (at >= 0) this.idle.splice(at, 1);
  }

  private run(thread: Worker, { job, signal, resolve, reject, forsake }: QueuedJob): void {
    signal.removeEventListener('abort', forsake);
    const finish = (keep: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      if (keep && !this.stopped) {
        // An idle thread must not keep the task alive.
        thread.unref();
        this.idle.push(thread);
      } else {
        this.forget(thread);
        void thread.terminate();
      }
      this.dispatch();
    };
    const fail = (warning: string): void => {
      finish(false);
      resolve({ ...emptyExtraction({ contentType: job.detected.mimeType }), warnings: [warning] });
    };
    const onMessage = (extraction: Extraction): void => {
      finish(true);
      resolve(extraction);
    };
    const onAbort = (): void => {
      finish(false);
      reject(signal.reason);
    };
    const onError = (error: Error): void =>
      fail(isOutOfMemory(error) ? 'needs too much memory to be read' : `cannot be read (${errorText(error)})`);
    const onExit = (): void => fail('cannot be read (the parse thread ended)');
    const seconds = this.options.timeoutMs / 1000;
    const timer = setTimeout(() => fail(`took longer than ${seconds} s to read`), this.options.timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.ref();
    thread.postMessage(job, [job.source.bytes.buffer]);
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
