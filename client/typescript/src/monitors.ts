import type { EventMessage } from '../../../protocol/envelope.js';
import { isRecord } from '../../../pipeline/values.js';
import { createError } from './errors.js';
import type { Session } from './session.js';

/** What to hear about: one task by token, one by project and source (`*` for all sources), or everything. */
export type MonitorKey =
  | '*'
  | { token: string; pipeId?: number | undefined }
  | { projectId: string; source: string; pipeId?: number | undefined };

export type MonitorType = 'detail' | 'summary' | 'output' | 'flow' | 'task' | 'sse' | 'dashboard' | 'all';

export interface Subscription {
  /** Ends this subscription; types that others still use stay. Safe to call twice. */
  dispose(): Promise<void>;
}

/** All subscriptions under one key, as the server knows the key: one merged list of types. */
interface Watch {
  args: Record<string, unknown>;
  counts: Map<string, number>;
  /** What the server was last told. */
  told: string;
  /** Messages about one key must not overtake each other, because each replaces the one before. */
  queue: Promise<void>;
}

/** Counts who wants which events, and keeps the server's subscriptions equal to the sum. */
export class Monitors {
  readonly #session: Session;
  readonly #watches = new Map<string, Watch>();

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Subscribes and resolves when the server has confirmed; the events go to the client's listeners. The
   * subscription survives reconnects.
   *
   * @throws TaskError `task_unknown` when the token is of no task; ConnectionError when not connected
   */
  async subscribe(key: MonitorKey, types: readonly MonitorType[]): Promise<Subscription> {
    const id = idOf(key);
    const wanted = [...new Set(types.map((type) => type.toLowerCase()))];
    const watch = this.#watches.get(id) ?? { args: argsOf(key), counts: new Map(), told: '', queue: Promise.resolve() };
    this.#watches.set(id, watch);
    for (const type of wanted) watch.counts.set(type, (watch.counts.get(type) ?? 0) + 1);
    let active = true;
    const dispose = async (): Promise<void> => {
      if (!active) return;
      active = false;
      for (const type of wanted) this.#release(watch, type);
      // The task or the connection may be gone, and with them the subscription.
      await this.#tell(watch).catch(() => undefined);
      // Not before: whoever subscribes meanwhile must queue behind this message, which would end their subscription.
      if (watch.counts.size === 0) this.#watches.delete(id);
    };
    try {
      await this.#tell(watch);
    } catch (error) {
      await dispose();
      throw error;
    }
    return { dispose };
  }

  /** Tells a server that knows nothing yet. A key whose task is gone is left to its owner. */
  async restore(): Promise<void> {
    const watches = [...this.#watches.values()];
    for (const watch of watches) watch.told = '';
    await Promise.all(watches.map((watch) => this.#tell(watch).catch(() => undefined)));
  }

  #release(watch: Watch, type: string): void {
    const count = (watch.counts.get(type) ?? 0) - 1;
    if (count > 0) watch.counts.set(type, count);
    else watch.counts.delete(type);
  }

  #tell(watch: Watch): Promise<void> {
    const turn = watch.queue.then(async () => {
      const types = [...watch.counts.keys()].sort();
      const text = types.join();
      if (text === watch.told) return;
      await this.#session.call('monitor', { ...watch.args, types });
      watch.told = text;
    });
    watch.queue = turn.catch(() => undefined);
    return turn;
  }
}

function idOf(key: MonitorKey): string {
  return JSON.stringify(argsOf(key));
}

function argsOf(key: MonitorKey): Record<string, unknown> {
  if (key === '*') return { token: '*' };
  const pipe = key.pipeId === undefined ? {} : { pipeId: key.pipeId };
  if ('token' in key) {
    if (typeof key.token !== 'string' || key.token === '') throw createError('token_required');
    return { token: key.token, ...pipe };
  }
  return { projectId: key.projectId, source: key.source, ...pipe };
}

/**
 * Servers call a task by the first characters of its token, without prefix, and its source. `known` is how they call
 * this one, if it was started here; without it two tasks whose tokens begin alike cannot be told apart.
 */
export function isOfTask(event: EventMessage, token: string, known: string | undefined): boolean {
  const own = isRecord(event.body) ? event.body.__id : undefined;
  const id = event.id ?? own;
  if (typeof id !== 'string' || id === '') return true;
  if (known !== undefined) return id === known;
  return id.startsWith(`${token.replace(/^[tp]k_/, '').slice(0, 8)}.`);
}

/** Whether an event belongs to what `key` stands for. */
export function isUnder(event: EventMessage, key: MonitorKey, taskIds: ReadonlyMap<string, string>): boolean {
  if (key === '*') return true;
  const body = isRecord(event.body) ? event.body : {};
  if (key.pipeId !== undefined && (body.pipe_id ?? body.id ?? key.pipeId) !== key.pipeId) return false;
  if ('token' in key) return isOfTask(event, key.token, taskIds.get(key.token));
  const project = body.project_id ?? body.projectId;
  if (project === undefined) return true;
  return project === key.projectId && (key.source === '*' || body.source === key.source);
}
