import type { Disposable, Event, LogOutputChannel, Uri } from 'vscode';
import type { Connections } from '../connections/connection.js';
import { Emitter } from '../emitter.js';
import { ConnectionTasks } from './connectionTasks.js';
import type { TaskEntry, TaskList } from './taskList.js';
import { Throttle } from './throttle.js';

export interface TaskListDeps {
  readonly connections: Pick<Connections, 'current' | 'onDidChangeCurrent'>;
  /** The file that this window started a task from, by its token. */
  readonly fileOf: (token: string) => Uri | undefined;
  readonly log: Pick<LogOutputChannel, 'debug' | 'warn'>;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Changes are announced at most five times a second, however many there are. */
const announceMs = 200;

/** The tasks of the current connection. They are kept as events tell them; see ConnectionTasks. */
export class TaskListModel implements TaskList, Disposable {
  readonly #deps: TaskListDeps;
  readonly #changed = new Emitter<void>();
  readonly #throttle = new Throttle(() => this.#changed.fire(), announceMs);
  readonly #currentListener: Disposable;
  #of: ConnectionTasks;

  constructor(deps: TaskListDeps) {
    this.#deps = deps;
    this.#of = this.#make();
    this.#currentListener = deps.connections.onDidChangeCurrent(() => this.#switch());
  }

  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  get tasks(): readonly TaskEntry[] {
    return this.#of.tasks;
  }

  find(token: string): TaskEntry | undefined {
    return token === '' ? undefined : this.#of.tasks.find((task) => task.token === token);
  }

  dispose(): void {
    this.#currentListener.dispose();
    this.#of.dispose();
    this.#throttle.dispose();
    this.#changed.dispose();
  }

  #switch(): void {
    if (this.#of.connection === this.#deps.connections.current) return;
    this.#of.dispose();
    this.#of = this.#make();
    this.#throttle.trigger();
  }

  #make(): ConnectionTasks {
    const { connections, fileOf, log, now } = this.#deps;
    return new ConnectionTasks(connections.current, { fileOf, log, now, onChange: () => this.#throttle.trigger() });
  }
}
