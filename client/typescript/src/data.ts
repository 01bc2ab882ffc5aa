import { defaultMimeType } from '../../../protocol/limits.js';
import type { PipelineResult } from '../../../protocol/results.js';
import { chunkSize, sliced } from './chunks.js';
import { createError } from './errors.js';
import { isTextual, mimeTypeOf } from './mimeTypes.js';
import type { Monitors } from './monitors.js';
import { bytesOf, DataPipe, type PipeOptions } from './pipes.js';
import { readResult } from './results.js';
import type { Session } from './session.js';
import { checkedToken, defined } from './tasks.js';

/** What travels with one object. */
export interface ObjectOptions {
  token: string;
  objinfo?: Record<string, unknown> | undefined;
  mimeType: string;
  provider?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Sending objects into running pipelines. */
export class DataSender {
  readonly #session: Session;
  readonly #monitors: Monitors;
  /** Pipes made so far. */
  #pipes = 0;

  constructor(session: Session, monitors: Monitors) {
    this.#session = session;
    this.#monitors = monitors;
  }

  pipe(options: PipeOptions): DataPipe {
    checkedToken(options.token);
    return new DataPipe(this.#session, this.#monitors, options, `pipe ${++this.#pipes}`);
  }

  /** One text or one array of bytes. Text is `text/plain` unless told otherwise; bytes go by the name's extension. */
  async send(
    token: string,
    data: string | Uint8Array | ArrayBuffer,
    objinfo: Record<string, unknown> = {},
    mimeType?: string,
    signal?: AbortSignal,
  ): Promise<PipelineResult> {
    const bytes = bytesOf(data);
    const sized = { ...objinfo, size: sizeOf(bytes.length) };
    const type = mimeType ?? (typeof data === 'string' ? 'text/plain' : guessed(objinfo.name));
    return this.sendBytes(bytes, { token: checkedToken(token), objinfo: sized, mimeType: type, signal });
  }

  /** In one message when the server knows that and the data is small, else through a pipe. */
  async sendBytes(bytes: Uint8Array, options: ObjectOptions): Promise<PipelineResult> {
    if (this.#session.dialect === 'peer' || bytes.length > chunkSize) return this.#sendThroughPipe(bytes, options);
    const { token, objinfo, mimeType, provider, signal } = options;
    const { body } = await this.#session.call(
      'process',
      { subcommand: 'send', token, object: objinfo ?? {}, mimeType, ...defined({ provider }) },
      { data: bytes, signal },
    );
    if (typeof body !== 'object' || body === null) throw createError('pipe_failed', 'The server returned no result');
    return readResult(body);
  }

  async #sendThroughPipe(bytes: Uint8Array, options: ObjectOptions): Promise<PipelineResult> {
    const pipe = await this.pipe(options).openAhead();
    try {
      // Every write of a textual type is an item of its own, so cutting it would change what the pipeline sees.
      const pieces = isTextual(options.mimeType) ? [bytes] : sliced(bytes, chunkSize);
      for (const piece of pieces) await pipe.write(piece);
    } catch (error) {
      return settleFailedPipe(pipe, error);
    }
    return pipe.close();
  }
}

/**
 * After a failed write: the result tells what happened when there is one that carries the error; without one the
 * write's own error is thrown. Either way the pipe is free again.
 */
export async function settleFailedPipe(pipe: DataPipe, error: unknown): Promise<PipelineResult> {
  if (!pipe.isOpen) {
    await pipe.abandon();
    throw error;
  }
  const result = await pipe.close();
  if (result.error === undefined) throw error;
  return result;
}

/** The parser of servers skips objects of size 0. */
export function sizeOf(length: number): number {
  return Math.max(1, length);
}

function guessed(name: unknown): string {
  return typeof name === 'string' ? mimeTypeOf(name) : defaultMimeType;
}
