import type { Command } from 'commander';
import { type MillraceClient, type StartInfo, TimeoutError, type UseOptions } from '../typescript/src/index.js';
import { type ExitCode, exitCodes } from './exitCodes.js';
import { UsageError } from './failures.js';
import type { Io } from './io.js';
import { type Style, styleOf } from './style.js';

interface GlobalOptions {
  uri?: string;
  apikey?: string;
  token?: string;
  json?: boolean;
  /** Seconds. */
  timeout?: number;
}

/** Options of the commands that work on a running task or start one for themselves. */
export interface TaskOptions {
  pipeline?: string;
  source?: string;
  threads?: number;
}

/** How long an interrupted command may take to end by itself, milliseconds; then it waits for the server no more. */
const graceMs = 1000;
/** How long each step of the clean-up waits for the server, milliseconds; also for the answer to a start. */
const cleanUpMs = 10_000;
/** How long an answer may take that a server gives at once, milliseconds. */
const answerMs = 60_000;
/** Timers run no longer, milliseconds; it is 24 days. */
const longestMs = 2 ** 31 - 1;

/** One execution of a command: its options, its client, and what is to be undone at its end. */
export class Run {
  readonly io: Io;
  readonly json: boolean;
  /** For stdout. */
  readonly style: Style;
  readonly #globals: GlobalOptions;
  /** Whether --token stands on the command line. */
  readonly #tokenGiven: boolean;
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  constructor(io: Io, globals: GlobalOptions, tokenGiven: boolean) {
    this.io = io;
    this.#tokenGiven = tokenGiven;
    this.#globals = globals;
    this.json = globals.json === true;
    this.style = styleOf(io, io.stdout);
  }

  get signal(): AbortSignal {
    return this.io.signal;
  }

  print(text: string): void {
    this.io.stdout.write(text);
  }

  printJson(value: unknown): void {
    this.print(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** A remark that is no result, so it goes to stderr, and nowhere with --json. */
  note(text: string): void {
    if (!this.json) this.io.stderr.write(text);
  }

  /** The server of --uri, MILLRACE_URI or .env for plain HTTP, such as `http://127.0.0.1:5565`. */
  get httpAddress(): string {
    const { protocol, host } = new URL(this.io.createClient({ uri: this.#globals.uri }).url);
    return `${protocol === 'wss:' ? 'https' : 'http'}://${host}`;
  }

  /** How long the server may take to answer what it answers at once: milliseconds, 0 for ever. */
  get timeout(): number {
    return this.#timeout(answerMs);
  }

  /** The same for work, which takes as long as the pipeline does. */
  get #workTimeout(): number {
    return this.#timeout(0);
  }

  #timeout(unlessGiven: number): number {
    const { timeout } = this.#globals;
    return timeout === undefined ? unlessGiven : Math.min(timeout * 1000, longestMs);
  }

  /** A connected client for what the server answers at once; it is disconnected when the command ends. */
  connect(): Promise<MillraceClient> {
    return this.#connect(this.timeout);
  }

  /** The same for work. */
  connectForWork(): Promise<MillraceClient> {
    return this.#connect(this.#workTimeout);
  }

  async #connect(requestTimeout: number): Promise<MillraceClient> {
    const { uri, apikey } = this.#globals;
    const client = this.io.createClient({ uri, auth: apikey, clientName: 'millrace CLI', requestTimeout });
    this.atEnd(() => client.disconnect());
    await client.connect({ signal: this.signal });
    return client;
  }

  /** The token of --token or MILLRACE_TOKEN. */
  get token(): string {
    const { token } = this.#globals;
    if (token === undefined || token === '') {
      throw new UsageError(
        'No task was named',
        'Pass --token TOKEN or set MILLRACE_TOKEN; `millrace list` shows tokens.',
      );
    }
    return token;
  }

  get hasToken(): boolean {
    return this.#globals.token !== undefined && this.#globals.token !== '';
  }

  /** The token to work with: that of --token, or of a task started from --pipeline and ended with the command. */
  async task(client: MillraceClient, { pipeline, source, threads }: TaskOptions): Promise<string> {
    if (pipeline === undefined) {
      if (this.hasToken) return this.token;
      throw new UsageError(
        'No task was named',
        'Pass --token TOKEN of a running task, or --pipeline FILE to start one.',
      );
    }
    // A token of the environment names the task that other commands are about, not a new one.
    const token = this.#tokenGiven ? this.token : undefined;
    return this.startTask(client, { filepath: pipeline, source, threads, token });
  }

  /** Starts a task that ends with the command, also when the command is interrupted or gives up waiting. */
  async startTask(client: MillraceClient, options: UseOptions): Promise<string> {
    const { started, end } = this.#start(client, options);
    this.atEnd(end);
    return (await started).token;
  }

  /** Starts a task that stays, unless the command ends before anybody can know of it. */
  async leaveTask(client: MillraceClient, options: UseOptions): Promise<StartInfo> {
    const { started, end } = this.#start(client, options);
    try {
      return await started;
    } catch (error) {
      // A task that was joined is not ours.
      if (options.useExisting !== true) this.atEnd(end);
      throw error;
    }
  }

  /** The server starts a task whether or not somebody waits for the answer, and only the answer says what to end. */
  #start(client: MillraceClient, options: UseOptions): { started: Promise<StartInfo>; end: () => Promise<void> } {
    this.signal.throwIfAborted();
    const answer = client.use({ ...options, timeout: 0 });
    const end = async (): Promise<void> => client.terminate((await answer).token);
    const heard = endedBy(answer, this.signal);
    const timeout = this.#workTimeout;
    if (timeout === 0) return { started: heard, end };
    const late = new TimeoutError('timeout', `The start was not answered within ${timeout / 1000} s`);
    return { started: within(timeout, heard, late), end };
  }

  /** Runs `cleanup` at the end, the latest first. Its failure is nobody's concern any more. */
  atEnd(cleanup: () => Promise<unknown>): void {
    this.#cleanups.push(cleanup);
  }

  async end(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await within(cleanUpMs, cleanup()).catch(() => undefined);
  }
}

/** What the commands are built with: where they act, and where their exit code goes. */
export class Runner {
  exitCode: ExitCode = exitCodes.ok;
  readonly io: Io;

  constructor(io: Io) {
    this.io = io;
  }

  /** Makes `body` the action of `command`. It gets the run, the command's options and its operands. */
  bind<Options extends object>(
    command: Command,
    body: (run: Run, options: Options, ...operands: string[]) => Promise<ExitCode | undefined | void>,
  ): void {
    command.action(async (...args: unknown[]) => {
      const operands = args.slice(0, -2) as string[];
      const run = new Run(
        this.io,
        command.optsWithGlobals<GlobalOptions>(),
        command.getOptionValueSourceWithGlobals('token') === 'cli',
      );
      const grace = new AbortController();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const interrupted = (): void => void (timer = setTimeout(() => grace.abort(), graceMs));
      this.io.signal.addEventListener('abort', interrupted);
      try {
        const work = body(run, command.opts<Options>(), ...operands);
        this.exitCode = (await endedBy(work, grace.signal)) ?? exitCodes.ok;
      } finally {
        this.io.signal.removeEventListener('abort', interrupted);
        clearTimeout(timer);
        await run.end();
      }
    });
  }
}

/** What `work` gives; the reason of the signal when that fires before. */
async function endedBy<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What `work` gives; an error when that takes longer. */
async function within<T>(ms: number, work: Promise<T>, error?: Error): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(error), ms);
  return endedBy(work, late.signal).finally(() => clearTimeout(timer));
}

/** Waits; ends early, without an error, when the signal fires. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
