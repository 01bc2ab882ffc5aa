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
  resolve(extraction: Extraction): void;
  reject(reason: unknown): void;
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
      this.queue.push({ job, signal, resolve, reject });
      this.dispatch();
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    const threads = [...this.threads];
    this.threads.clear();
    await Promise.all(threads.map((thread) => thread.terminate()));
    for (const { reject } of this.queue.splice(0)) reject(new Error('The task has ended'));
  }

  private dispatch(): void {
    while (this.queue.length > 0 && !this.stopped) {
      const thread = this.idle.pop() ?? this.start();
      if (!thread) return;
      const next = this.queue.shift();
      if (next) this.run(thread, next);
    }
  }

  private start(): Worker | undefined {
    if (this.threads.size >= this.options.size) return undefined;
    const thread = new Worker(this.entry, {
      name: 'parse',
      resourceLimits: { maxOldGenerationSizeMb: this.options.heapMb },
    });
    this.threads.add(thread);
    return thread;
  }

  private run(thread: Worker, { job, signal, resolve, reject }: QueuedJob): void {
    const settle = (keep: boolean, finish: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      thread.removeAllListeners();
      if (keep && !this.stopped) {
        // An idle thread must not keep the task alive.
        thread.unref();
        this.idle.push(thread);
      } else {
        this.threads.delete(thread);
        void thread.terminate();
      }
      finish();
      this.dispatch();
    };
    const fail = (warning: string) =>
      settle(false, () => resolve({ ...emptyExtraction({ contentType: job.detected.mimeType }), warnings: [warning] }));
    const onAbort = () => settle(false, () => reject(signal.reason as unknown));
    const timer = setTimeout(
      () => fail(`took longer than ${this.options.timeoutMs / 1000} s to read`),
      this.options.timeoutMs,
    );
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    thread.ref();
    thread.once('message', (extraction: Extraction) => settle(true, () => resolve(extraction)));
    thread.once('error', (error) =>
      fail(isOutOfMemory(error) ? 'needs too much memory to be read' : `cannot be read (${errorText(error)})`),
    );
    thread.once('exit', () => fail('cannot be read (the parse thread ended)'));
    thread.postMessage(job, [job.source.bytes.buffer]);
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
