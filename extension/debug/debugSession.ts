import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { DebugAdapter, Event, Uri } from 'vscode';
import { Answer } from '../../client/typescript/src/index.js';
import { findSource } from '../../pipeline/source.js';
import { isRecord } from '../../pipeline/values.js';
import { errorText, MillraceError, toMillraceError } from '../../protocol/errors.js';
import type { Connection, Connections } from '../connections/connection.js';
import { localConnection } from '../identifiers.js';
import type { PipelineRun, Runs } from '../runs/runs.js';
import { type AttachConfiguration, checkConfiguration, type LaunchConfiguration } from './configuration.js';
import { type Category, ConsoleOutput } from './consoleOutput.js';
import { DapChannel } from './dapChannel.js';
import { expandInput, type FindFiles } from './inputFiles.js';
import { InputSender } from './inputSender.js';
import { describeError, plain, wholeText } from './resultText.js';
import { type TaskEnd, type TaskNews, watchTask } from './taskWatch.js';
import { readVariables, uselessNames } from './variables.js';

export interface DebugSessionOptions {
  readonly runs: Runs;
  readonly connections: Connections;
  /** Where relative paths of the configuration start; undefined when no folder is open. */
  readonly folder: string | undefined;
  /** Of a path, or of an address such as `untitled:…`. */
  readonly fileUri: (path: string) => Uri;
  readonly findFiles: FindFiles;
}

/** The task of a session. */
interface DebuggedTask {
  readonly name: string;
  readonly connection: Connection;
  readonly token: string;
  /** Set when the session started the task, so that its end is the task's. */
  readonly run: PipelineRun | undefined;
}

/** The only thread: pipes come and go too fast to be listed while nothing stops them. */
const threadId = 1;

const noBreakpoints = 'Stopping on components comes with the debugger, which this version does not have yet.';

const capabilities: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsTerminateRequest: true,
  supportTerminateDebuggee: true,
};

/** The name of an object that was typed. */
const consoleObject = 'Debug console';

/** How long a stop waits for a start that is under way; what starts later is stopped then. */
const startGraceMs = 5000;

/** Objects sent at once when the configuration does not say. */
const defaultThreads = 4;

/**
 * One debug session: starts a pipeline or joins a running task, shows what it says in the debug console, and ends with
 * it. Speaks the Debug Adapter Protocol.
 */
export class MillraceDebugSession implements DebugAdapter {
  readonly #options: DebugSessionOptions;
  readonly #channel: DapChannel;
  readonly #output = new ConsoleOutput((category, output) => this.#channel.event('output', { category, output }));
  readonly #over = new AbortController();
  /** Ends what is being sent, before the task is stopped under it. */
  readonly #sending = new AbortController();
  /** Names of the objects that the session sent: their failures are told with their results. */
  readonly #ownObjects = new Set<string>();
  readonly #configured: Promise<void>;
  #configurationDone: () => void = () => undefined;
  #task: DebuggedTask | undefined;
  /** Resolves when the task has started or could not be. */
  #starting: Promise<unknown> | undefined;
  #watched: Promise<TaskEnd | undefined> | undefined;
  /** What became of the files that the task was started for. */
  #inputEnd: TaskEnd | undefined;
  #finished = false;
  #stopped = false;

  constructor(options: DebugSessionOptions) {
    this.#options = options;
    this.#configured = new Promise((resolve) => (this.#configurationDone = resolve));
    this.#channel = new DapChannel({
      initialize: () => capabilities,
      launch: (args) => this.#begin(args, 'launch'),
      attach: (args) => this.#begin(args, 'attach'),
      configurationDone: () => this.#configurationDone(),
      setBreakpoints: (args) => unverified(args),
      setFunctionBreakpoints: (args) => unverified(args),
      setExceptionBreakpoints: (args) => unverified({ breakpoints: args.filters }),
      threads: () => ({ threads: [{ id: threadId, name: this.#task?.name ?? 'Pipeline' }] }),
      pause: () => {
        throw new MillraceError('unsupported', 'A pipeline cannot be paused yet', { hint: noBreakpoints });
      },
      evaluate: (args) => this.#evaluate(args),
      terminate: () => this.#stopTask(true),
      disconnect: (args) => this.#disconnect(args),
    });
  }

  get onDidSendMessage(): Event<DebugProtocol.ProtocolMessage> {
    return this.#channel.onDidSend;
  }

  handleMessage(message: unknown): void {
    this.#channel.handle(message);
  }

  /** Stops listening; a task that still runs goes on. */
  dispose(): void {
    this.#finished = true;
    this.#sending.abort();
    this.#over.abort();
    this.#configurationDone();
    this.#output.dispose();
    this.#channel.dispose();
  }

  async #begin(args: Record<string, unknown>, request: 'launch' | 'attach'): Promise<void> {
    try {
      if (this.#starting !== undefined) {
        throw new MillraceError('invalid_argument', 'This debug session has started already', { hint: '' });
      }
      const configuration = checkConfiguration({ ...args, request });
      const start = this.#configured.then(() => this.#start(configuration));
      this.#starting = start.catch(() => undefined);
      this.#channel.event('initialized');
      await start;
    } catch (thrown) {
      this.#printError(thrown);
      throw thrown;
    }
  }

  async #start(configuration: LaunchConfiguration | AttachConfiguration): Promise<void> {
    if (configuration.request === 'attach') return this.#attach(configuration);
    return this.#launch(configuration);
  }

  async #launch(configuration: LaunchConfiguration): Promise<void> {
    const { runs, folder, fileUri, findFiles } = this.#options;
    const { source, args, threads, ttl, traceLevel, input } = configuration;
    // Whatever can be wrong is found before anything runs.
    const connection = this.#connection(configuration.connection);
    const file = this.#absolute('program', configuration.program);
    const envFile = configuration.envFile === undefined ? undefined : this.#absolute('envFile', configuration.envFile);
    const env = await readVariables(envFile, configuration.env);
    const files = input === undefined ? undefined : await expandInput(input, folder, findFiles);
    const useless = uselessNames(configuration.env);
    if (useless.length > 0) {
      this.#print(`These variables of "env" cannot be used in a pipeline: ${useless.join(', ')}.`, 'console');
    }
    const before = new Set(runs.all);
    const run = await runs.start(fileUri(file), { source, args, threads, ttl, traceLevel, env, connection });
    const joined = before.has(run);
    const name = path.basename(file);
    const task = { name, connection: run.connection, token: run.info.token, run: joined ? undefined : run };
    if (this.#stopped) {
      if (!joined) await runs.stop(run);
      throw new MillraceError('cancelled', 'The start was cancelled');
    }
    this.#print(
      joined
        ? `${name} was running already on ${run.connection.name}. This session shows its output and leaves it running.`
        : `Started ${name} on ${run.connection.name}.`,
    );
    for (const sent of files ?? []) this.#ownObjects.add(path.basename(sent));
    this.#follow(task, 'launch');
    if (files === undefined) return;
    void this.#sendInput(task, files, threads ?? defaultThreads);
  }

  async #attach({ task: wanted, connection: connectionName }: AttachConfiguration): Promise<void> {
    const connection = this.#connection(connectionName);
    const client = await connection.client();
    const token = 'token' in wanted ? wanted.token : await client.getToken(wanted.projectId, wanted.source);
    const status = await client.getTaskStatus(token);
    if (this.#stopped) throw new MillraceError('cancelled', 'Attaching was cancelled');
    const name = status.name || status.source || 'Pipeline';
    this.#print(`Attached to ${name} on ${connection.name}.`);
    this.#follow({ name, connection, token, run: undefined }, 'attach');
  }

  #connection(name: string | undefined): Connection {
    const { connections } = this.#options;
    return name === undefined || name === '' ? connections.current : connections.get(name);
  }

  #absolute(field: string, given: string): string {
    if (path.isAbsolute(given)) return path.normalize(given);
    if (isAddress(given)) return given;
    const { folder } = this.#options;
    if (folder !== undefined) return path.join(folder, given);
    throw new MillraceError('invalid_argument', `"${field}" is a relative path, but no folder is open: ${given}`, {
      hint: 'Write the whole path, or open the folder.',
    });
  }

  #follow(task: DebuggedTask, startMethod: 'launch' | 'attach'): void {
    this.#task = task;
    const isLocalProcess = task.connection.name === localConnection;
    this.#channel.event('process', { name: task.name, startMethod, isLocalProcess });
    this.#channel.event('thread', { reason: 'started', threadId });
    const { connection, token } = task;
    this.#watched = watchTask({ connection, token, tell: (news) => this.#tell(news), signal: this.#over.signal });
    void this.#watched.then((end) => {
      if (end !== undefined) this.#finish(end.exitCode === 0 ? (this.#inputEnd ?? end) : end);
    });
  }

  #tell({ kind, text }: TaskNews): void {
    if (kind === 'output') this.#print(text);
    else if (kind === 'notice') this.#print(text, 'console');
    else if (kind === 'warning') this.#print(`Warning: ${text}`, 'console');
    else if (!this.#isOwnFailure(text)) this.#print(`Error: ${text}`, 'stderr');
  }

  /** The server writes `name: why` about an object that failed. */
  #isOwnFailure(text: string): boolean {
    for (let end = text.indexOf(': '); end >= 0; end = text.indexOf(': ', end + 1)) {
      if (this.#ownObjects.has(text.slice(0, end))) return true;
    }
    return false;
  }

  async #sendInput(task: DebuggedTask, files: readonly string[], concurrency: number): Promise<void> {
    const sender = new InputSender({
      task,
      folder: this.#options.folder,
      concurrency,
      signal: this.#sending.signal,
      print: (text, failed) => this.#print(text, failed ? 'stderr' : 'stdout'),
    });
    const { done, failed, unsent } = await sender.send(files);
    if (this.#finished || this.#stopped) return;
    const sum = [`${done + failed} ${done + failed === 1 ? 'object' : 'objects'}`, `${failed} failed`];
    if (unsent > 0) sum.push(`${unsent} not sent`);
    const end: TaskEnd = { exitCode: failed + unsent > 0 ? 1 : 0, reason: sum.join(', '), known: true };
    if (task.run === undefined) return this.#finish(end);
    this.#inputEnd = end;
    // The end is heard through the watch, after what the task still had to say.
    await this.#end(task).catch((error: unknown) => {
      if (unsent === 0) this.#printError(error);
      this.#finish({ ...end, exitCode: 1 });
    });
  }

  /** `interrupted`: the end is told, because a person asked for it and stays. */
  async #stopTask(interrupted: boolean): Promise<void> {
    this.#stopped = true;
    this.#configurationDone();
    this.#sending.abort();
    await Promise.race([this.#starting, delay(startGraceMs, this.#over.signal)]);
    const task = this.#task;
    if (task === undefined || this.#finished) {
      if (interrupted) this.#finish({ exitCode: 0, reason: 'Stopped', known: true });
      return;
    }
    try {
      await this.#end(task);
    } catch (error) {
      const { code } = toMillraceError(error);
      if (code === 'task_unknown' || code === 'task_ended') return;
      this.#printError(error);
      this.#finish({ exitCode: 1, reason: 'The task could not be stopped', known: false });
    }
  }

  /** Ends the task. Without a connection it is ended as soon as there is one, which nobody waits for. */
  async #end({ connection, run, token }: DebuggedTask): Promise<void> {
    const online = connection.connected !== undefined;
    const ended =
      run === undefined ? connection.client().then((client) => client.terminate(token)) : this.#options.runs.stop(run);
    if (online) return ended;
    ended.catch(() => undefined);
    throw new MillraceError('connection_lost', `There is no connection to ${connection.name}`, {
      hint: 'The task is stopped when the connection is back.',
    });
  }

  async #disconnect({ terminateDebuggee }: DebugProtocol.DisconnectArguments): Promise<void> {
    const owned = this.#task === undefined || this.#task.run !== undefined;
    if (terminateDebuggee ?? owned) await this.#stopTask(false);
    this.#finished = true;
    this.#sending.abort();
    this.#over.abort();
    this.#output.flush();
  }

  #finish(end: TaskEnd): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#sending.abort();
    this.#over.abort();
    const { exitCode, reason } = end;
    this.#print(`${reason.replace(/\.$/, '')}. Exit code ${exitCode}.`, exitCode === 0 ? 'stdout' : 'stderr');
    this.#output.flush();
    this.#channel.event('thread', { reason: 'exited', threadId });
    this.#channel.event('exited', { exitCode });
    this.#channel.event('terminated');
  }

  async #evaluate({
    expression,
    context,
  }: Record<string, unknown>): Promise<{ result: string; variablesReference: 0 }> {
    const task = this.#task;
    if (context !== 'repl' || typeof expression !== 'string' || expression.trim() === '') {
      throw new MillraceError('unsupported', 'Only text typed into the debug console can be sent', { hint: '' });
    }
    if (task === undefined || this.#finished) throw new MillraceError('task_ended');
    const client = await task.connection.client();
    const { signal } = this.#over;
    this.#ownObjects.add(consoleObject);
    const isChat = task.run?.isChat ?? (await this.#takesQuestions(task));
    const result = isChat
      ? await client.chat({ token: task.token, question: expression, signal })
      : await client.send(task.token, expression, { name: consoleObject }, 'text/plain', { signal });
    if (result.error !== undefined) {
      throw new MillraceError('component_failed', plain(describeError(result.error)), { hint: '' });
    }
    const answers = isChat ? Answer.of(result).map((answer) => answer.getText()) : [];
    return { result: answers.length > 0 ? plain(answers.join('\n')) : wholeText(result), variablesReference: 0 };
  }

  async #takesQuestions({ connection, token }: DebuggedTask): Promise<boolean> {
    const client = await connection.client();
    const [pipeline, status] = await Promise.all([client.getPipeline(token), client.getTaskStatus(token)]);
    const choice = findSource(isRecord(pipeline) ? pipeline : {}, status.source);
    return choice.kind === 'found' && choice.component.provider === 'chat';
  }

  #printError(thrown: unknown): void {
    // Whoever cancelled knows.
    if (thrown instanceof MillraceError && thrown.code === 'cancelled') return;
    const { message, hint } = thrown instanceof MillraceError ? thrown : { message: errorText(thrown), hint: '' };
    this.#print([message, hint].filter((part) => part !== '').join('\n'), 'stderr');
    this.#output.flush();
  }

  #print(text: string, category: Category = 'stdout'): void {
    this.#output.print(plain(text), category);
  }
}

/** An address of the editor; a drive of Windows has one letter. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:/i.test(text);
}

async function delay(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/** Every breakpoint that was asked for, with the reason why it does not stop anything. */
function unverified({ breakpoints, source }: Record<string, unknown>): { breakpoints: DebugProtocol.Breakpoint[] } {
  const asked: unknown[] = Array.isArray(breakpoints) ? breakpoints : [];
  const about = isRecord(source) ? { source: source as DebugProtocol.Source } : {};
  return {
    breakpoints: asked.map((breakpoint) => {
      const line = isRecord(breakpoint) && typeof breakpoint.line === 'number' ? { line: breakpoint.line } : {};
      return { verified: false, message: noBreakpoints, ...about, ...line };
    }),
  };
}
