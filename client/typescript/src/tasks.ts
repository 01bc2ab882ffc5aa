import type { TraceLevel } from '../../../protocol/events.js';
import type { ValidationResult } from '../../../protocol/results.js';
import type { TaskStatus } from '../../../protocol/status.js';
import type { Pipeline, PipelineComponent } from '../../../pipeline/model.js';
import { unwrapPipeline } from '../../../pipeline/document.js';
import { substitute } from '../../../pipeline/environment.js';
import { isRecord } from '../../../pipeline/values.js';
import { createError } from './errors.js';
import type { Reply } from './requests.js';
import { readValidation } from './results.js';
import type { Session } from './session.js';

/** A pipeline as an object: checked by the server, so that any JSON may be passed. */
export type PipelineInput = Pipeline | Record<string, unknown>;

export interface UseOptions {
  /** The pipeline, or `filepath`. */
  pipeline?: PipelineInput | undefined;
  /** A JSON or JSON5 file; in Node only. */
  filepath?: string | undefined;
  /** Token for the task; the server makes one when absent. */
  token?: string | undefined;
  /** Id of the entry component, in place of the pipeline's own `source`. */
  source?: string | undefined;
  /** Objects worked on at once, 1–64; the server chooses when absent. */
  threads?: number | undefined;
  /** Join the running task of the same token instead of failing with `task_exists`. */
  useExisting?: boolean | undefined;
  args?: readonly string[] | undefined;
  /** Seconds without work after which the task ends; 0 means never. */
  ttl?: number | undefined;
  pipelineTraceLevel?: TraceLevel | undefined;
  /** Display name; when absent that of the pipeline, or else of its file. */
  name?: string | undefined;
  /** Variables for `${SERVICE_…}`, over those of the client. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds, in place of the client's `requestTimeout`; 0 means no limit. */
  timeout?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The answer to a start. Only the token is there on every server. */
export interface StartInfo {
  token: string;
  id?: string;
  /** Credential that may only send data to this task. */
  publicToken?: string;
  projectId?: string;
  source?: string;
  provider?: string;
  [key: string]: unknown;
}

export interface RestartOptions {
  token?: string | undefined;
  projectId?: string | undefined;
  source?: string | undefined;
  pipeline: PipelineInput;
  env?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
}

/** One running task of `getTasks`. */
export interface TaskListing {
  name: string;
  description: string;
  source: string;
  token: string;
  status: string;
  pipeline: unknown;
}

/** What only Node can do; absent in browsers. */
export interface PipelineFiles {
  /** Reads and parses a pipeline file. */
  load(filepath: string): Promise<{ pipeline: unknown; name: string }>;
  /** Variables of `.env` and of the process. */
  variables(): Promise<Record<string, string>>;
}

const statusTimeout = 15_000;

/** Starting, watching and ending tasks. */
export class Tasks {
  readonly #session: Session;
  readonly #files: PipelineFiles | undefined;
  readonly #env: Readonly<Record<string, string>>;

  constructor(session: Session, files: PipelineFiles | undefined, env: Readonly<Record<string, string>>) {
    this.#session = session;
    this.#files = files;
    this.#env = env;
  }

  async use(options: UseOptions): Promise<StartInfo> {
    const { pipeline: given, name } = await this.#read(options);
    const pipeline = await this.#prepare(given, options.env);
    if (options.source !== undefined && options.source !== '') pipeline.source = options.source;
    const { token, threads, useExisting, args, ttl, pipelineTraceLevel, timeout, signal } = options;
    const optional = { token, threads, useExisting, ttl, pipelineTraceLevel, name };
    const { reply } = this.#session.start(
      'execute',
      { pipeline, args: args ?? [], ...defined(optional) },
      // Nobody will hear of a task whose start was given up, so it is ended.
      { timeout, signal, onLateReply: (late) => this.#terminateLate(late) },
    );
    return this.#remember(startInfoOf(await reply));
  }

  #remember(info: StartInfo): StartInfo {
    if (info.id !== undefined) this.#session.taskIds.set(info.token, info.id);
    return info;
  }

  async restart({ token, projectId, source, pipeline, env, signal }: RestartOptions): Promise<StartInfo> {
    if (token === undefined && (projectId === undefined || source === undefined)) {
      throw createError('token_required', 'Pass the token of the task, or its projectId and source');
    }
    const prepared = await this.#prepare(pipeline, env);
    const args = { ...defined({ token, projectId, source }), pipeline: prepared };
    return this.#remember(startInfoOf(await this.#session.start('restart', args, { signal }).reply));
  }

  async terminate(token: string): Promise<void> {
    await this.#session.start('terminate', { token: checkedToken(token) }).reply;
    this.#session.taskIds.delete(token);
  }

  async getTaskStatus(token: string, timeout = statusTimeout): Promise<TaskStatus> {
    const { body } = await this.#session.call('get_task_status', { token: checkedToken(token) }, { timeout });
    if (!isRecord(body)) throw createError('internal', 'The server returned no status');
    return body as unknown as TaskStatus;
  }

  async getTasks(): Promise<TaskListing[]> {
    const { body } = await this.#session.call('get_tasks');
    return isRecord(body) && Array.isArray(body.tasks) ? (body.tasks as TaskListing[]) : [];
  }

  async getToken(projectId: string, source: string): Promise<string> {
    const { body } = await this.#session.call('get_token', { projectId, source });
    if (!isRecord(body) || typeof body.token !== 'string') throw createError('task_unknown');
    return body.token;
  }

  async getPipeline(token: string): Promise<Pipeline> {
    const { body } = await this.#session.call('get_pipeline', { token: checkedToken(token) });
    return (isRecord(body) ? body.pipeline : body) as Pipeline;
  }

  async validate(pipeline: PipelineInput, source?: string): Promise<ValidationResult> {
    const prepared = await this.#prepare(pipeline, undefined);
    const { body } = await this.#session.call('validate', { pipeline: prepared, ...defined({ source }) });
    return readValidation(body);
  }

  async validateComponent(component: PipelineComponent | Record<string, unknown>): Promise<ValidationResult> {
    const args =
      this.#session.dialect === 'spec' ? { component } : { pipeline: { version: 1, component: { ...component } } };
    return readValidation((await this.#session.call('validate', args)).body);
  }

  async #read({ pipeline, filepath, name }: UseOptions): Promise<{ pipeline: unknown; name: string | undefined }> {
    if (pipeline !== undefined) return { pipeline, name };
    if (filepath === undefined || filepath === '') {
      throw createError('invalid_argument', 'Pass a pipeline or a filepath');
    }
    if (this.#files === undefined) {
      throw createError('invalid_argument', 'A browser cannot read files: pass the pipeline itself');
    }
    const loaded = await this.#files.load(filepath);
    return { pipeline: loaded.pipeline, name: name ?? nameOf(loaded.pipeline) ?? loaded.name };
  }

  /** A copy with the variables put in; those without a value stay as written, for the server's own. */
  async #prepare(given: unknown, env: Readonly<Record<string, string>> | undefined): Promise<Record<string, unknown>> {
    const pipeline = unwrapPipeline(given);
    if (!isRecord(pipeline)) throw createError('invalid_argument', 'The pipeline must be an object');
    const fromFiles = (await this.#files?.variables()) ?? {};
    const { value } = substitute(pipeline, { ...fromFiles, ...this.#env, ...env });
    return { ...(value as Record<string, unknown>) };
  }

  #terminateLate({ body }: Reply): void {
    if (!isRecord(body) || typeof body.token !== 'string') return;
    this.#session.start('terminate', { token: body.token }).reply.catch(() => undefined);
  }
}

/** @throws TaskError `token_required` */
export function checkedToken(token: unknown): string {
  if (typeof token !== 'string' || token === '') throw createError('token_required');
  return token;
}

function nameOf(pipeline: unknown): string | undefined {
  const given = unwrapPipeline(pipeline);
  return isRecord(given) && typeof given.name === 'string' && given.name !== '' ? given.name : undefined;
}

function startInfoOf({ body }: Reply): StartInfo {
  if (isRecord(body) && typeof body.token === 'string' && body.token !== '') return body as StartInfo;
  throw createError('start_failed', 'The server did not return a task token');
}

/** The members that have a value, because absent and undefined differ on the wire. */
export function defined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
