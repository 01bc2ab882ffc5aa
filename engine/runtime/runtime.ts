import { MillraceError, toMillraceError } from '../../protocol/errors.js';
import type { PipelineResult } from '../../protocol/results.js';
import type { Feed, ObjectInfo } from './component.js';
import { makeObjectInfo } from './entry.js';
import { Pipe, type PipeHost } from './pipe.js';
import { type Plan, borrows } from './plan.js';

/** A pipe that has an object. `tail` is the operation in progress or the last one queued behind it. */
interface Busy {
  readonly pipe: Pipe;
  tail: Promise<unknown> | undefined;
  closing: boolean;
}

interface Waiting {
  give(pipe: Pipe): void;
  refuse(error: MillraceError): void;
}

/**
 * The pipes of a task. At most `threads` objects are open at a time; further opens wait first come, first served.
 * Operations on one pipe run one after the other in the order they were asked for.
 */
export class Runtime {
  /** Whether the bytes of a write can be used for something else once it is done. */
  readonly borrows: boolean;
  private readonly pipes: Pipe[] = [];
  private readonly free: Pipe[] = [];
  private readonly busy = new Map<number, Busy>();
  private readonly waiting: Waiting[] = [];
  private serving = false;
  private stopped = false;

  constructor(
    private readonly plan: Plan,
    private readonly threads: number,
    private readonly host: PipeHost,
  ) {
    this.borrows = borrows(plan);
  }

  get totalPipes(): number {
    return this.pipes.length;
  }

  /** Pipes that have an object. */
  get openPipes(): number {
    return this.busy.size;
  }

  /** Pipe index → component stack, empty for a pipe without an object. */
  stacks(): Record<string, string[]> {
    const stacks: Record<string, string[]> = {};
    for (const pipe of this.pipes) stacks[pipe.index] = [...pipe.stack];
    return stacks;
  }

  /**
   * Begins an object and calls back with the pipe's index; synchronous when a pipe is free and the components are.
   * When a component refuses the object, the pipe is free again and the object has counted as failed.
   *
   * @returns when all pipes are busy, what takes the open back as long as it waits: it then fails as cancelled
   */
  open(object: Record<string, unknown>, mimeType: string, done: Settle<number>): (() => void) | undefined {
    if (this.stopped) {
      done(new MillraceError('task_stopping'), undefined);
      return undefined;
    }
    const info = makeObjectInfo(object, mimeType, this.host.ids);
    const pipe = this.waiting.length > 0 ? undefined : (this.free.pop() ?? this.grow());
    if (pipe !== undefined) {
      this.begin(pipe, info, done);
      return undefined;
    }
    const waiting: Waiting = {
      give: (freed) => this.begin(freed, info, done),
      refuse: (error) => done(error, undefined),
    };
    this.waiting.push(waiting);
    return () => {
      const at = this.waiting.indexOf(waiting);
      if (at < 0) return;
      this.waiting.splice(at, 1);
      waiting.refuse(new MillraceError('cancelled'));
    };
  }

  write(index: number, data: Uint8Array, done: Settle<undefined>): void {
    const entry = this.find(index, 'Write', done);
    if (entry !== undefined) this.enqueue(entry, (pipe) => pipe.write(data) as undefined, done);
  }

  close(index: number, done: Settle<PipelineResult>): void {
    const entry = this.find(index, 'Close', done);
    if (entry === undefined) return;
    entry.closing = true;
    this.enqueue(
      entry,
      (pipe) => pipe.close(),
      (error, result) => {
        this.release(entry);
        done(error, result);
      },
    );
  }

  /**
   * Ends an object whose owner is gone, as failed with `reason`, once the running operation returns. `done` is called
   * when the object has ended.
   */
  abandon(index: number, reason: string, done: () => void): void {
    this.busy.get(index)?.pipe.cancel(reason);
    this.close(index, done);
  }

  /** What a source that runs by itself hands its objects to. */
  feed(): Feed {
    return {
      object: async (entry, write) => {
        let index: number;
        try {
          index = await new Promise<number>((resolve, reject) => {
            const object = { ...entry.properties, name: entry.name, url: entry.url, size: entry.size };
            this.open(object, entry.mimeType, settle(resolve, reject));
          });
        } catch (thrown) {
          if (this.stopped) throw thrown;
          // A component refused the object: it has counted as failed, like one that fails later, and the source goes on.
          return;
        }
        try {
          await write({
            write: (data) => new Promise<void>((resolve, reject) => this.write(index, data, settle(resolve, reject))),
          });
        } catch (thrown) {
          this.busy.get(index)?.pipe.cancel(toMillraceError(thrown).message);
        }
        await new Promise<PipelineResult>((resolve, reject) => this.close(index, settle(resolve, reject)));
      },
    };
  }

  /** Refuses what waits, cancels what runs, and disposes of the instances. */
  async stop(reason: string): Promise<void> {
    this.stopped = true;
    for (const waiting of this.waiting.splice(0)) waiting.refuse(new MillraceError('task_stopping', reason));
    for (const { pipe } of this.busy.values()) pipe.cancel(reason);
    for (const pipe of this.pipes) await pipe.dispose();
  }

  private grow(): Pipe | undefined {
    if (this.pipes.length >= this.threads) return undefined;
    const pipe = new Pipe(this.pipes.length, this.plan, this.host);
    this.pipes.push(pipe);
    return pipe;
  }

  private begin(pipe: Pipe, info: ObjectInfo, done: Settle<number>): void {
    const entry: Busy = { pipe, tail: undefined, closing: false };
    this.busy.set(pipe.index, entry);
    this.enqueue(
      entry,
      (opened) => opened.open(info) as undefined,
      (error) => {
        if (error === undefined) done(undefined, pipe.index);
        else this.close(pipe.index, () => done(error, undefined));
      },
    );
  }

  private find<T>(index: number, what: string, done: Settle<T>): Busy | undefined {
    const entry = this.busy.get(index);
    if (entry !== undefined && !entry.closing) return entry;
    done(new MillraceError('pipe_not_found', `${what} pipe with id ${index} not found`), undefined);
    return undefined;
  }

  private enqueue<T>(entry: Busy, run: (pipe: Pipe) => T | Promise<T>, done: Settle<T>): void {
    const { pipe, tail } = entry;
    if (tail !== undefined) {
      this.follow(
        entry,
        tail.then(() => run(pipe)),
        done,
      );
      return;
    }
    let value: T | Promise<T>;
    try {
      value = run(pipe);
    } catch (thrown) {
      done(toMillraceError(thrown, 'component_failed'), undefined);
      return;
    }
    if (value instanceof Promise) this.follow(entry, value, done);
    else done(undefined, value);
  }

  private follow<T>(entry: Busy, value: Promise<T>, done: Settle<T>): void {
    const tail = value.then(
      (result) => {
        if (entry.tail === tail) entry.tail = undefined;
        done(undefined, result);
      },
      (thrown: unknown) => {
        if (entry.tail === tail) entry.tail = undefined;
        done(toMillraceError(thrown, 'component_failed'), undefined);
      },
    );
    entry.tail = tail;
  }

  private release({ pipe }: Busy): void {
    this.busy.delete(pipe.index);
    this.free.push(pipe);
    this.serveWaiting();
  }

  /** A loop and no recursion, because many opens in a row may fail at once. */
  private serveWaiting(): void {
    if (this.serving) return;
    this.serving = true;
    try {
      while (this.waiting.length > 0 && this.free.length > 0) {
        (this.waiting.shift() as Waiting).give(this.free.pop() as Pipe);
      }
    } finally {
      this.serving = false;
    }
  }
}

/** Called exactly once, with an error or with a value. */
export type Settle<T> = (error: MillraceError | undefined, value: T | undefined) => void;

function settle<T>(resolve: (value: T) => void, reject: (error: MillraceError) => void): Settle<T> {
  return (error, value) => {
    if (error !== undefined) reject(error);
    else resolve(value as T);
  };
}
