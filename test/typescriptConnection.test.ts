import { createServer, type Server, type Socket } from 'node:net';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ClientOptions, EventMessage, MillraceClient } from '../client/typescript/src/index.js';
import { built } from './support/builtClient.js';
import { echo, obeying } from './support/pipelines.js';
import { eventually } from './support/poll.js';
import { startServer, type TestServer } from './support/server.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';
import { componentsFolder } from './support/worker.js';

const key = randomBytes(24).toString('base64url');
const temporary = temporaryDirectories();
const clients: MillraceClient[] = [];
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ keys: [key], args: ['--components', componentsFolder] });
});

afterAll(() => server.stop());

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.disconnect()));
});

/** A client that remembers what its callbacks were told. */
function clientOf(options: ClientOptions) {
  const told: string[] = [];
  const events: EventMessage[] = [];
  const client = new built.MillraceClient({
    auth: key,
    onConnected: () => told.push('connected'),
    onDisconnected: (_reason, hasError) => told.push(hasError ? 'lost' : 'disconnected'),
    onConnectError: (error) => told.push(error.code),
    onEvent: (event) => events.push(event),
    ...options,
  });
  clients.push(client);
  return { client, told, events };
}

describe('persist mode', () => {
  it('comes back after a restart of the server, with its login and its subscriptions', async () => {
    const dataDirectory = await temporary();
    const args = ['--data-dir', dataDirectory];
    const first = await startServer({ keys: [key], args });
    const { port } = new URL(first.url);
    const { client, told, events } = clientOf({ uri: first.url, persist: true });
    await client.connect();
    await client.subscribe('*', ['task']);
    await client.store.write('kept.txt', 'kept');
    await client.deployments.add(echo);
    await first.stop();
    await eventually('the loss is noticed', () => told.includes('lost'));
    await expect(client.ping()).rejects.toBeInstanceOf(built.ConnectionError);

    const second = await startServer({ keys: [key], args: [...args, '--port', port] });
    await eventually('it is connected again', () => client.connected);
    expect(await client.store.readText('kept.txt')).toBe('kept');
    expect(await client.deployments.status('echo-project')).toMatchObject({ schedule: 'manual' });
    const before = events.length;
    const { token } = await client.use({ pipeline: echo });
    expect(await client.send(token, 'again')).toMatchObject({ text: ['again\n\n'] });
    await eventually('the subscription works', () =>
      events.slice(before).some(({ event, body }) => event === 'apaevt_task' && (body as Body).action === 'begin'),
    );
    await client.disconnect();
    expect(told[0]).toBe('connected');
    expect(told.slice(-2)).toEqual(['connected', 'disconnected']);
    expect(told.slice(2, -2).filter((each) => each !== 'connection_failed')).toEqual([]);
    await second.stop();
  });

  it('connects as soon as there is a server', async () => {
    const probe = await startServer({ keys: [key] });
    await probe.stop();
    const { client, told } = clientOf({ uri: probe.url, persist: true });
    const connecting = client.connect();
    await eventually('it has tried', () => told.length > 0);
    const late = await startServer({ keys: [key], args: ['--port', new URL(probe.url).port] });
    await connecting;
    expect(client.connected).toBe(true);
    await client.disconnect();
    await late.stop();
  });

  it('gives up after maxRetryTime', async () => {
    const { client, told } = clientOf({ uri: 'http://127.0.0.1:9', persist: true, maxRetryTime: 1200 });
    const started = performance.now();
    await expect(client.connect()).rejects.toThrow(/Gave up reconnecting after 1\.2 s/);
    const took = performance.now() - started;
    expect(took).toBeGreaterThan(1000);
    expect(took).toBeLessThan(5000);
    // After 0, 250, 750 ms, and the end.
    expect(told.length).toBeGreaterThanOrEqual(3);
  });

  it('does not try again when the key is refused', async () => {
    const { client, told } = clientOf({ uri: server.url, auth: 'wrong', persist: true });
    await expect(client.connect()).rejects.toBeInstanceOf(built.AuthenticationError);
    expect(told).toEqual(['auth_invalid']);
  });

  it('stops trying when it is disconnected', async () => {
    const { client, told } = clientOf({ uri: 'http://127.0.0.1:9', persist: true });
    const connecting = client.connect();
    await eventually('it has tried', () => told.length > 0);
    await Promise.all([expect(connecting).rejects.toThrow(/cancelled/), client.disconnect()]);
    expect(client.connected).toBe(false);
  });
});

interface Body {
  action?: string;
}

describe('callbacks', () => {
  it('tell of each step, and of the loss of a server that is gone', async () => {
    const mortal = await startServer({ keys: [key] });
    const { client, told } = clientOf({ uri: mortal.url });
    await client.connect();
    await client.disconnect();
    await client.connect();
    await mortal.stop();
    await eventually('the loss', () => told.length === 4);
    expect(told).toEqual(['connected', 'disconnected', 'connected', 'lost']);
    await expect(client.connect()).rejects.toBeInstanceOf(built.ConnectionError);
    expect(told.at(-1)).toBe('connection_failed');
  });

  it('fail the requests that wait when the server dies', async () => {
    const mortal = await startServer({ keys: [key], args: ['--components', componentsFolder] });
    const { client } = clientOf({ uri: mortal.url });
    await client.connect();
    const { token } = await client.use({ pipeline: obeying });
    const waiting = client.send(token, 'hang');
    process.kill(mortal.pid, 'SIGKILL');
    await expect(waiting).rejects.toBeInstanceOf(built.ConnectionError);
    await mortal.stop();
  });
});

describe('time limits', () => {
  let silent: Server;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  });

  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('end a request that takes too long, and the connection still works', async () => {
    const { client } = clientOf({ uri: server.url, requestTimeout: 1000 });
    await client.connect();
    const { token } = await client.use({ pipeline: obeying });
    await expect(client.send(token, 'hang')).rejects.toBeInstanceOf(built.TimeoutError);
    expect(await client.send(token, 'quick')).toMatchObject({ text: ['quick\n\n'] });
    await client.terminate(token);
  });

  it('hold for one request alone', async () => {
    const { client } = clientOf({ uri: server.url });
    await client.connect();
    const { token } = await client.use({ pipeline: obeying });
    const object = { subcommand: 'send', token, object: {}, mimeType: 'text/plain' };
    const hanging = client.call('process', object, { timeout: 200, data: Buffer.from('hang') });
    await expect(hanging).rejects.toBeInstanceOf(built.TimeoutError);
    await client.terminate(token);
  });

  it('end an attempt to connect to something that says nothing', async () => {
    const { port } = silent.address() as { port: number };
    const { client } = clientOf({ uri: `http://127.0.0.1:${port}`, connectTimeout: 300 });
    await expect(client.connect()).rejects.toThrow(/within 0\.3 s/);
  });

  it('are not needed to stop waiting: a signal ends a request', async () => {
    const { client } = clientOf({ uri: server.url });
    await client.connect();
    const { token } = await client.use({ pipeline: obeying });
    const controller = new AbortController();
    const waiting = client.send(token, 'hang', {}, undefined, { signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toBeInstanceOf(built.CancelledError);
    await client.terminate(token);
  });
});

describe('addresses and keys', () => {
  it('accepts http, ws and a bare host with a port', async () => {
    const { host } = new URL(server.url);
    for (const uri of [`http://${host}/some/path`, `ws://${host}`, host]) {
      const { client } = clientOf({ uri });
      await client.connect();
      expect(client.url).toBe(`ws://${host}/task/service`);
    }
  });

  it('takes the key of connect over the one of the client', async () => {
    const { client } = clientOf({ uri: server.url, auth: 'wrong' });
    await client.connect({ auth: key });
    expect(client.connected).toBe(true);
  });

  it('may use a task with its own credentials only', async () => {
    const { client } = clientOf({ uri: server.url });
    await client.connect();
    const { token, publicToken = '' } = await client.use({ pipeline: echo });
    const { client: sender } = clientOf({ uri: server.url, auth: publicToken });
    await sender.connect();
    expect(await sender.send(publicToken, 'public')).toMatchObject({ text: ['public\n\n'] });
    await expect(sender.terminate(publicToken)).rejects.toBeInstanceOf(built.AuthenticationError);
    const { client: owner } = clientOf({ uri: server.url, auth: token });
    await owner.connect();
    await owner.terminate(token);
  });
});
