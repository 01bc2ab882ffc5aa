import { randomBytes } from 'node:crypto';
import { MillraceError } from '../../protocol/errors.js';
import type { TaskSummary } from '../../protocol/events.js';
import { limits } from '../../protocol/limits.js';
import { TaskState } from '../../protocol/status.js';
import type { EventSink } from './events.js';
import { tickMs } from './run.js';
import type { Principal, StartInfo, StartRequest, TaskService } from './service.js';
import { type PlanContext, planTask } from './startPlan.js';
import { TaskStream } from './stream.js';
import { Task, type TaskDeps } from './task.js';

const shortIdChars = 8;

export interface RegistryDeps extends TaskDeps {
  readonly sink: EventSink;
  /** Catalogue, checks and variables for the pipelines of a key. */
  readonly planContext: (keyId: string) => PlanContext;
}

/**
 * All tasks of the server, by token. A token is taken in the same turn in which a start is accepted, so of many
 * simultaneous starts with one token exactly one makes the task.
 */
export class TaskRegistry implements TaskService {
  /** By owner and token: two keys may choose the same token without learning of each other. */
  private readonly tasks = new Map<string, Task>();
  /** The tokens that were made here. Only they, being random, are credentials too. */
  private readonly credentials = new Map<string, { kind: 'task' | 'public'; task: Task }>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly deps: RegistryDeps) {
    this.timer = setInterval(() => this.tick(), tickMs);
    this.timer.unref();
  }

  async start(principal: Principal, request: StartRequest): Promise<StartInfo> {
    const { keyId } = principal;
    const chosen = request.token === undefined || request.token === '' ? undefined : request.token;
    const token = chosen ?? makeToken('tk_');
    const known = this.tasks.get(tableKey(keyId, token));
    if (known !== undefined && !known.ended) {
      if (request.useExisting !== true) throw new MillraceError('task_exists');
      await known.ready();
      return known.info;
    }
    const plan = planTask(request, this.deps.planContext(keyId));
    if (known !== undefined) this.remove(known);
    const scope = {
      id: this.shortId(keyId, token, plan.source.id),
      token,
      keyId,
      projectId: plan.projectId,
      source: plan.source.id,
    };
    const task = new Task(keyId, new TaskStream(scope, this.deps.sink), plan, request, makeToken('pk_'), this.deps);
    this.tasks.set(tableKey(keyId, token), task);
    this.credentials.set(task.info.publicToken, { kind: 'public', task });
    if (chosen === undefined) this.credentials.set(token, { kind: 'task', task });
    try {
      await task.ready();
    } catch (thrown) {
      this.remove(task);
      throw thrown;
    }
    return task.info;
  }

  async restart(
    principal: Principal,
    target: { token?: string | undefined; projectId?: string | undefined; source?: string | undefined },
    pipeline: unknown,
  ): Promise<StartInfo> {
    if (pipeline === undefined || pipeline === null) {
      throw new MillraceError('invalid_argument', 'Missing pipeline configuration in restart request');
    }
    const task = this.findTarget(principal, target);
    const request = { ...task.request, pipeline };
    const { projectId, source } = task.info;
    const plan = planTask(request, this.deps.planContext(task.keyId), { projectId, source });
    try {
      await task.restart(plan, request);
    } catch (thrown) {
      if (thrown instanceof MillraceError) {
        throw new MillraceError(thrown.code, `Failed to restart task: ${thrown.message}`, {
          hint: thrown.hint,
          cause: thrown,
        });
      }
      throw thrown;
    }
    return task.info;
  }

  find(principal: Principal, token: string): Task {
    // A foreign task answers like one that does not exist, so that tokens cannot be probed.
    const task = this.tasks.get(tableKey(principal.keyId, token)) ?? this.credentials.get(token)?.task;
    if (task === undefined || task.keyId !== principal.keyId) throw new MillraceError('task_unknown');
    return task;
  }

  findByProject(principal: Principal, projectId: string, source: string): Task | undefined {
    const mine = this.list(principal).filter(({ info }) => info.projectId === projectId && info.source === source);
    return mine.find((task) => !task.ended) ?? mine[0];
  }

  list(principal: Principal): Task[] {
    return [...this.tasks.values()].filter(
      (task) => task.keyId === principal.keyId && (principal.kind === 'key' || task.info.token === principal.token),
    );
  }

  summaries(principal: Principal): TaskSummary[] {
    return this.list(principal)
      .filter((task) => task.state >= TaskState.STARTING && task.state <= TaskState.STOPPING)
      .map((task) => task.summary());
  }

  credential(credential: string): Principal | undefined {
    const found = this.credentials.get(credential);
    if (found === undefined) return undefined;
    return { kind: found.kind, keyId: found.task.keyId, token: found.task.info.token };
  }

  /** Stops every task and ends every worker. */
  async dispose(): Promise<void> {
    clearInterval(this.timer);
    await Promise.allSettled([...this.tasks.values()].map((task) => task.terminate()));
    await this.deps.pool.dispose();
  }

  /** The first eight characters of the token and the source; more of them where another task is called the same. */
  private shortId(keyId: string, token: string, source: string): string {
    const bare = token.replace(/^[tp]k_/, '');
    const taken = new Set(this.list({ kind: 'key', keyId }).map(({ info }) => info.id));
    let length = shortIdChars;
    while (length < bare.length && taken.has(`${bare.slice(0, length)}.${source}`)) length++;
    return `${bare.slice(0, length)}.${source}`;
  }

  private findTarget(
    principal: Principal,
    {
      token,
      projectId,
      source,
    }: { token?: string | undefined; projectId?: string | undefined; source?: string | undefined },
  ): Task {
    if (token !== undefined && token !== '' && token !== '*') return this.find(principal, token);
    if (projectId === undefined || source === undefined) {
      throw new MillraceError('token_required', 'Task token is required for restart');
    }
    const task = this.findByProject(principal, projectId, source);
    if (task === undefined) throw new MillraceError('task_unknown');
    return task;
  }

  private tick(): void {
    const now = this.deps.now();
    for (const task of this.tasks.values()) {
      task.tick();
      if (task.endTime !== undefined && now - task.endTime > limits.finishedTaskSeconds) this.remove(task);
    }
  }

  private remove(task: Task): void {
    const { token, publicToken } = task.info;
    const key = tableKey(task.keyId, token);
    if (this.tasks.get(key) !== task) return;
    this.tasks.delete(key);
    this.credentials.delete(publicToken);
    this.credentials.delete(token);
    task.stream.dispose();
    this.deps.sink.removed(task.stream.scope);
  }
}

function tableKey(keyId: string, token: string): string {
  return `${keyId} ${token}`;
}

/** 256 random bits behind a prefix that tells what kind of token it is. */
function makeToken(prefix: 'tk_' | 'pk_'): string {
  return prefix + randomBytes(32).toString('base64url');
}
