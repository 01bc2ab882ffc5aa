import type { Disposable, LogOutputChannel, Uri } from 'vscode';
import type { EventMessage, MillraceClient, Subscription } from '../../client/typescript/src/index.js';
import { errorText, MillraceError } from '../../protocol/errors.js';
import { TaskState, type TaskStatus } from '../../protocol/status.js';
import { isRecord } from '../../pipeline/values.js';
import type { Connection } from '../connections/connection.js';
import type { TaskEntry } from './taskList.js';
import { lostStatus, readStatus } from './taskStatus.js';
import { idOfToken, isCalled } from './taskIds.js';

export interface ConnectionTasksDeps {
  /** The file that this window started a task from, by its token. */
  readonly fileOf: (token: string) => Uri | undefined;
  readonly log: Pick<LogOutputChannel, 'debug' | 'warn'>;
  /** Unix seconds. */
  readonly now: () => number;
  readonly onChange: () => void;
}

/** Tasks that have ended and are still listed. */
const endedKept = 20;

/** One object as long as the task is listed; its members follow the task. */
class ListedTask implements TaskEntry {
  token = '';
  status: TaskStatus | undefined;
  #file: Uri | undefined;

  constructor(
    readonly connection: Connection,
    readonly id: string,
    public name: string,
    public projectId: string,
    readonly source: string,
    readonly fileOf: (token: string) => Uri | undefined,
  ) {}

  get file(): Uri | undefined {
    this.rememberFile();
    return this.#file;
  }

  /**
   * Asked again until it is known, because a task is heard of before the one who started it has the answer, and nobody
   * knows it any more once the run has ended.
   */
  rememberFile(): void {
    if (this.token !== '') this.#file ??= this.fileOf(this.token);
  }

  get live(): boolean {
    return this.status?.completed !== true;
  }
}

/** The client that is listened to. A connection that begins anew has another one. */
interface Link {
  readonly client: MillraceClient;
  readonly stop: () => void;
  subscription: Promise<Subscription> | undefined;
  /** Whether the server has said what runs. */
  listed: boolean;
}

/**
 * The tasks of one connection, whoever started them: told by events, and asked for only where an event leaves
 * something out, such as the token of a new task. Never connects by itself.
 */
export class ConnectionTasks implements Disposable {
  readonly connection: Connection;
  readonly #deps: ConnectionTasksDeps;
  /** By id: the live ones in the order they came, and the ended ones in the order they ended. */
  readonly #tasks = new Map<string, ListedTask>();
  readonly #tokensWanted = new Set<ListedTask>();
  readonly #stateListener: Disposable;
  #asking = false;
  #link: Link | undefined;
  #disposed = false;

  constructor(connection: Connection, deps: ConnectionTasksDeps) {
    this.connection = connection;
    this.#deps = deps;
    this.#stateListener = connection.onDidChangeState(() => {
      this.#follow();
      deps.onChange();
    });
    this.#follow();
  }

  get tasks(): readonly TaskEntry[] {
    return [...this.#tasks.values()];
  }

  dispose(): void {
    this.#disposed = true;
    this.#stateListener.dispose();
    this.#unlink();
  }

  #follow(): void {
    if (this.#disposed) return;
    const client = this.connection.connected;
    if (client !== undefined) {
      if (this.#link?.client !== client) this.#listenTo(client);
      if (this.#link?.subscription === undefined) this.#subscribe();
    } else if (this.connection.state.kind === 'off') {
      for (const task of this.#live()) this.#lose(task, 'The connection was closed');
    }
  }

  #listenTo(client: MillraceClient): void {
    this.#unlink();
    const stop = client.listen((event) => this.#heard(event));
    this.#link = { client, stop, subscription: undefined, listed: false };
  }

  #unlink(): void {
    const link = this.#link;
    this.#link = undefined;
    link?.stop();
    link?.subscription?.then((each) => each.dispose()).catch(() => undefined);
  }

  #subscribe(): void {
    const link = this.#link;
    if (link === undefined) return;
    const subscription = link.client.subscribe('*', ['task', 'summary']);
    link.subscription = subscription;
    subscription.then(
      () => {
        // Somebody else may have subscribed with this client before, and then nothing is replayed.
        if (this.#link === link && !link.listed) void this.#askAll(link);
      },
      (error: unknown) => {
        // The next login tries again.
        link.subscription = undefined;
        if (this.#link === link) this.#deps.log.warn(`Tasks of ${this.connection.name}: ${errorText(error)}`);
      },
    );
  }

  #heard({ event, id, body }: EventMessage): void {
    // The client also passes on what others subscribed to, up to thousands of events a second.
    if (event !== 'apaevt_status_update' && event !== 'apaevt_task') return;
    if (!isRecord(body)) return;
    const taskId = id ?? body.__id;
    if (event === 'apaevt_task' && body.action === 'running') this.#running(body.tasks);
    else if (typeof taskId !== 'string' || taskId === '') return;
    else if (event === 'apaevt_status_update') this.#statusOf(taskId, readStatus(body));
    else if (body.action === 'end') this.#ended(taskId);
    else if (body.action === 'begin' || body.action === 'restart') {
      this.#present({ id: taskId, ...namesOf(body) });
    }
    this.#deps.onChange();
  }

  /** What runs now is told after each login: the others have ended meanwhile. */
  #running(listed: unknown): void {
    if (this.#link !== undefined) this.#link.listed = true;
    const present = new Set<ListedTask>();
    for (const each of Array.isArray(listed) ? (listed as unknown[]) : []) {
      if (!isRecord(each) || typeof each.id !== 'string') continue;
      present.add(this.#present({ id: each.id, ...namesOf(each) }));
    }
    for (const task of this.#live()) if (!present.has(task)) void this.#askEnd(task, false);
  }

  /** The live task of that id. One that has ended makes way for it. */
  #present(named: { id: string; name: string; projectId: string; source: string }): ListedTask {
    const known = this.#tasks.get(named.id);
    if (known?.live === true) {
      known.name = named.name || known.name;
      known.projectId ||= named.projectId;
      if (known.token === '') this.#wantTokens([known]);
      return known;
    }
    const { id, name, projectId, source } = named;
    const task = new ListedTask(this.connection, id, name || id, projectId, source, this.#deps.fileOf);
    this.#tasks.delete(id);
    this.#tasks.set(id, task);
    this.#wantTokens([task]);
    return task;
  }

  #statusOf(id: string, status: TaskStatus | undefined): void {
    if (status === undefined) return;
    let task = this.#tasks.get(id);
    if (task === undefined || (!task.live && !status.completed)) {
      // The answer for a project of which nothing runs.
      if (status.state === TaskState.NONE) return;
      task = this.#present({ id, name: status.name, projectId: status.project_id, source: status.source });
    }
    const starts = status.state === TaskState.RUNNING && task.status?.state !== TaskState.RUNNING;
    this.#take(task, status);
    if (starts && task.token === '') this.#wantTokens([task]);
  }

  #take(task: ListedTask, status: TaskStatus): void {
    const wasLive = task.live;
    task.status = status;
    task.name = status.name || task.name;
    task.rememberFile();
    if (!wasLive || task.live) return;
    this.#tasks.delete(task.id);
    this.#tasks.set(task.id, task);
    const ended = [...this.#tasks.values()].filter((each) => !each.live);
    for (const old of ended.slice(0, -endedKept)) this.#tasks.delete(old.id);
  }

  #ended(id: string): void {
    const task = this.#tasks.get(id);
    if (task?.live === true) void this.#askEnd(task, true);
  }

  /** Asks once how a task ended of which no final status was heard. `certain`: whether it has ended at all. */
  async #askEnd(task: ListedTask, certain: boolean): Promise<void> {
    const client = this.#link?.client;
    if (client === undefined) return;
    let status: TaskStatus | undefined;
    try {
      if (task.token !== '') status = readStatus(await client.getTaskStatus(task.token));
    } catch (error) {
      this.#deps.log.debug(`The end of ${task.id}: ${errorText(error)}`);
      // Without a connection nothing is known; the next login tells what runs.
      if (error instanceof MillraceError && error.code === 'connection_lost') return;
    }
    if (this.#isOver(task)) return;
    if (status !== undefined && (status.completed || !certain)) this.#take(task, status);
    else this.#lose(task, 'It has ended, and the server does not tell how');
    this.#deps.onChange();
  }

  #isOver(task: ListedTask): boolean {
    return this.#disposed || !task.live || this.#tasks.get(task.id) !== task;
  }

  #lose(task: ListedTask, reason: string): void {
    this.#take(task, lostStatus(task.status, reason, this.#deps.now()));
  }

  #live(): ListedTask[] {
    return [...this.#tasks.values()].filter((task) => task.live);
  }

  /** Events name tasks by their ids only; what can be done with a task needs its token. */
  #wantTokens(tasks: readonly ListedTask[]): void {
    for (const task of tasks) this.#tokensWanted.add(task);
    if (this.#asking) return;
    this.#asking = true;
    void this.#askTokens().finally(() => (this.#asking = false));
  }

  async #askTokens(): Promise<void> {
    do {
      // Those that were begun in the same moment are asked for together.
      await Promise.resolve();
      const link = this.#link;
      const wanted = [...this.#tokensWanted].filter((task) => task.token === '' && !this.#isOver(task));
      this.#tokensWanted.clear();
      if (link === undefined || wanted.length === 0) return;
      const missing = (): ListedTask[] => wanted.filter((task) => task.token === '');
      if (wanted.length > 1) await this.#askAll(link);
      for (const task of missing()) await this.#askOne(link, task);
      if (wanted.length === 1 && missing().length > 0) await this.#askAll(link);
      this.#deps.onChange();
    } while (this.#tokensWanted.size > 0);
  }

  async #askOne({ client }: Link, task: ListedTask): Promise<void> {
    try {
      const token = await client.getToken(task.projectId, task.source);
      // Where several tasks have this project and source, it is that of the oldest.
      const taken = [...this.#tasks.values()].some((each) => each.token === token);
      if (!taken && isCalled(task.id, token, task.source)) task.token = token;
    } catch (error) {
      this.#deps.log.debug(`The token of ${task.id}: ${errorText(error)}`);
    }
  }

  async #askAll(link: Link): Promise<void> {
    try {
      const listings = await link.client.getTasks();
      if (this.#link !== link) return;
      const known = new Set([...this.#tasks.values()].map(({ token }) => token));
      const free = listings.filter(({ token }) => typeof token === 'string' && !known.has(token));
      // The longest first: an id is only as long as it must be to differ from those that were there before.
      const unnamed = this.#live().filter(({ token }) => token === '');
      for (const task of unnamed.sort((a, b) => b.id.length - a.id.length)) {
        const found = free.findIndex(({ token }) => isCalled(task.id, token, task.source));
        if (found >= 0) task.token = free.splice(found, 1)[0]?.token ?? '';
      }
      if (link.listed) return;
      link.listed = true;
      for (const { token, name, source, pipeline } of free) {
        const projectId = isRecord(pipeline) && typeof pipeline.project_id === 'string' ? pipeline.project_id : '';
        this.#present({ id: idOfToken(token, source), name, projectId, source }).token = token;
      }
      this.#deps.onChange();
    } catch (error) {
      this.#deps.log.debug(`The tasks of ${this.connection.name}: ${errorText(error)}`);
    }
  }
}

function namesOf(body: Record<string, unknown>): { name: string; projectId: string; source: string } {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { name: text(body.name), projectId: text(body.projectId), source: text(body.source) };
}
