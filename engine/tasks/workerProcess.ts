import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { MillraceError, isErrorCode } from '../../protocol/errors.js';
import { FrameReader, FrameWriter, type Part } from '../worker/frames.js';
import { type FailMessage, FromWorker, ToWorker, channelFd, maxFrameBytes } from '../worker/messages.js';

/** How workers are started. */
export interface WorkerOptions {
  /** The worker's entry file. */
  readonly entry: string;
  readonly execArgv: readonly string[];
  /** Heap limit in MB. */
  readonly memoryMb: number;
}

export interface WorkerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Frames that are not answers. */
export type Notice = (kind: number, payload: Buffer) => void;

type Settle = (error: MillraceError | undefined, payload: Buffer) => void;

/** Variables a worker inherits; everything else of the server's environment stays with the server. */
const inherited = [
  'PATH',
  'HOME',
  'USERPROFILE',
  'TMPDIR',
  'TEMP',
  'TMP',
  'LANG',
  'LC_ALL',
  'TZ',
  'SYSTEMROOT',
  'WINDIR',
  'ELECTRON_RUN_AS_NODE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_V8_COVERAGE',
];

const busyBytes = 32 * 1024 * 1024;
/** How long the last output of a process that has ended is waited for. */
const outputMs = 500;
const noBytes = Buffer.alloc(0);

/**
 * One worker process and the channel to it. Every request settles exactly once: with the answer, or with an error
 * when the process ends.
 */
export class WorkerProcess {
  readonly pid: number;
  /** Resolves when the worker has loaded the engine; rejects when it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone. */
  readonly exited: Promise<WorkerExit>;
  onNotice: Notice = () => undefined;
  onOutput: (line: string) => void = () => undefined;
  private readonly child: ChildProcess;
  private readonly writer: FrameWriter;
  private readonly pending = new Map<number, Settle>();
  private nextCall = 1;
  private gone: MillraceError | undefined;
  private tail = '';

  constructor(options: WorkerOptions) {
    this.child = spawn(
      process.execPath,
      [...options.execArgv, `--max-old-space-size=${options.memoryMb}`, options.entry],
      { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: childEnvironment(), windowsHide: true, shell: false },
    );
    this.pid = this.child.pid ?? 0;
    // Without descriptors left, Node makes no pipes at all.
    const channel = this.child.stdio?.[channelFd] as Duplex | undefined;
    if (channel === undefined) {
      this.child.on('error', () => undefined);
      throw new MillraceError('start_failed', 'No worker process could be started: the system has no resources left');
    }
    this.writer = new FrameWriter(channel, busyBytes);
    let readyNow: () => void = () => undefined;
    let readyNever: (error: MillraceError) => void = () => undefined;
    this.ready = new Promise((resolve, reject) => {
      readyNow = resolve;
      readyNever = reject;
    });
    this.ready.catch(() => undefined);
    const reader = new FrameReader((kind, id, payload) => {
      if (kind === FromWorker.ok) this.settle(id, undefined, payload);
      else if (kind === FromWorker.fail) this.settle(id, readFailure(payload), noBytes);
      else if (kind === FromWorker.ready) readyNow();
      else this.onNotice(kind, payload);
    }, maxFrameBytes);
    channel.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (thrown) {
        // Code of a component can write to any descriptor of its process; it must not take the server down.
        this.kill(new MillraceError('task_failed', "The task's process sent what is no message", { cause: thrown }));
      }
    });
    // Writing to a worker that just ended fails here; its exit tells why.
    channel.on('error', () => undefined);
    this.readLines(this.child.stdout);
    this.readLines(this.child.stderr);
    this.exited = new Promise((resolve) => {
      let last: NodeJS.Timeout | undefined;
      const end = (exit: WorkerExit, cause?: Error): void => {
        clearTimeout(last);
        const error = new MillraceError('task_failed', this.describeExit(exit), { cause });
        this.fail(error);
        readyNever(error);
        resolve(exit);
      };
      this.child.once('error', (error) => end({ code: -1, signal: null }, error));
      this.child.once('close', (code, signal) => end({ code, signal }));
      // A process that a component left behind may hold the output open; nobody waits for it.
      this.child.once('exit', (code, signal) => {
        last = setTimeout(() => {
          for (const stream of this.child.stdio) stream?.destroy();
          end({ code, signal });
        }, outputMs);
      });
    });
  }

  /** Whether answers can still come. */
  get alive(): boolean {
    return this.gone === undefined;
  }

  /** Requests that wait for an answer. */
  get pendingCount(): number {
    return this.pending.size;
  }

  /** Whether the worker takes data in too slowly. */
  get busy(): boolean {
    return this.writer.busy;
  }

  /** Sends a request; `done` is called exactly once. Returns the call id. */
  call(kind: number, parts: Part[], done: Settle): number {
    const id = this.nextCall;
    this.nextCall = id >= 0xffffffff ? 1 : id + 1;
    if (this.gone !== undefined) {
      const error = this.gone;
      process.nextTick(() => done(error, noBytes));
      return id;
    }
    this.pending.set(id, done);
    this.writer.post(kind, id, ...parts);
    return id;
  }

  request(kind: number, ...parts: Part[]): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.call(kind, parts, (error, payload) => (error === undefined ? resolve(payload) : reject(error)));
    });
  }

  /** A message without an answer. */
  post(kind: number, id: number, ...parts: Part[]): void {
    if (this.gone === undefined) this.writer.post(kind, id, ...parts);
  }

  /** Everything that waits fails with `reason`, and the process is ended at once. */
  kill(reason: MillraceError): void {
    this.fail(reason);
    this.child.kill('SIGKILL');
  }

  /** Asks the worker to stop its components; kills it after `graceMs`. Resolves when it is gone. */
  async stop(reason: string, graceMs: number): Promise<void> {
    if (this.gone === undefined) {
      this.call(ToWorker.stop, [reason], () => undefined);
      const timer = setTimeout(() => this.kill(new MillraceError('task_stopping', reason)), graceMs);
      await this.exited;
      clearTimeout(timer);
    }
    await this.exited;
  }

  private settle(id: number, error: MillraceError | undefined, payload: Buffer): void {
    const done = this.pending.get(id);
    this.pending.delete(id);
    done?.(error, payload);
  }

  private fail(error: MillraceError): void {
    if (this.gone !== undefined) return;
    this.gone = error;
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const done of waiting) done(error, noBytes);
  }

  private readLines(stream: NodeJS.ReadableStream | null): void {
    let rest = '';
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = (lines.pop() ?? '').slice(-100_000);
      for (const line of lines) {
        this.tail = `${this.tail}\n${line}`.slice(-4000);
        this.onOutput(line);
      }
    });
    stream?.on('end', () => {
      if (rest !== '') this.onOutput(rest);
    });
  }

  /** Why the process ended: what it was ended for, else as far as its exit and its last lines tell. */
  describeExit({ code, signal }: WorkerExit): string {
    if (this.gone !== undefined) return this.gone.message;
    if (/heap out of memory|Allocation failed/.test(this.tail)) {
      return 'The task ran out of memory; raise --worker-memory or send smaller objects';
    }
    if (signal !== null) return `The task's process was ended by ${signal}`;
    return `The task's process ended with exit code ${code}`;
  }
}

function readFailure(payload: Buffer): MillraceError {
  const { code, message, hint } = JSON.parse(payload.toString('utf8')) as FailMessage;
  return new MillraceError(isErrorCode(code) ? code : 'internal', message, { hint });
}

function childEnvironment(): NodeJS.ProcessEnv {
  const names = new Set(inherited);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.has(name.toUpperCase())));
}
