import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { errorText, MillraceError } from '../../protocol/errors.js';
import type { EngineCommand } from './engineCommand.js';
import type { EngineOutput } from './engineOutput.js';

/** One process of the engine. It ends when `stop` is called or when this process does, however that comes about. */
export class EngineProcess {
  /** The engine's address, once it takes requests. Rejects with a MillraceError when it ends before. */
  readonly listening: Promise<string>;
  /** How the process ended, for example `exit code 1`. Never rejects. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;

  constructor({ execPath, args, env }: EngineCommand, output: EngineOutput) {
    // The engine watches its standard input, which the system closes when this process is gone.
    const child = spawn(execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...env }, windowsHide: true });
    this.#child = child;
    // Writing is never needed; closing a pipe whose reader is gone fails.
    child.stdin?.on('error', () => undefined);
    let spawnError: Error | undefined;
    this.exited = new Promise((resolve) => {
      child.once('error', (error) => {
        spawnError ??= error;
        // Without a process there is no `close`.
        if (child.pid === undefined) resolve('no process');
      });
      // Not `exit`: what it printed last comes after that.
      child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
    this.listening = new Promise((resolve, reject) => {
      if (child.stdout !== null) {
        createInterface({ input: child.stdout }).on('line', (line) => {
          const url = addressOf(line);
          if (url === undefined) output.line(line);
          else resolve(url);
        });
      }
      if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', (line) => output.line(line));
      void this.exited.then((how) => {
        reject(child.pid === undefined ? cannotRun(execPath, spawnError) : endedEarly(output, how));
      });
    });
    // Whoever stops the engine while it starts does not ask for its address.
    this.listening.catch(() => undefined);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Lets the engine end in order, kills it when that takes longer than `graceMs`, and resolves when it is gone. */
  async stop(graceMs: number): Promise<void> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
    try {
      await this.exited;
    } finally {
      clearTimeout(timer);
    }
  }
}

function addressOf(line: string): string | undefined {
  try {
    const record: unknown = JSON.parse(line);
    if (typeof record !== 'object' || record === null) return undefined;
    const { event, url } = record as Record<string, unknown>;
    return event === 'listening' && typeof url === 'string' ? url : undefined;
  } catch {
    return undefined;
  }
}

function cannotRun(execPath: string, error: Error | undefined): MillraceError {
  return new MillraceError('connection_failed', `The engine cannot be run with ${execPath}: ${errorText(error)}`, {
    hint: 'Check that the editor may start programs; a security program can forbid it.',
    cause: error,
  });
}

function endedEarly(output: EngineOutput, how: string): MillraceError {
  const { reason, hint } = output.explain(how);
  return new MillraceError('connection_failed', reason, { hint });
}
