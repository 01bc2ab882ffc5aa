import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventMessage, MillraceClient } from '../../client/typescript/src/index.js';
import { MillraceError } from '../../protocol/errors.js';
import { TaskState } from '../../protocol/status.js';
import { TaskListModel } from './taskListModel.js';
import { TestConnection, TestConnections } from './testing/connections.js';
import { endedStatus, statusOf } from './testing/entries.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server whose every word a test chooses. */
class ScriptedClient {
  readonly url = 'ws://127.0.0.1:1/task/service';
  readonly asked: string[] = [];
  connected = true;
  listings: Record<string, unknown>[] = [];
  refuse = false;
  readonly #listeners = new Set<(event: EventMessage) => void>();

  listen(listener: (event: EventMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async subscribe(key: unknown, types: readonly string[]): Promise<{ dispose(): Promise<void> }> {
    this.asked.push(`subscribe ${String(key)} ${types.join()}`);
    if (this.refuse) throw new Error('Refused');
    return { dispose: async () => void this.asked.push('unsubscribe') };
  }

  async getTasks(): Promise<unknown> {
    this.asked.push('getTasks');
    return this.listings;
  }

  async getToken(projectId: string, source: string): Promise<string> {
    this.asked.push(`getToken ${projectId} ${source}`);
    throw new Error('Your pipeline is not running');
  }

  async getTaskStatus(token: string): Promise<unknown> {
    this.asked.push(`getTaskStatus ${token}`);
    throw new Error('Your pipeline is not running');
  }

  say(event: string, body: unknown, id?: string): void {
    for (const listener of this.#listeners)
      listener({ type: 'event', seq: 0, event, body, ...(id === undefined ? {} : { id }) });
  }

  get listened(): number {
    return this.#listeners.size;
  }
}

function made() {
  const client = new ScriptedClient();
  const connection = new TestConnection('Far');
  const log = { debug: () => undefined, warn: vi.fn() };
  const deps = { connections: new TestConnections(connection), fileOf: () => undefined, log, now: () => 5000 };
  const model = new TaskListModel(deps);
  let changes = 0;
  model.onDidChange(() => changes++);
  const up = async (): Promise<void> => {
    connection.up(client as unknown as MillraceClient);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { client, connection, model, log, up, changes: () => changes };
}

const begin = { action: 'begin', name: 'one.In', projectId: 'p', source: 'in' };

describe('what a server says about its tasks', () => {
  it('is asked for only by subscribing once', async () => {
    const { client, model, up } = made();
    expect(model.tasks).toEqual([]);
    await up();
    client.say('apaevt_task', { action: 'running', tasks: [] });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(client.asked.filter((each) => each.startsWith('subscribe'))).toEqual(['subscribe * task,summary']);
    expect(client.asked.length).toBeLessThanOrEqual(2);
    model.dispose();
    await vi.advanceTimersByTimeAsync(0);
    expect(client.asked.at(-1)).toBe('unsubscribe');
    expect(client.listened).toBe(0);
  });

  it('is announced at most five times a second, and the last word is never lost', async () => {
    const { client, model, up, changes } = made();
    await up();
    await vi.advanceTimersByTimeAsync(1000);
    const before = changes();
    for (let i = 0; i < 10_000; i++) {
      client.say('apaevt_flow', { op: 'begin' }, 'tokenof1.in');
      client.say('apaevt_status_update', statusOf({ completedCount: i }), 'tokenof1.in');
      if (i % 100 === 0) await vi.advanceTimersByTimeAsync(10);
    }
    expect(changes() - before).toBeLessThanOrEqual(6);
    await vi.advanceTimersByTimeAsync(200);
    expect(changes() - before).toBeLessThanOrEqual(7);
    expect(model.tasks[0]?.status?.completedCount).toBe(9999);
  });

  it('names the task in the body where an older server has no id beside it', async () => {
    const { client, model, up } = made();
    client.listings = [{ token: 'tk_12345678abc', name: 'one', source: 'in', pipeline: {} }];
    await up();
    client.say('apaevt_task', { ...begin, __id: '12345678.in' });
    await vi.advanceTimersByTimeAsync(0);
    expect(model.tasks).toMatchObject([{ id: '12345678.in', token: 'tk_12345678abc', projectId: 'p' }]);
  });

  it('gives a task its token at the next login when it could not be asked for', async () => {
    const { client, connection, model, up } = made();
    const running = { action: 'running', tasks: [{ id: '12345678.in', name: 'one', projectId: 'p', source: 'in' }] };
    await up();
    client.say('apaevt_task', running);
    await vi.advanceTimersByTimeAsync(0);
    expect(model.tasks).toMatchObject([{ token: '' }]);
    client.listings = [{ token: 'tk_12345678abc', name: 'one', source: 'in', pipeline: {} }];
    connection.down();
    await up();
    client.say('apaevt_task', running);
    await vi.advanceTimersByTimeAsync(0);
    expect(model.tasks).toMatchObject([{ token: 'tk_12345678abc' }]);
  });

  it('is asked for when somebody subscribed before and nothing is said again', async () => {
    const { client, model, up } = made();
    client.listings = [{ token: 'tk_12345678abc', name: 'one', source: 'in', pipeline: { project_id: 'p' } }];
    await up();
    expect(model.tasks).toMatchObject([{ id: '12345678.in', token: 'tk_12345678abc', projectId: 'p', name: 'one' }]);
  });

  it('may be nonsense', async () => {
    const { client, model, up } = made();
    await up();
    for (const body of [
      null,
      'text',
      7,
      [],
      {},
      { action: 'running', tasks: 'none' },
      { action: 'running', tasks: [1] },
    ]) {
      client.say('apaevt_task', body);
      client.say('apaevt_task', body, 'x.in');
      client.say('apaevt_status_update', body, 'x.in');
      client.say('apaevt_status_update', body);
    }
    client.say('apaevt_status_update', { state: TaskState.NONE, status: 'Not running' }, 'p.in');
    expect(model.tasks).toEqual([]);
    client.say('apaevt_status_update', { state: 3, errors: 'many', metrics: null }, 'y.in');
    expect(model.tasks).toMatchObject([{ id: 'y.in', status: { errors: [], metrics: { cpu_percent: 0 } } }]);
  });

  it('ends a task whose end cannot be asked for', async () => {
    const { client, model, up } = made();
    await up();
    client.say('apaevt_task', begin, 'a.in');
    client.say('apaevt_status_update', statusOf({ completedCount: 4 }), 'a.in');
    client.say('apaevt_task', { ...begin, action: 'end' }, 'a.in');
    await vi.advanceTimersByTimeAsync(0);
    expect(model.tasks).toMatchObject([{ status: { completed: true, completedCount: 4, endTime: 5000 } }]);
  });

  it('keeps tasks as they were while the connection is lost, and ends them when it is closed', async () => {
    const { client, connection, model, up } = made();
    await up();
    client.say('apaevt_status_update', statusOf(), 'a.in');
    client.connected = false;
    connection.down();
    expect(model.tasks[0]?.status?.completed).toBe(false);
    connection.down({ kind: 'off', reason: 'Stopped' });
    expect(model.tasks[0]?.status).toMatchObject({ completed: true, exitMessage: 'The connection was closed' });
  });

  it('is over when the server comes back without it, which is told before the login is done', async () => {
    const { client, connection, model, up } = made();
    client.listings = [{ token: 'tk_12345678abc', name: 'one', source: 'in', pipeline: {} }];
    await up();
    client.say('apaevt_status_update', statusOf(), '12345678.in');
    await vi.advanceTimersByTimeAsync(0);
    client.connected = false;
    connection.down();
    client.say('apaevt_task', { action: 'running', tasks: [] });
    await vi.advanceTimersByTimeAsync(0);
    expect(client.asked.at(-1)).toBe('getTaskStatus tk_12345678abc');
    expect(model.tasks[0]?.status?.completed).toBe(true);
  });

  it('stays when the connection is lost again before its end could be asked for', async () => {
    const { client, connection, model, up } = made();
    client.listings = [{ token: 'tk_12345678abc', name: 'one', source: 'in', pipeline: {} }];
    await up();
    client.say('apaevt_status_update', statusOf(), '12345678.in');
    await vi.advanceTimersByTimeAsync(0);
    connection.down();
    client.getTaskStatus = () => Promise.reject(new MillraceError('connection_lost'));
    client.say('apaevt_task', { action: 'running', tasks: [] });
    await vi.advanceTimersByTimeAsync(0);
    expect(model.tasks[0]?.status?.completed).toBe(false);
  });

  it('is heard from the next client when a connection begins anew', async () => {
    const { client, connection, model, up } = made();
    await up();
    client.say('apaevt_status_update', statusOf(), 'a.in');
    client.say('apaevt_status_update', endedStatus(), 'b.in');
    connection.down();
    const next = new ScriptedClient();
    connection.up(next as unknown as MillraceClient);
    await vi.advanceTimersByTimeAsync(0);
    next.say('apaevt_task', { action: 'running', tasks: [{ id: 'c.in', name: 'c', projectId: 'p', source: 'in' }] });
    await vi.advanceTimersByTimeAsync(0);
    expect(client.listened).toBe(0);
    expect(model.tasks.map(({ id, status }) => [id, status?.completed])).toEqual([
      ['b.in', true],
      ['c.in', undefined],
      ['a.in', true],
    ]);
  });

  it('is asked for again at the next login when it was refused', async () => {
    const { client, connection, log, up } = made();
    client.refuse = true;
    await up();
    expect(log.warn).toHaveBeenCalledOnce();
    client.refuse = false;
    connection.down();
    await up();
    expect(client.asked.filter((each) => each.startsWith('subscribe')).length).toBe(2);
  });
});
