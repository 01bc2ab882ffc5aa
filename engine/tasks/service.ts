import type { Dialect } from '../../protocol/dialect.js';
import type { TaskSummary, TraceLevel } from '../../protocol/events.js';
import type { TaskStatus } from '../../protocol/status.js';

/** Who asks. A task belongs to the key that started it; a token used as credential reaches its own task only. */
export type Principal =
  | { kind: 'key'; keyId: string }
  /** `tk_…` used as credential: everything on that task. */
  | { kind: 'task'; keyId: string; token: string }
  /** `pk_…` used as credential: data only, on that task. */
  | { kind: 'public'; keyId: string; token: string };

export interface StartRequest {
  /** Unvalidated configuration, as received. */
  pipeline: unknown;
  source?: string | undefined;
  token?: string | undefined;
  /** 1–64. */
  threads?: number | undefined;
  useExisting?: boolean | undefined;
  args?: readonly string[] | undefined;
  /** Idle seconds, 0 = none. */
  ttl?: number | undefined;
  traceLevel?: TraceLevel | undefined;
  name?: string | undefined;
  /** Variables for substitution. */
  env?: Readonly<Record<string, string>> | undefined;
}

/** The answer to a start. */
export interface StartInfo {
  id: string;
  token: string;
  publicToken: string;
  projectId: string;
  source: string;
  provider: string;
}

export interface ObjectRequest {
  /** objinfo as received: name, size, url, objectId, … */
  object: Record<string, unknown>;
  mimeType: string;
  /** When given it must equal the provider of the task's source. */
  provider?: string | undefined;
  dialect: Dialect;
}

/**
 * One pipe while its object is open. Whoever opened it owns it and must end it with `close` or `abandon`.
 * Results are the JSON text of the pipeline result, ready to be put into a reply without parsing.
 */
export interface OpenPipe {
  readonly id: number;
  /** One write of all parts. Resolves once the task has taken the bytes in; rejects with the component's error. */
  write(...parts: Uint8Array[]): Promise<void>;
  close(): Promise<string>;
  /** The object is not wanted any more, or its owner is gone: it counts as failed. Resolves when the pipe is free again. */
  abandon(reason: string): Promise<void>;
}

/** Tells that whoever asked is gone. An AbortSignal would do, but costs more than the rest of a request. */
export interface Cancellation {
  readonly cancelled: boolean;
  /** Returns a function that takes the callback back. */
  onCancel(callback: () => void): () => void;
}

/** A task as the front doors see it. */
export interface RunningTask {
  readonly info: StartInfo;
  /** Key of the owner. */
  readonly keyId: string;
  status(): TaskStatus;
  /** The configuration as received, placeholders unsubstituted. */
  pipeline(): unknown;
  /** How much of its flow is recorded. */
  readonly traceLevel: TraceLevel;
  /** Waits for RUNNING and for a free pipe. */
  open(request: ObjectRequest, cancellation?: Cancellation): Promise<OpenPipe>;
  /** Open, one write and close in one message to the task. */
  send(request: ObjectRequest, data: Uint8Array): Promise<string>;
  /** Resolves in a final state. */
  terminate(): Promise<void>;
}

/** The tasks of this server. Every failure is a MillraceError. */
export interface TaskService {
  /** Resolves when the task accepts data. Registration of the token is atomic. */
  start(principal: Principal, request: StartRequest): Promise<StartInfo>;
  /** Found by token, or by project and source when the token is absent or `*`. Identity is kept. */
  restart(
    principal: Principal,
    target: { token?: string | undefined; projectId?: string | undefined; source?: string | undefined },
    pipeline: unknown,
  ): Promise<StartInfo>;
  /** @throws MillraceError `task_unknown`, also for tasks of other keys. */
  find(principal: Principal, token: string): RunningTask;
  findByProject(principal: Principal, projectId: string, source: string): RunningTask | undefined;
  list(principal: Principal): RunningTask[];
  /** The tasks in a live state the principal may see, for the replay of `monitor`. */
  summaries(principal: Principal): TaskSummary[];
  /** Resolves a `tk_…` or `pk_…` credential; undefined when no such task exists. */
  credential(token: string): Principal | undefined;
}
