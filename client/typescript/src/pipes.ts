import { defaultMimeType } from '../../../protocol/limits.js';
import { type MillraceError, toMillraceError } from '../../../protocol/errors.js';
import type { PipelineResult } from '../../../protocol/results.js';
import { isRecord } from '../../../pipeline/values.js';
import { createError } from './errors.js';
import { isOfTask, type Monitors, type Subscription } from './monitors.js';
import type { RequestOptions } from './requests.js';
import { readResult } from './results.js';
import type { Session } from './session.js';
import { defined } from './tasks.js';

export interface PipeOptions {
  /** Token of the task. */
  token: string;
  /** About the object: `name`, `size` in bytes, `url`, … */
  objinfo?: Record<string, unknown> | undefined;
  /** Chooses the lane the bytes enter on. `application/octet-stream` when absent. */
  mimeType?: string | undefined;
  /** Must be the provider of the task's source when given. */
  provider?: string | undefined;
  /** Messages of components while they work on this object (`apaevt_sse`). */
  onEvent?: ((type: string, data: Record<string, unknown>) => void) | undefined;
  /** Writes that may be under way at once; 4 when absent. 1 makes `write` wait for the pipeline. */
  window?: number | undefined;
  /** Gives the object up, as `abandon` does. */
  signal?: AbortSignal | undefined;
  /** Called with the bytes that the pipeline has taken in so far, whenever it has taken in a chunk. */
  onProgress?: ((bytes: number) => void) | undefined;
}

const defaultWindow = 4;
/** How long giving an object up waits for the server, milliseconds. */
const giveUpMs = 10_000;

/**
 * One object on its way into a running pipeline: `open`, any number of `write`, `close`. A pipe occupies one of the
 * task's parallel instances from `open` to `close`, so always close it, also after a failure; or `abandon` it when the
 * object will not be complete.
 */
export class DataPipe {
  readonly #session: Session;
  readonly #monitors: Monitors;
  readonly #options: PipeOptions;
  readonly #name: string;
  readonly #inFlight = new Set<Promise<void>>();
  #state: 'new' | 'open' | 'closed' = 'new';
  /** How later messages name this pipe. */
  #address: Record<string, unknown> = {};
  /** The number in the events of this pipe. */
  #pipeId: unknown;
  #opened: Promise<void> = Promise.resolve();
  #failure: MillraceError | undefined;
  #acknowledged = 0;
  #stopEvents: (() => Promise<void>) | undefined;
  #abandoned: Promise<void> = Promise.resolve();

  /** @param name differs from that of every other pipe of the connection */
  constructor(session: Session, monitors: Monitors, options: PipeOptions, name: string) {
    this.#name = name;
    this.#session = session;
    this.#monitors = monitors;
    this.#options = options;
  }

  /** Bytes the pipeline has taken in so far. */
  get bytesWritten(): number {
    return this.#acknowledged;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /**
   * Opens the pipe. Waits while all pipes of the task are busy.
   *
   * @throws TaskError when the pipeline is not running, PipeError when the pipe is refused
   */
  async open(): Promise<this> {
    this.#begin();
    try {
      await this.#opened;
      if (this.#options.onEvent !== undefined) await this.#followEvents(this.#options.onEvent);
      if (this.#state !== 'open') {
        await this.#stopEvents?.();
        throw this.#failure ?? notOpen();
      }
    } catch (error) {
      if (this.#state === 'open') await this.abandon();
      throw error;
    }
    return this;
  }

  /**
   * Opens the pipe without waiting for the reply where the server allows that; a refusal comes out of `close`.
   * Several messages then travel in one go.
   */
  async openAhead(): Promise<this> {
    if (this.#session.dialect === 'peer' || this.#options.onEvent !== undefined) return this.open();
    this.#begin();
    this.#opened.catch(() => undefined);
    return this;
  }

  /**
   * Writes one chunk. Resolves when the next may follow, which is before the pipeline has processed this one: an
   * error of the pipeline comes out of a later `write` or is the `error` of the result that `close` returns.
   *
   * @param buffer bytes, or text that is sent as UTF-8
   * @throws PipeError when the pipe is not open or an earlier write failed; ValidationError for other types
   */
  async write(buffer: Uint8Array | string): Promise<void> {
    const data = bytesOf(buffer);
    if (this.#state !== 'open') throw this.#failure ?? notOpen();
    const window = this.#pipelined ? (this.#options.window ?? defaultWindow) : 1;
    while (this.#inFlight.size >= window) await Promise.race(this.#inFlight);
    this.#throwIfFailed();
    const { sent, reply } = this.#start({ subcommand: 'write' }, { data });
    const done: Promise<void> = reply
      .then(
        () => {
          this.#acknowledged += data.length;
          this.#options.onProgress?.(this.#acknowledged);
        },
        (error: unknown) => {
          this.#failure ??= toMillraceError(error, 'pipe_failed');
        },
      )
      .finally(() => this.#inFlight.delete(done));
    this.#inFlight.add(done);
    if (window === 1) await done;
    else await sent;
    this.#throwIfFailed();
  }

  /**
   * Ends the object and waits for the pipeline. When a component failed the promise still resolves and the result
   * carries `error`.
   *
   * @throws PipeError, TaskError or ConnectionError when there is no result
   */
  async close(): Promise<PipelineResult> {
    if (this.#state !== 'open') throw this.#failure ?? notOpen();
    this.#end();
    if (!this.#pipelined) await Promise.all(this.#inFlight);
    const { reply } = this.#start({ subcommand: 'close' }, { signal: this.#options.signal });
    const closed = reply.then(
      ({ body }) => ({ result: readResult(body) }),
      (error: unknown) => ({ error }),
    );
    try {
      await this.#opened;
      const outcome = await closed;
      if ('error' in outcome) throw outcome.error;
      await Promise.all(this.#inFlight);
      if (outcome.result.error === undefined) this.#throwIfFailed();
      return outcome.result;
    } finally {
      await this.#stopEvents?.();
    }
  }

  /**
   * Gives the object up: it counts as failed, no component takes what has come so far for the whole, and the pipe is
   * free again. Servers of others know no such thing; there the object ends where it is. Never rejects, and waits ten
   * seconds for the server at most.
   *
   * @param reason shown as the object's error, at most 500 characters of it
   */
  abandon(reason?: string): Promise<void> {
    if (this.#state === 'open') {
      this.#end();
      this.#abandoned = this.#givenUp(reason);
    }
    return this.#abandoned;
  }

  async #givenUp(reason: string | undefined): Promise<void> {
    // A pipe that cannot be given up went with its task or its connection.
    const told = this.#giveUp({}, reason)
      .catch(() => undefined)
      .then(() => this.#stopEvents?.());
    // Whoever gives up does not wait for a server that says nothing.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, giveUpMs)));
    await Promise.race([told, late]).finally(() => clearTimeout(timer));
  }

  #giveUp(address: Record<string, unknown>, reason?: string): Promise<unknown> {
    const how = this.#pipelined ? { subcommand: 'abandon', ...defined({ reason }) } : { subcommand: 'close' };
    return this.#start({ ...how, ...address }, {}).reply;
  }

  #end(): void {
    this.#state = 'closed';
    this.#options.signal?.removeEventListener('abort', this.#aborted);
  }

  readonly #aborted = (): void => {
    this.#failure ??= createError('cancelled', undefined, { cause: this.#options.signal?.reason });
    void this.abandon();
  };

  get #pipelined(): boolean {
    return this.#session.dialect === 'spec';
  }

  #begin(): void {
    if (this.#state !== 'new') throw createError('invalid_argument', 'This pipe was opened before; make a new one');
    const { objinfo, mimeType, provider, signal } = this.#options;
    this.#state = 'open';
    // Our servers let the sender name the pipe, so that messages may follow before the reply.
    if (this.#pipelined) this.#address = { pipe: this.#name };
    const { reply } = this.#start(
      {
        subcommand: 'open',
        object: objinfo ?? {},
        mimeType: mimeType ?? defaultMimeType,
        ...(provider === undefined ? {} : { provider }),
      },
      { signal, onLateReply: ({ body }) => this.#abandonLate(body) },
    );
    this.#opened = reply.then(
      ({ body }) => {
        const id = isRecord(body) ? body.pipe_id : undefined;
        this.#pipeId = id;
        if (!this.#pipelined) {
          if (typeof id !== 'number') throw createError('pipe_failed', 'The server opened no pipe');
          this.#address = { pipe_id: id };
        }
        if (this.#state !== 'open') return;
        if (signal?.aborted === true) this.#aborted();
        else signal?.addEventListener('abort', this.#aborted, { once: true });
      },
      (error: unknown) => {
        this.#state = 'closed';
        // What went wrong first explains why the writes behind it were refused.
        this.#failure = toMillraceError(error, 'pipe_failed');
        throw this.#failure;
      },
    );
  }

  /** The caller stopped waiting for an open that then succeeded: nobody else would free the pipe. */
  #abandonLate(body: unknown): void {
    this.#giveUp(isRecord(body) && !this.#pipelined ? { pipe_id: body.pipe_id } : {}).catch(() => undefined);
  }

  async #followEvents(onEvent: NonNullable<PipeOptions['onEvent']>): Promise<void> {
    const pipeId = this.#pipeId;
    const { token } = this.#options;
    const stop = this.#session.listen((event) => {
      if (event.event !== 'apaevt_sse' || !isRecord(event.body) || event.body.pipe_id !== pipeId) return;
      if (!isOfTask(event, token, this.#session.taskIds.get(token))) return;
      const { type, data } = event.body;
      onEvent(typeof type === 'string' ? type : '', isRecord(data) ? data : {});
    });
    let subscription: Subscription | undefined;
    this.#stopEvents = async () => {
      stop();
      await subscription?.dispose();
    };
    if (typeof pipeId === 'number') subscription = await this.#monitors.subscribe({ token, pipeId }, ['sse']);
  }

  #start(args: Record<string, unknown>, options: RequestOptions): ReturnType<Session['start']> {
    return this.#session.startExtension('process', { ...args, ...this.#address, token: this.#options.token }, options);
  }

  #throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

function notOpen(): MillraceError {
  return createError('pipe_not_found', 'The pipe is not open');
}

/** @throws ValidationError `invalid_argument` when it is neither text nor bytes */
export function bytesOf(data: unknown): Uint8Array {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw createError('invalid_argument', 'The data must be a string or bytes (Uint8Array)');
}
