import path from 'node:path';
import { errorText } from '../../protocol/errors.js';
import type { UploadResult } from '../../protocol/results.js';
import type { Connection } from '../connections/connection.js';
import { describeError, secondsText, summarize } from './resultText.js';

export interface InputSenderOptions {
  readonly task: { readonly connection: Connection; readonly token: string };
  /** Names are shown from here. */
  readonly folder: string | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  print(line: string, failed: boolean): void;
}

/** Sends files to a task and prints a line for each when it is done. */
export class InputSender {
  readonly #options: InputSenderOptions;

  constructor(options: InputSenderOptions) {
    this.#options = options;
  }

  /**
   * Resolves when every file has its line, the signal fired, or the task cannot be reached any more: then `unsent` is
   * above 0. Never rejects.
   */
  async send(files: readonly string[]): Promise<{ done: number; failed: number; unsent: number }> {
    const { concurrency, signal } = this.#options;
    const count = { done: 0, failed: 0, unsent: files.length };
    const queue = files.values();
    let reachable = true;
    const worker = async (): Promise<void> => {
      for (const file of queue) {
        if (signal.aborted || !reachable) return;
        count.unsent -= 1;
        const outcome = await this.#sendOne(file);
        count[outcome === 'done' ? 'done' : 'failed'] += 1;
        // Whatever comes after would fail for the same reason, with a line each.
        if (outcome === 'refused' && reachable && !(await this.#isReachable())) reachable = false;
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, files.length) }, worker));
    return count;
  }

  /** `refused`: the pipeline never saw it, or cannot have finished it. */
  async #sendOne(file: string): Promise<'done' | 'failed' | 'refused'> {
    const { task, signal, print } = this.#options;
    const name = this.#nameOf(file);
    try {
      const client = await task.connection.client();
      const [result] = await client.sendFiles([file], task.token, { signal });
      // A signal that fires meanwhile fails what is under way, which nobody wants to read.
      if (result === undefined || signal.aborted) return 'failed';
      const failed = result.action === 'error';
      print(`${name}  ${secondsText(result.upload_time)}  ${outcomeText(result)}`, failed);
      return failed ? (result.result === undefined ? 'refused' : 'failed') : 'done';
    } catch (error) {
      if (!signal.aborted) print(`${name}  failed: ${errorText(error)}`, true);
      return 'refused';
    }
  }

  async #isReachable(): Promise<boolean> {
    const { connection, token } = this.#options.task;
    const status = await connection.connected?.getTaskStatus(token).catch(() => undefined);
    return status?.completed === false;
  }

  #nameOf(file: string): string {
    const { folder } = this.#options;
    const relative = folder === undefined ? file : path.relative(folder, file);
    return relative.startsWith('..') ? file : relative;
  }
}

function outcomeText({ result, error }: UploadResult): string {
  if (result?.error !== undefined) return `failed: ${describeError(result.error)}`;
  if (error !== undefined) return `failed: ${error}`;
  return result === undefined ? 'done' : summarize(result);
}
