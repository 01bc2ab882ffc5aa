import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Disposable, Uri } from 'vscode';
import type { MillraceClient } from '../../client/typescript/src/index.js';
import { TaskState } from '../../protocol/status.js';
import { built } from '../../test/support/builtClient.js';
import { startPeerProxy } from '../../test/support/peerProxy.js';
import { echo, obeying, swallow } from '../../test/support/pipelines.js';
import { eventually } from '../../test/support/poll.js';
import { startServer, type TestServer } from '../../test/support/server.js';
import { componentsFolder } from '../../test/support/worker.js';
import type { TaskEntry } from './taskList.js';
import { TaskListModel } from './taskListModel.js';
import { TestConnection, TestConnections } from './testing/connections.js';

const key = randomBytes(24).toString('base64url');
const args = ['--components', componentsFolder];
const clients: MillraceClient[] = [];
const made: Disposable[] = [];
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ keys: [key], args });
});

afterAll(() => server.stop());

afterEach(async () => {
  for (const each of made.splice(0)) each.dispose();
  const others = clients.splice(0);
  for (const client of others.filter(({ connected }) => connected)) {
    for (const { token } of await client.getTasks()) await client.terminate(token);
  }
  await Promise.all(others.map((client) => client.disconnect()));
});

/** Somebody who starts tasks from elsewhere. */
async function other(uri = server.url): Promise<MillraceClient> {
  const client = new built.MillraceClient({ uri, auth: key });
  clients.push(client);
  await client.connect();
  return client;
}

/** A connection that follows its client as those of the extension do. */
async function connect(uri = server.url, connection = new TestConnection('Local')): Promise<TestConnection> {
  const client = new built.MillraceClient({
    uri,
    auth: key,
    persist: true,
    onConnected: () => connection.up(client),
    onDisconnected: () => connection.down(),
  });
  clients.push(client);
  await client.connect();
  return connection;
}

function modelOf(connections: TestConnections, files: Readonly<Record<string, Uri>> = {}) {
  const log = { debug: () => undefined, warn: () => undefined };
  const model = new TaskListModel({ connections, fileOf: (token) => files[token], log, now: () => Date.now() / 1000 });
  made.push(model);
  /** The only task of that state, once there is one. */
  const task = (what: string, check: (task: TaskEntry) => boolean): Promise<TaskEntry> =>
    eventually(what, () => model.tasks.find(check));
  return { model, task };
}

const named = (text: string) => (task: TaskEntry) => task.name.startsWith(text);

describe('the tasks of a connection', () => {
  it('lists what runs already and what others start, with its token and status', async () => {
    const { use } = bound(await other());
    const before = await use({ pipeline: echo, name: 'before' });
    const connection = await connect();
    const { task } = modelOf(new TestConnections(connection));
    const old = await task('the old one', (each) => named('before')(each) && each.token !== '');
    expect(old).toMatchObject({ token: before.token, id: before.id, projectId: 'echo-project', source: 'in' });

    const started = await use({ pipeline: swallow, name: 'after' });
    const entry = await task('the new one', (each) => each.token === started.token);
    expect(entry).toMatchObject({ id: started.id, connection, file: undefined });
    await eventually('its status', () => entry.status?.state === TaskState.RUNNING);
  });

  it('tells apart tasks of the same project and source', async () => {
    const { use } = bound(await other());
    const { model } = modelOf(new TestConnections(await connect()));
    const tokens = [];
    for (const name of ['one', 'two', 'three']) tokens.push((await use({ pipeline: echo, name })).token);
    await eventually('all tokens', () => model.tasks.every(({ token }) => token !== '') && model.tasks.length === 3);
    expect(model.tasks.map(({ token }) => token)).toEqual(tokens);
    expect(model.find(tokens[1] ?? '')).toBe(model.tasks[1]);
    expect(model.find('')).toBeUndefined();
  });

  it('finds tasks whose tokens begin alike', async () => {
    const { use } = bound(await other());
    const { model } = modelOf(new TestConnections(await connect()));
    for (const token of ['same-start-of-all', 'same-start-of-another', 'same']) await use({ pipeline: echo, token });
    await eventually('all tokens', () => model.tasks.length === 3 && model.tasks.every(({ token }) => token !== ''));
    expect(model.tasks.map(({ token }) => token)).toEqual(['same-start-of-all', 'same-start-of-another', 'same']);
  });

  it('counts what goes through a task and keeps it with its end', async () => {
    const client = await other();
    const { use } = bound(client);
    const { model, task } = modelOf(new TestConnections(await connect()));
    const { token } = await use({ pipeline: obeying, name: 'counted' });
    await client.send(token, 'hello');
    await client.send(token, 'fail badly');
    const entry = await task('the counts', (each) => each.token === token && each.status?.failedCount === 1);
    expect(entry.status).toMatchObject({ completedCount: 1, failedCount: 1 });
    expect(entry.status?.errors.join()).toContain('badly');
    await client.terminate(token);
    const ended = await task('the end', (each) => each.token === token && each.status?.completed === true);
    expect(ended.status).toMatchObject({ state: TaskState.CANCELLED, completedCount: 1, exitCode: 0 });
    expect(model.find(token)).toBe(ended);
  });

  it('shows a crash as a failure', async () => {
    const client = await other();
    const { task } = modelOf(new TestConnections(await connect()));
    const { token } = await client.use({ pipeline: obeying, name: 'crash' });
    await client.send(token, 'exit 3').catch(() => undefined);
    const entry = await task('the failure', (each) => each.token === token && each.status?.completed === true);
    expect(entry.status?.exitCode).not.toBe(0);
  });

  it('keeps a restarted task as the same one', async () => {
    const client = await other();
    const { model, task } = modelOf(new TestConnections(await connect()));
    const { token } = await client.use({ pipeline: echo, name: 'again' });
    await client.send(token, 'hello');
    const entry = await task('the count', (each) => each.token === token && each.status?.completedCount === 1);
    await client.restart({ token, pipeline: echo });
    await eventually('the counts begin anew', () => entry.status?.completedCount === 0);
    await eventually('it runs', () => entry.status?.state === TaskState.RUNNING);
    expect(model.tasks.filter((each) => each.token === token)).toEqual([entry]);
  });

  it('makes way for a task that takes the token of one that ended', async () => {
    const client = await other();
    const { model, task } = modelOf(new TestConnections(await connect()));
    await client.use({ pipeline: echo, token: 'chosen-token' });
    await client.terminate('chosen-token');
    const first = await task('the end', (each) => each.token === 'chosen-token' && each.status?.completed === true);
    await client.use({ pipeline: echo, token: 'chosen-token' });
    const second = await task('the next one', (each) => each.token === 'chosen-token' && each !== first);
    await eventually('it runs', () => second.status?.state === TaskState.RUNNING);
    expect(model.tasks).toEqual([second]);
  });

  it('forgets all but the last twenty that ended', async () => {
    const client = await other();
    const { model, task } = modelOf(new TestConnections(await connect()));
    const { token: kept } = await client.use({ pipeline: echo, name: 'kept' });
    for (let i = 0; i < 22; i++) {
      const { token } = await client.use({ pipeline: echo, name: `n${i}` });
      await client.terminate(token);
    }
    await task('the last one', (each) => named('n21.')(each) && each.status?.completed === true);
    expect(model.tasks.length).toBe(21);
    expect(model.tasks[0]?.token).toBe(kept);
    expect(model.tasks[1]?.name).toMatch(/^n2\./);
  });

  it('names the file once this window knows that it started the task', async () => {
    const client = await other();
    const files: Record<string, Uri> = {};
    const { task } = modelOf(new TestConnections(await connect()), files);
    const { token } = await client.use({ pipeline: echo });
    const entry = await task('the task', (each) => each.token === token);
    expect(entry.file).toBeUndefined();
    files[token] = { path: '/w/echo.pipe' } as Uri;
    await client.send(token, 'hello');
    await task('the count', (each) => each.token === token && each.status?.completedCount === 1);
    delete files[token];
    expect(entry.file?.path).toBe('/w/echo.pipe');
  });
});

describe('a connection that comes and goes', () => {
  it('says that tasks have ended when the server comes back without them', async () => {
    const first = await startServer({ keys: [key], args });
    const { port } = new URL(first.url);
    const connection = await connect(first.url);
    const { model, task } = modelOf(new TestConnections(connection));
    const starter = await other(first.url);
    const { token } = await starter.use({ pipeline: echo, name: 'lost' });
    await task('the task', (each) => each.token === token && each.status?.state === TaskState.RUNNING);
    await first.stop();
    await eventually('the loss', () => connection.connected === undefined);

    const second = await startServer({ keys: [key], args: [...args, '--port', port] });
    await eventually('it is back', () => connection.connected !== undefined);
    await task('the lost one has ended', (each) => each.token === token && each.status?.completed === true);
    const { token: next } = await (await other(second.url)).use({ pipeline: echo, name: 'next' });
    await task('the next one', (each) => each.token === next && each.status?.state === TaskState.RUNNING);
    expect(model.tasks.length).toBe(2);
    await Promise.all(clients.splice(0).map((client) => client.disconnect()));
    await second.stop();
  });

  it('learns how a task ended while nobody listened', async () => {
    const client = await other();
    const connection = await connect();
    const { task } = modelOf(new TestConnections(connection));
    const { token } = await client.use({ pipeline: echo, name: 'away' });
    await task('the task', (each) => each.token === token && each.status?.state === TaskState.RUNNING);
    const own = connection.connected;
    await own?.disconnect();
    await client.send(token, 'unseen');
    await client.terminate(token);
    await own?.connect();
    const entry = await task('the end', (each) => each.token === token && each.status?.completed === true);
    expect(entry.status?.completedCount).toBe(1);
  });

  it('shows the tasks of the connection that is chosen', async () => {
    const remote = await startServer({ keys: [key], args });
    const [local, far] = [await connect(), await connect(remote.url, new TestConnection('Far'))];
    const connections = new TestConnections(local, far);
    const { model, task } = modelOf(connections);
    await (await other()).use({ pipeline: echo, name: 'near' });
    await (await other(remote.url)).use({ pipeline: echo, name: 'far' });
    await task('the near one', (each) => named('near')(each) && each.token !== '');
    connections.choose(far);
    await task('the far one', (each) => named('far')(each) && each.token !== '');
    expect(model.tasks.map(({ connection }) => connection.name)).toEqual(['Far']);
    connections.choose(local);
    await task('the near one again', named('near'));
    expect(model.tasks.map(({ connection }) => connection.name)).toEqual(['Local']);
    for (const client of clients.filter(({ url }) => url.includes(new URL(remote.url).port))) await client.disconnect();
    await remote.stop();
  });

  it('works with servers that know only the older dialect', async () => {
    const proxy = await startPeerProxy(server.url);
    const { model, task } = modelOf(new TestConnections(await connect(proxy.url)));
    const client = await other(proxy.url);
    const { token } = await client.use({ pipeline: echo, name: 'old' });
    await task('the task', (each) => each.token === token && each.status?.state === TaskState.RUNNING);
    await client.terminate(token);
    await task('its end', (each) => each.token === token && each.status?.completed === true);
    expect(model.tasks.length).toBe(1);
    await Promise.all(clients.splice(0).map((each) => each.disconnect()));
    await proxy.close();
  });
});

function bound(client: MillraceClient): Pick<MillraceClient, 'use'> {
  return { use: (options) => client.use(options) };
}
