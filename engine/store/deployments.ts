import { errorText, MillraceError, type ErrorCode } from '../../protocol/errors.js';
import { systemCode } from './atomicFile.js';
import { Queue } from './queue.js';
import { readOrSetAside, RecordFiles } from './records.js';
import { isSchedule, manual } from './schedule.js';

export type DeploymentState = 'active' | 'paused' | 'errored';

/** A pipeline the server keeps, and when it runs. Times are seconds since 1970. */
export interface Deployment {
  /** As received; `project_id` is the key of the record. */
  readonly pipeline: Readonly<Record<string, unknown>>;
  /** `manual`, an alias such as `@daily`, or five cron fields in the server's time zone. */
  readonly schedule: string;
  readonly state: DeploymentState;
  /** Why the state is `errored`. */
  readonly error?: string;
  /** Id of the key that added it. */
  readonly created_by: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** `deployment` is undefined when it was removed. */
export type DeploymentListener = (keyId: string, projectId: string, deployment: Deployment | undefined) => void;

export interface DeploymentOptions {
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Told about files that could not be read. */
  report?: (message: string) => void;
}

/**
 * The deployments of every principal, in memory and on disk. A change is in memory only once it is on disk. Failures
 * are MillraceErrors: `deployment_failed` or `invalid_argument`.
 */
export class DeploymentStore {
  readonly #files: RecordFiles;
  readonly #now: () => number;
  readonly #report: (message: string) => void;
  readonly #records = new Map<string, ReadonlyMap<string, Deployment>>();
  readonly #listeners = new Set<DeploymentListener>();
  readonly #changes = new Queue();

  constructor(directory: string, options: DeploymentOptions = {}) {
    this.#files = new RecordFiles(directory);
    this.#now = options.now ?? Date.now;
    this.#report = options.report ?? (() => undefined);
  }

  /** Reads all records. Call once, before anything else. */
  async load(): Promise<void> {
    for (const keyId of await this.#files.keyIds()) {
      const records = await readOrSetAside(this.#files, keyId, parseRecords, this.#report);
      if (records !== undefined) this.#records.set(keyId, records);
    }
  }

  async add(keyId: string, given: { pipeline?: unknown; schedule?: unknown }): Promise<Deployment> {
    const pipeline = checkPipeline(given.pipeline);
    const projectId = pipeline.project_id;
    if (typeof projectId !== 'string' || projectId === '') throw invalid('pipeline.project_id is required');
    const schedule = checkSchedule(given.schedule ?? manual);
    const now = this.#seconds();
    const deployment: Deployment = {
      pipeline,
      schedule,
      state: 'active',
      created_by: keyId,
      created_at: now,
      updated_at: now,
    };
    await this.#change(keyId, projectId, (present) => {
      if (present !== undefined) throw failed(`Deployment already exists: ${projectId}`);
      return deployment;
    });
    return deployment;
  }

  async remove(keyId: string, projectId: unknown): Promise<void> {
    const id = checkProjectId(projectId);
    await this.#change(keyId, id, (present) => {
      if (present === undefined) throw unknownDeployment(id);
      return undefined;
    });
  }

  list(keyId: string): Deployment[] {
    return [...(this.#records.get(keyId)?.values() ?? [])];
  }

  status(keyId: string, projectId: unknown): Deployment {
    const id = checkProjectId(projectId);
    const deployment = this.#records.get(keyId)?.get(id);
    if (deployment === undefined) throw unknownDeployment(id);
    return deployment;
  }

  /** Also makes an errored deployment active again. */
  async update(keyId: string, given: { projectId?: unknown; pipeline?: unknown; schedule?: unknown }): Promise<void> {
    const id = checkProjectId(given.projectId);
    const pipeline = absent(given.pipeline) ? undefined : { ...checkPipeline(given.pipeline), project_id: id };
    const schedule = absent(given.schedule) ? undefined : checkSchedule(given.schedule);
    await this.#change(keyId, id, (present) => {
      if (present === undefined) throw unknownDeployment(id);
      const { error: _error, ...kept } = present;
      return {
        ...kept,
        pipeline: pipeline ?? kept.pipeline,
        schedule: schedule ?? kept.schedule,
        state: kept.state === 'errored' ? 'active' : kept.state,
        updated_at: this.#seconds(),
      };
    });
  }

  /** Notes how the last run went. Does nothing when nothing changes, or the deployment is gone. */
  async setState(keyId: string, projectId: string, state: DeploymentState, error?: string): Promise<void> {
    await this.#change(keyId, projectId, (present) => {
      if (present === undefined || (present.state === state && present.error === error)) return present;
      const { error: _error, ...kept } = present;
      return { ...kept, state, ...(error === undefined ? {} : { error }) };
    });
  }

  /** Every deployment there is, then every change. @returns the end of it */
  watch(listener: DeploymentListener): () => void {
    this.#listeners.add(listener);
    for (const [keyId, records] of this.#records) {
      for (const [projectId, deployment] of records) listener(keyId, projectId, deployment);
    }
    return () => void this.#listeners.delete(listener);
  }

  #change(
    keyId: string,
    projectId: string,
    decide: (present: Deployment | undefined) => Deployment | undefined,
  ): Promise<void> {
    return this.#changes.run(async () => {
      const records = new Map(this.#records.get(keyId));
      const present = records.get(projectId);
      const next = decide(present);
      if (next === present) return;
      if (next === undefined) records.delete(projectId);
      else records.set(projectId, next);
      try {
        await this.#files.write(keyId, { version: 1, deployments: [...records.values()] });
      } catch (thrown) {
        if (thrown instanceof MillraceError) throw thrown;
        throw new MillraceError(
          'deployment_failed',
          `The deployment could not be saved (${systemCode(thrown) ?? errorText(thrown)})`,
          {
            cause: thrown,
          },
        );
      }
      this.#records.set(keyId, records);
      for (const listener of this.#listeners) listener(keyId, projectId, next);
    });
  }

  #seconds(): number {
    return this.#now() / 1000;
  }
}

function checkPipeline(pipeline: unknown): Record<string, unknown> {
  if (absent(pipeline)) throw invalid('pipeline is required');
  if (!isObject(pipeline)) throw invalid('pipeline must be an object');
  return structuredClone(pipeline);
}

function checkSchedule(schedule: unknown): string {
  if (isSchedule(schedule)) return schedule;
  const shown = typeof schedule === 'string' ? schedule : JSON.stringify(schedule);
  throw invalid(
    `Invalid schedule '${shown}'. Use manual, @hourly, @daily, @weekly, @monthly, @yearly or five cron fields ` +
      "such as '30 6 * * 1-5'.",
  );
}

function checkProjectId(projectId: unknown): string {
  if (typeof projectId !== 'string' || projectId === '') throw invalid('projectId is required');
  return projectId;
}

function unknownDeployment(projectId: string): MillraceError {
  return failed(`Deployment not found: ${projectId}`);
}

function failed(message: string, code: ErrorCode = 'deployment_failed'): MillraceError {
  return new MillraceError(code, message);
}

function invalid(message: string): MillraceError {
  return failed(message, 'invalid_argument');
}

function absent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const states: readonly unknown[] = ['active', 'paused', 'errored'] satisfies DeploymentState[];

/** @throws Error when the content is not what `#change` writes */
function parseRecords(content: unknown): Map<string, Deployment> {
  if (!isObject(content) || !Array.isArray(content.deployments)) throw new Error('it holds no list of deployments');
  return new Map(
    content.deployments.map((record: unknown) => {
      if (!isDeployment(record)) throw new Error('one of its deployments is not complete');
      return [String(record.pipeline.project_id), record];
    }),
  );
}

function isDeployment(record: unknown): record is Deployment {
  return (
    isObject(record) &&
    isObject(record.pipeline) &&
    typeof record.pipeline.project_id === 'string' &&
    isSchedule(record.schedule) &&
    states.includes(record.state) &&
    typeof record.created_by === 'string' &&
    typeof record.created_at === 'number' &&
    typeof record.updated_at === 'number'
  );
}
