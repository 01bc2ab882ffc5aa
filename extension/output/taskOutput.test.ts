import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Disposable } from 'vscode';
import type { MillraceClient } from '../../client/typescript/src/index.js';
import { built } from '../../test/support/builtClient.js';
import { startPeerProxy } from '../../test/support/peerProxy.js';
import { obeying } from '../../test/support/pipelines.js';
import { eventually } from '../../test/support/poll.js';
import { startServer, type TestServer } from '../../test/support/server.js';
import { componentsFolder } from '../../test/support/worker.js';
import { Emitter } from '../emitter.js';
import type { TaskEntry } from '../views/taskList.js';
import { TaskListModel } from '../views/taskListModel.js';
import { TestConnection, TestConnections } from '../views/testing/connections.js';
import { entryOf } from '../views/testing/entries.js';
import { TaskOutputs } from './taskOutput.js';

const key = randomBytes(24).toString('base64url');
const clients: MillraceClient[] = [];
const made: Disposable[] = [];
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ keys: [key], args: ['--components', componentsFolder] });
});

afterAll(() => server.stop());

afterEach(async () => {
  for (const each of made.splice(0)) each.dispose();
  await Promise.all(clients.splice(0).map((client) => client.disconnect()));
});

async function connect(uri = server.url) {
  const connection = new TestConnection('Local');
  const client = new built.MillraceClient({
    uri,
    auth: key,
    persist: true,
    onConnected: () => connection.up(client),
    onDisconnected: () => connection.down(),
  });
  clients.push(client);
  await client.connect();
  return { client, connection };
}

/** What a person sees: the channels by their names. */
function outputsOf(connection: TestConnection) {
  const log = { debug: () => undefined, warn: () => undefined };
  const connections = new TestConnections(connection);
  const tasks = new TaskListModel({ connections, fileOf: () => undefined, log, now: () => Date.now() / 1000 });
  const channels: { name: string; text: string; shown: number; disposed: boolean }[] = [];
  const createChannel = (name: string) => {
    const channel = {
      name,
      text: '',
      shown: 0,
      disposed: false,
      append: (text: string) => void (channel.text += text),
      replace: (text: string) => void (channel.text = text),
      show: () => void (channel.shown += 1),
      dispose: () => void (channel.disposed = true),
    };
    channels.push(channel);
    return channel;
  };
  const outputs = new TaskOutputs({ tasks, createChannel, log });
  made.push(outputs, tasks);
  const entry = (token: string): Promise<TaskEntry> => eventually('the task is listed', () => tasks.find(token));
  const lines = (): string[] => (channels[0]?.text ?? '').trimEnd().split('\n').slice(1);
  const shows = (...expected: string[]) =>
    eventually(`the lines ${expected.join()}`, () => lines().join('\n') === expected.join('\n')).catch(() =>
      expect(lines()).toEqual(expected),
    );
  return { tasks, outputs, channels, entry, lines, shows };
}

describe('the output of a task', () => {
  it('has what was printed before somebody looked, and what comes then', async () => {
    const { client, connection } = await connect();
    const { outputs, channels, entry, shows } = outputsOf(connection);
    const { token, id } = await client.use({ pipeline: obeying, name: 'talks' });
    for (const text of ['one', 'two']) await client.send(token, `log ${text}`);
    expect(channels).toEqual([]);
    outputs.show(await entry(token));
    await shows('one', 'two');
    expect(channels[0]).toMatchObject({ shown: 1 });
    expect(channels[0]?.name).toContain(id);
    for (const text of ['three', '\u001b[31mfour\u001b[0m']) await client.send(token, `log ${text}`);
    await shows('one', 'two', 'three', 'four');
    outputs.show(await entry(token));
    expect(channels.length).toBe(1);
    expect(channels[0]?.shown).toBe(2);
    await client.terminate(token);
  });

  it('has the output of that task only', async () => {
    const { client, connection } = await connect();
    const { outputs, entry, shows } = outputsOf(connection);
    const one = await client.use({ pipeline: obeying, name: 'one' });
    const two = await client.use({ pipeline: { ...obeying, project_id: 'second' }, name: 'two' });
    outputs.show(await entry(one.token));
    await client.subscribe('*', ['output']);
    await client.send(two.token, 'log of two');
    await client.send(one.token, 'log of one');
    await shows('of one');
    for (const { token } of [one, two]) await client.terminate(token);
  });

  it('has every line once, in order, however many are on their way', async () => {
    const { client, connection } = await connect();
    const { outputs, entry, lines, shows } = outputsOf(connection);
    const { token } = await client.use({ pipeline: obeying });
    const expected = Array.from({ length: 300 }, (_, i) => `line ${i}`);
    const task = await entry(token);
    for (const [at, line] of expected.entries()) {
      await client.send(token, `log ${line}`);
      if (at === 150) outputs.show(task);
    }
    await shows(...expected);
    expect(lines().length).toBe(300);
    await client.terminate(token);
  });

  it('has what was printed while the connection was lost', async () => {
    const { client, connection } = await connect();
    const { outputs, entry, shows } = outputsOf(connection);
    const { client: other } = await connect();
    const { token } = await other.use({ pipeline: obeying });
    outputs.show(await entry(token));
    await other.send(token, 'log before');
    await shows('before');
    await client.disconnect();
    await other.send(token, 'log meanwhile');
    await client.connect();
    await shows('before', 'meanwhile');
    await other.send(token, 'log after');
    await shows('before', 'meanwhile', 'after');
    await other.terminate(token);
  });

  it('of a task that ended can still be read', async () => {
    const { client, connection } = await connect();
    const { outputs, entry, shows } = outputsOf(connection);
    const { token } = await client.use({ pipeline: obeying });
    await client.send(token, 'log last words');
    const task = await entry(token);
    await client.terminate(token);
    outputs.show(task);
    await shows('last words');
  });

  it('goes on after a restart and says so', async () => {
    const { client, connection } = await connect();
    const { outputs, entry, shows } = outputsOf(connection);
    const { token } = await client.use({ pipeline: obeying });
    outputs.show(await entry(token));
    await client.send(token, 'log first');
    await shows('first');
    await client.restart({ token, pipeline: obeying });
    await client.send(token, 'log second');
    await shows('first', '— The task was started again. —', 'second');
    await client.terminate(token);
  });

  it('goes on when the server comes back and somebody starts a task with the same token', async () => {
    const options = { keys: [key], args: ['--components', componentsFolder] };
    const first = await startServer(options);
    const { client, connection } = await connect(first.url);
    const { outputs, channels, entry, shows } = outputsOf(connection);
    const chosen = { pipeline: obeying, token: 'chosen-token' };
    await client.use(chosen);
    outputs.show(await entry(chosen.token));
    await client.send(chosen.token, 'log first');
    await shows('first');
    await first.stop();
    const port = new URL(first.url).port;
    const second = await startServer({ ...options, args: [...options.args, '--port', port] });
    await eventually('it is back', () => client.connected);
    await client.use(chosen);
    for (const text of ['second', 'third']) await client.send(chosen.token, `log ${text}`);
    await shows('first', '— The task was started again. —', 'second', 'third');
    expect(channels.length).toBe(1);
    await Promise.all(clients.splice(0).map((each) => each.disconnect()));
    await second.stop();
  });

  it('comes from servers that keep nothing as soon as somebody looks', async () => {
    const proxy = await startPeerProxy(server.url);
    const { client, connection } = await connect(proxy.url);
    const call = client.call.bind(client);
    vi.spyOn(client, 'call').mockImplementation((name, ...rest) =>
      name === 'history' ? Promise.reject(new Error('Invalid command')) : call(name, ...rest),
    );
    const { outputs, entry, shows } = outputsOf(connection);
    const { token } = await client.use({ pipeline: obeying });
    const task = await entry(token);
    await client.send(token, 'log unheard');
    outputs.show(task);
    await client.send(token, 'log heard');
    await client.send(token, 'log again');
    await shows('heard', 'again');
    await client.terminate(token);
    await Promise.all(clients.splice(0).map((each) => each.disconnect()));
    await proxy.close();
  });

  it('stays to be read when its task is forgotten, but not for ever', async () => {
    const listed = new Map<string, TaskEntry>();
    const changed = new Emitter<void>();
    const disposed: string[] = [];
    const createChannel = (name: string) => ({
      append: () => undefined,
      replace: () => undefined,
      show: () => undefined,
      dispose: () => void disposed.push(name),
    });
    const tasks = { find: (token: string) => listed.get(token), onDidChange: changed.event };
    const outputs = new TaskOutputs({ tasks, createChannel, log: { debug: () => undefined } });
    for (let i = 0; i < 12; i++) {
      const task = entryOf({ id: `t${i}` }, new TestConnection('Far'));
      listed.set(task.token, task);
      outputs.show(task);
    }
    changed.fire();
    expect(disposed).toEqual([]);
    listed.clear();
    changed.fire();
    expect(disposed).toEqual(['Millrace: t0 (t0)', 'Millrace: t1 (t1)']);
    outputs.dispose();
    expect(disposed.length).toBe(12);
  });

  it('is disposed with the window', async () => {
    const { client, connection } = await connect();
    const { outputs, channels, entry, shows } = outputsOf(connection);
    const { token } = await client.use({ pipeline: obeying });
    outputs.show(await entry(token));
    await client.send(token, 'log heard');
    await shows('heard');
    outputs.dispose();
    expect(channels[0]?.disposed).toBe(true);
    await client.send(token, 'log unheard');
    expect(channels[0]?.text).not.toContain('unheard');
    await client.terminate(token);
  });
});
