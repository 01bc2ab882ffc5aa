import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Disposable } from 'vscode';
import { MillraceError, toMillraceError } from '../../protocol/errors.js';
import { Emitter } from '../emitter.js';
import type { Log } from '../log.js';
import { type EngineProgram, type EngineSettings, engineCommand } from './engineCommand.js';
import { EngineOutput } from './engineOutput.js';
import { EngineProcess } from './engineProcess.js';
import type { EngineNotice, EngineState, RunningEngine } from './engineState.js';

/** Milliseconds, and how often the engine may crash. */
export interface EngineTiming {
  /** After this a start that has not succeeded is said to be slow. */
  readonly slow: number;
  /** After this it is given up. */
  readonly start: number;
  /** What an engine gets to end in order. */
  readonly grace: number;
  /** Wait before the first new start after a crash; doubles up to `maxBackoff`. */
  readonly backoff: number;
  readonly maxBackoff: number;
  /** So many crashes within `crashWindow` are the end. */
  readonly crashes: number;
  readonly crashWindow: number;
}

export const engineTiming: EngineTiming = {
  slow: 4_500,
  start: 30_000,
  grace: 4_000,
  backoff: 500,
  maxBackoff: 30_000,
  crashes: 5,
  crashWindow: 120_000,
};

export interface EngineHostOptions {
  readonly program: EngineProgram;
  /** Asked at each start. @throws MillraceError when the settings cannot be used */
  settings(): EngineSettings;
  /** Whether the workspace is trusted. */
  mayStart(): boolean;
  readonly log: Log;
  readonly timing?: Partial<EngineTiming> | undefined;
}

/** An unexpected end of the engine. `final` when it is not started again. */
export interface EngineCrash extends EngineNotice {
  readonly final: boolean;
}

/**
 * The engine inside the editor: at most one process, started when it is needed and started again when it crashes. What
 * is asked for takes place one after the other.
 */
export class EngineHost implements Disposable {
  readonly #options: EngineHostOptions;
  readonly #timing: EngineTiming;
  readonly #changes = new Emitter<EngineState>();
  readonly #crashEvents = new Emitter<EngineCrash>();
  readonly onDidChange = this.#changes.event;
  readonly onDidCrash = this.#crashEvents.event;
  /** One key for the life of the window, known to nobody else. */
  readonly #key = randomBytes(32).toString('base64url');
  #state: EngineState = { kind: 'stopped' };
  #process: EngineProcess | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** Ends the start under way, or the wait for it. */
  #abort = new AbortController();
  #starting: Promise<RunningEngine> | undefined;
  #restarting: Promise<void> | undefined;
  #nextRestart: Promise<void> | undefined;
  /** Counts calls of `stop`, so that a restart that waits its turn does not undo one. */
  #stops = 0;
  #crashes: number[] = [];
  #disposed = false;

  constructor(options: EngineHostOptions) {
    this.#options = options;
    this.#timing = { ...engineTiming, ...options.timing };
  }

  get state(): EngineState {
    return this.#state;
  }

  /**
   * Starts the engine unless it runs. Calls share one start, also the one after a crash.
   *
   * @throws MillraceError `unsupported` in an untrusted workspace, `cancelled` when it was stopped meanwhile,
   *   otherwise why it cannot run
   */
  async start(): Promise<RunningEngine> {
    for (;;) {
      if (this.#state.kind === 'running') return this.#state;
      const starting = this.#starting ?? this.#launch();
      try {
        return await starting;
      } catch (error) {
        // A restart has taken the place of this start.
        if (this.#starting === undefined || this.#starting === starting) throw error;
      }
    }
  }

  /** Ends the engine and with it every task. Resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#stops += 1;
    this.#abort.abort();
    this.#starting = undefined;
    this.#restarting = undefined;
    this.#nextRestart = undefined;
    this.#set({ kind: 'stopped' });
    await this.#inTurn(() => this.#end());
  }

  /**
   * Ends the engine and starts it again. While a restart is under way any number of calls makes one more.
   *
   * @throws MillraceError like `start`
   */
  restart(): Promise<void> {
    if (this.#restarting === undefined) return this.#beginRestart();
    const stops = this.#stops;
    this.#nextRestart ??= this.#restarting
      .catch(() => undefined)
      .then(() => {
        if (stops !== this.#stops) return undefined;
        this.#nextRestart = undefined;
        return this.#beginRestart();
      });
    return this.#nextRestart;
  }

  /** Lets new settings take effect: a stopped engine reads them when it starts. */
  async settingsChanged(): Promise<void> {
    if (this.#state.kind === 'stopped') return;
    // Why it failed is its state, which is shown.
    await this.restart().catch(() => undefined);
  }

  /** Leaves nothing behind. Resolves when the process is gone. */
  async shutdown(): Promise<void> {
    this.#disposed = true;
    await this.stop();
    this.#changes.dispose();
    this.#crashEvents.dispose();
  }

  dispose(): void {
    void this.shutdown();
  }

  #beginRestart(): Promise<void> {
    const restarting: Promise<void> = this.#launch()
      .then(() => undefined)
      .finally(() => {
        if (this.#restarting === restarting) this.#restarting = undefined;
      });
    this.#restarting = restarting;
    return restarting;
  }

  #launch(after: { notice?: EngineNotice; delay: number } = { delay: 0 }): Promise<RunningEngine> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    this.#set({ kind: 'starting', notice: after.notice });
    const starting: Promise<RunningEngine> = this.#inTurn(async () => {
      await this.#end();
      return this.#begin(signal, after.delay);
    }).finally(() => {
      if (this.#starting === starting) this.#starting = undefined;
    });
    // The state tells of the failure, also when nobody waits for it.
    starting.catch(() => undefined);
    this.#starting = starting;
    return starting;
  }

  #refusal(): MillraceError | undefined {
    if (this.#disposed) return new MillraceError('cancelled', 'The editor closes');
    if (this.#options.mayStart()) return undefined;
    return new MillraceError('unsupported', 'The engine does not start in a workspace that is not trusted', {
      hint: 'Trust the workspace with the command "Workspaces: Manage Workspace Trust".',
    });
  }

  async #begin(signal: AbortSignal, delay: number): Promise<RunningEngine> {
    const { log } = this.#options;
    try {
      await wait(delay, undefined, { signal });
      const engine = await this.#spawn();
      this.#process = engine;
      const url = await this.#untilListening(engine, signal);
      signal.throwIfAborted();
      const running: RunningEngine = { kind: 'running', url, key: this.#key, pid: engine.pid };
      log.info(`The engine runs at ${url}, process ${engine.pid}`);
      this.#set(running);
      void engine.exited.then((how) => this.#ended(engine, how));
      return running;
    } catch (thrown) {
      await this.#end();
      if (signal.aborted) throw new MillraceError('cancelled', 'The engine was stopped while it started');
      const error = toMillraceError(thrown, 'connection_failed');
      log.error(`The engine did not start: ${error.message}. ${error.hint}`);
      this.#set({ kind: 'failed', reason: error.message, hint: error.hint });
      throw error;
    }
  }

  async #spawn(): Promise<EngineProcess> {
    const { program, log } = this.#options;
    try {
      await access(program.entry);
    } catch (cause) {
      throw new MillraceError('connection_failed', `The engine is not where it should be: ${program.entry}`, {
        hint: 'Install the extension again.',
        cause,
      });
    }
    const command = engineCommand(program, this.#options.settings(), this.#key);
    log.info(`Starting the engine: ${command.execPath} ${command.args.join(' ')}`);
    return new EngineProcess(command, new EngineOutput(log, this.#key));
  }

  async #untilListening(engine: EngineProcess, signal: AbortSignal): Promise<string> {
    const { slow, start, grace } = this.#timing;
    const onAbort = (): void => void engine.stop(grace);
    signal.addEventListener('abort', onAbort, { once: true });
    const slowTimer = setTimeout(() => {
      if (signal.aborted) return;
      const reason = `The engine has not answered for ${seconds(slow)}`;
      this.#options.log.warn(reason);
      const hint = 'It may still come. If not, see the log and look for a program that keeps it from starting.';
      this.#set({ kind: 'starting', notice: { reason, hint } });
    }, slow);
    let startTimer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      startTimer = setTimeout(() => {
        const hint = 'See the log, look for a program that keeps it from starting, then restart the engine.';
        reject(new MillraceError('timeout', `The engine did not answer within ${seconds(start)}`, { hint }));
      }, start);
    });
    try {
      signal.throwIfAborted();
      return await Promise.race([engine.listening, tooLong]);
    } finally {
      clearTimeout(slowTimer);
      clearTimeout(startTimer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the process, if there is one. Its end is then no crash. */
  async #end(): Promise<void> {
    const engine = this.#process;
    this.#process = undefined;
    await engine?.stop(this.#timing.grace);
  }

  #ended(engine: EngineProcess, how: string): void {
    if (this.#process !== engine || this.#state.kind !== 'running') return;
    const { backoff, maxBackoff, crashes, crashWindow } = this.#timing;
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < crashWindow), now];
    const count = this.#crashes.length;
    const once = `The engine ended unexpectedly with ${how}`;
    const often = `The engine ended unexpectedly ${count} times within ${seconds(crashWindow)}, last with ${how}`;
    const isOften = count >= crashes;
    if (isOften || !this.#options.mayStart()) return this.#giveUp(isOften ? often : once);
    const delay = Math.min(maxBackoff, backoff * 2 ** (count - 1));
    const hint = 'It is started again; pipelines that ran on it have ended. See the log for the cause.';
    this.#options.log.error(`${once}. It is started again in ${seconds(delay)}.`);
    const restarted = this.#launch({ notice: { reason: once, hint }, delay });
    this.#crashEvents.fire({ reason: once, hint, final: false });
    restarted.catch(() => {
      const state = this.#state;
      if (state.kind === 'failed') this.#crashEvents.fire({ reason: state.reason, hint: state.hint, final: true });
    });
  }

  #giveUp(reason: string): void {
    const hint = 'See the log for the cause, then restart the engine.';
    this.#crashes = [];
    this.#options.log.error(`${reason}. It is not started again.`);
    this.#set({ kind: 'failed', reason, hint });
    this.#crashEvents.fire({ reason, hint, final: true });
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(action);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #set(state: EngineState): void {
    if (state.kind === 'stopped' && this.#state.kind === 'stopped') return;
    this.#state = state;
    this.#changes.fire(state);
  }
}

function seconds(ms: number): string {
  const value = Math.round(ms / 100) / 10;
  return `${value} ${value === 1 ? 'second' : 'seconds'}`;
}
