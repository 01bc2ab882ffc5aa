import type { Disposable, Event, LogOutputChannel, Uri } from 'vscode';
import type { MillraceClient, StartInfo } from '../../client/typescript/src/index.js';
import { MillraceError, toMillraceError } from '../../protocol/errors.js';
import type { TaskStatus } from '../../protocol/status.js';
import { isRecord } from '../../pipeline/values.js';
import type { Connection, ConnectionState } from '../connections/connection.js';
import { Emitter } from '../emitter.js';
import { chatProvider, type PipelineFacts, readPipelineText } from '../pipelines/pipelineFile.js';
import { readEnvironment } from './environmentFiles.js';
import { projectIdOf } from './projectId.js';
import type { RunHost } from './runHost.js';
import type { PipelineRun, RunOptions, Runs } from './runs.js';

type Log = Pick<LogOutputChannel, 'info' | 'warn' | 'error' | 'debug'>;

/** Why a run is over. */
export interface RunEnd {
  readonly run: PipelineRun;
  /** `lost`: its server is gone. `ended`: by itself or by somebody else, without a failure. */
  readonly kind: 'stopped' | 'ended' | 'failed' | 'lost';
  /** For people; empty when there is nothing to say. */
  readonly message: string;
}

export interface RunServiceDeps {
  readonly host: RunHost;
  /** The connection to start on when a run names none. */
  readonly currentConnection: () => Connection;
  readonly log: Log;
  /** Milliseconds that a remote server may be away before its runs count as lost; 20 000 when absent. */
  readonly graceMs?: number;
}

/** A run, under one address while its file is renamed. */
class ActiveRun implements PipelineRun {
  readonly controller = new AbortController();
  readonly subscriptions: Disposable[] = [];
  stopping = false;
  grace: ReturnType<typeof setTimeout> | undefined;

  constructor(
    public file: Uri,
    readonly info: StartInfo,
    readonly connection: Connection,
    readonly isChat: boolean,
    readonly source: string,
  ) {}
}

const defaultGraceMs = 20_000;

/** Starts pipeline files and follows each run until its end, by events. */
export class RunService implements Runs, Disposable {
  readonly #deps: RunServiceDeps;
  readonly #runs = new Set<ActiveRun>();
  readonly #starting = new Map<string, Promise<PipelineRun>>();
  readonly #changed = new Emitter<void>();
  readonly #ended = new Emitter<RunEnd>();
  readonly #renames: Disposable;

  constructor(deps: RunServiceDeps) {
    this.#deps = deps;
    this.#renames = deps.host.onDidRename((files) => this.#rename(files));
  }

  get all(): readonly PipelineRun[] {
    return [...this.#runs];
  }

  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  /** Once for each run. */
  get onDidEnd(): Event<RunEnd> {
    return this.#ended.event;
  }

  of(file: Uri): PipelineRun | undefined {
    return this.#of(file).at(-1);
  }

  async start(file: Uri, options: RunOptions = {}): Promise<PipelineRun> {
    const facts = await this.#read(file);
    const source = options.source ?? (await this.#chooseSource(facts));
    const running = this.#of(file).find((run) => run.source === source);
    if (running !== undefined) return running;
    // A second click while the first one starts must not start a second task.
    const key = `${file.toString()} ${source}`;
    const starting = this.#starting.get(key) ?? this.#start(file, facts, source, options);
    this.#starting.set(key, starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(key);
    }
  }

  async stop(run: PipelineRun): Promise<void> {
    const active = [...this.#runs].find(({ info }) => info.token === run.info.token);
    if (active === undefined || active.stopping) return;
    active.stopping = true;
    try {
      const client = await active.connection.client();
      await client.terminate(active.info.token);
    } catch (thrown) {
      const error = toMillraceError(thrown);
      if (!isGone(error)) {
        active.stopping = false;
        throw error;
      }
    }
    this.#finish(active, 'stopped', '');
  }

  /** Ends nothing: a remote task may go on, and the local engine takes its tasks along. */
  dispose(): void {
    this.#renames.dispose();
    for (const run of this.#runs) release(run);
    this.#runs.clear();
    this.#changed.dispose();
    this.#ended.dispose();
  }

  #of(file: Uri): ActiveRun[] {
    const address = file.toString();
    return [...this.#runs].filter((run) => run.file.toString() === address);
  }

  async #read(file: Uri): Promise<PipelineFacts> {
    const reading = readPipelineText(await this.#deps.host.readPipeline(file), file.path);
    if (reading.kind === 'pipeline') return reading;
    throw new MillraceError('pipeline_syntax', reading.message, { hint: reading.hint });
  }

  /** Empty when there is none: why a pipeline cannot be started is explained best by the server. */
  async #chooseSource({ name, sources }: PipelineFacts): Promise<string> {
    const [first, second] = sources;
    if (second === undefined) return first?.id ?? '';
    const picked = await this.#deps.host.pickSource(name, sources);
    if (picked === undefined) throw new MillraceError('cancelled', 'Nothing was started.');
    return picked;
  }

  async #start(file: Uri, facts: PipelineFacts, source: string, options: RunOptions): Promise<PipelineRun> {
    const { host, currentConnection, log } = this.#deps;
    const connection = options.connection ?? currentConnection();
    const settings = host.settings(file);
    const env = { ...(await readEnvironment(file, host)), ...options.env };
    const client = await connection.client();
    const info = await client.use({
      pipeline: { ...facts.pipeline, project_id: facts.projectId ?? projectIdOf(file.toString()) },
      name: facts.name,
      env,
      args: options.args,
      threads: options.threads ?? settings.threads,
      ttl: options.ttl ?? settings.ttl,
      pipelineTraceLevel: options.traceLevel ?? settings.traceLevel,
      ...(source === '' ? {} : { source }),
    });
    log.info(`${facts.name} runs on ${connection.name} as ${info.id ?? 'a task'}`);
    const provider = info.provider ?? facts.sources.find(({ id }) => id === source)?.provider;
    const run = new ActiveRun(file, info, connection, provider === chatProvider, source);
    this.#runs.add(run);
    run.subscriptions.push(connection.onDidChangeState((state) => this.#connectionChanged(run, state)));
    void this.#follow(run, client);
    this.#changed.fire();
    return run;
  }

  /** Until the task has ended or the run is over; a loss of the connection is the matter of `#connectionChanged`. */
  async #follow(run: ActiveRun, client: MillraceClient): Promise<void> {
    const { signal } = run.controller;
    try {
      const key = { token: run.info.token };
      for await (const { event, body } of client.events({ key, types: ['summary'], signal, capacity: 100 })) {
        if (event === 'apaevt_status_update' && isRecord(body) && body.completed === true) {
          return this.#taskEnded(run, body);
        }
      }
    } catch (thrown) {
      this.#failed(run, toMillraceError(thrown));
    }
  }

  #taskEnded(run: ActiveRun, { exitCode, exitMessage }: Partial<TaskStatus>): void {
    const reason = typeof exitMessage === 'string' ? exitMessage : '';
    if (run.stopping) this.#finish(run, 'stopped', '');
    else if (exitCode === 0 || exitCode === undefined) this.#finish(run, 'ended', reason);
    else this.#finish(run, 'failed', reason === '' ? `It ended with exit code ${exitCode}.` : reason);
  }

  #failed(run: ActiveRun, error: MillraceError): void {
    if (isGone(error)) this.#finish(run, 'lost', 'Its server does not know it any more.');
    else if (run.connection.kind === 'local') this.#finish(run, 'lost', 'The engine has stopped.');
    else this.#lose(run);
  }

  #connectionChanged(run: ActiveRun, state: ConnectionState): void {
    switch (state.kind) {
      case 'connected':
        clearTimeout(run.grace);
        run.grace = undefined;
        void this.#ask(run);
        break;
      case 'off':
      case 'failed':
        this.#finish(run, run.stopping ? 'stopped' : 'lost', state.reason);
        break;
      case 'waiting':
      case 'connecting':
        // The tasks of the local engine are gone with it; those of a remote server may still be there.
        if (run.connection.kind === 'local') {
          this.#finish(run, 'lost', state.kind === 'waiting' ? state.reason : 'The engine has stopped.');
        } else this.#lose(run);
        break;
    }
  }

  #lose(run: ActiveRun): void {
    if (!this.#runs.has(run)) return;
    const end = (): void => this.#finish(run, 'lost', `${run.connection.name} cannot be reached.`);
    run.grace ??= setTimeout(end, this.#deps.graceMs ?? defaultGraceMs);
  }

  /** After a reconnect: a server that was started anew has no tasks and says nothing about the old ones. */
  async #ask(run: ActiveRun): Promise<void> {
    if (!this.#runs.has(run)) return;
    try {
      const client = await run.connection.client();
      const status = await client.getTaskStatus(run.info.token);
      if (status.completed) this.#taskEnded(run, status);
    } catch (thrown) {
      const error = toMillraceError(thrown);
      if (isGone(error)) this.#failed(run, error);
    }
  }

  #finish(run: ActiveRun, kind: RunEnd['kind'], message: string): void {
    if (!this.#runs.delete(run)) return;
    release(run);
    this.#deps.log.info(`Run ${run.info.id ?? run.info.token.slice(0, 8)} is over (${kind}) ${message}`.trimEnd());
    this.#changed.fire();
    this.#ended.fire({ run, kind, message });
  }

  #rename(files: readonly { readonly oldUri: Uri; readonly newUri: Uri }[]): void {
    let moved = false;
    for (const run of this.#runs) {
      const renamed = files.map((each) => renamedTo(run.file, each)).find((uri) => uri !== undefined);
      if (renamed === undefined) continue;
      run.file = renamed;
      moved = true;
    }
    if (moved) this.#changed.fire();
  }
}

/** Where a file is after something was renamed: itself, or a folder above it. */
function renamedTo(file: Uri, { oldUri, newUri }: { readonly oldUri: Uri; readonly newUri: Uri }): Uri | undefined {
  if (file.scheme !== oldUri.scheme || file.authority !== oldUri.authority) return undefined;
  if (file.path === oldUri.path) return newUri;
  if (!file.path.startsWith(`${oldUri.path}/`)) return undefined;
  return newUri.with({ path: newUri.path + file.path.slice(oldUri.path.length) });
}

function isGone({ code }: MillraceError): boolean {
  return code === 'task_unknown' || code === 'task_ended';
}

function release(run: ActiveRun): void {
  clearTimeout(run.grace);
  run.controller.abort();
  for (const subscription of run.subscriptions) subscription.dispose();
}
