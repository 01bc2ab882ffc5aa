import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { WebSocketServer } from 'ws';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/poll.js';
import { startPeerProxy } from '../../test/support/peerProxy.js';
import { type ServerOptions, startServer, type TestServer } from '../../test/support/server.js';
import { FakeSecrets, FakeSettings } from '../testing/connectionFakes.js';
import { type RecordingLog, recordingLog } from '../testing/recordingLog.js';
import type { ConnectionState } from './connection.js';
import { ProfileStore } from './profileStore.js';
import { RemoteConnection } from './remoteConnection.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Setup {
  connection: RemoteConnection;
  secrets: FakeSecrets;
  states: ConnectionState[];
  asked: string[];
  log: RecordingLog;
}

/** @param answers what a person gives when asked for a key, one after the other */
function make(url: string, key: string | undefined, answers: readonly (string | undefined)[] = []): Setup {
  const secrets = new FakeSecrets(key === undefined ? {} : { 'millrace.key.Lab': key });
  const log = recordingLog();
  const store = new ProfileStore(new FakeSettings(), secrets, log);
  const asked: string[] = [];
  const askKey = (_: unknown, reason: string): Promise<string | undefined> => {
    asked.push(reason);
    return Promise.resolve(answers[asked.length - 1]);
  };
  const connection = new RemoteConnection({ name: 'Lab', url }, { keys: store, askKey, mayConnect: () => true, log });
  const states: ConnectionState[] = [];
  connection.onDidChangeState((state) => states.push(state));
  cleanups.push(() => connection.dispose());
  return { connection, secrets, states, asked, log };
}

async function server(options?: ServerOptions): Promise<TestServer> {
  const started = await startServer(options);
  cleanups.push(() => started.stop());
  return started;
}

async function listen(made: Server): Promise<string> {
  made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  cleanups.push(() => made.close());
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

/** A web server that answers everything with one status. */
async function webServer(status: number): Promise<{ url: string; requests(): number }> {
  let requests = 0;
  const web = createHttpServer();
  web.on('upgrade', (_, socket) => {
    requests += 1;
    socket.end(`HTTP/1.1 ${status} No\r\nConnection: close\r\n\r\n`);
  });
  return { url: await listen(web), requests: () => requests };
}

describe('RemoteConnection', () => {
  it('logs in with the stored key and shares one client', async () => {
    const { url, key } = await server();
    const { connection, asked, states, log } = make(url, key);
    const [one, other] = await Promise.all([connection.client(), connection.client()]);
    expect(other).toBe(one);
    expect(connection.connected).toBe(one);
    expect(states.map(({ kind }) => kind)).toEqual(['connecting', 'connected']);
    expect(states[1]).toMatchObject({ url, serverVersion: expect.stringMatching(/^\d/) as string });
    expect(asked).toEqual([]);
    expect(log.lines.join()).not.toContain(key);
  });

  it('asks once for another key when it is refused, and keeps the one that is taken', async () => {
    const { url, key } = await server();
    const { connection, secrets, asked } = make(url, 'wrong', [key]);
    await Promise.all([connection.client(), connection.client()]);
    expect(asked).toEqual([expect.stringContaining('Lab refuses the key')]);
    expect(secrets.kept.get('millrace.key.Lab')).toBe(key);
    expect(connection.state.kind).toBe('connected');
  });

  it('fails when the other key is refused too, and does not ask again', async () => {
    const { url } = await server();
    const { connection, secrets, asked } = make(url, undefined, ['wrong', 'wrong']);
    await expect(connection.client()).rejects.toMatchObject({ code: 'auth_invalid' });
    expect(connection.state).toMatchObject({ kind: 'failed', hint: expect.stringContaining('Set Key') as string });
    await expect(connection.client()).rejects.toMatchObject({ code: 'auth_missing' });
    expect(asked).toEqual(['Lab needs a key']);
    expect(secrets.kept.size).toBe(0);
  });

  it('connects with a key that was set after it had failed', async () => {
    const { url, key } = await server();
    const { connection, secrets } = make(url, 'wrong');
    await expect(connection.client()).rejects.toThrow('refuses the key');
    await secrets.store('millrace.key.Lab', key);
    await connection.reconnect();
    expect(connection.state.kind).toBe('connected');
  });

  it('comes back by itself when the server does, with the same client', async () => {
    const key = 'a-key-for-two-servers';
    const first = await startServer({ keys: [key] });
    const { connection, states } = make(first.url, key);
    const client = await connection.client();
    await first.stop();
    await eventually('it waits', () => states.some(({ kind }) => kind === 'waiting'));
    expect(connection.connected).toBeUndefined();
    await server({ keys: [key], args: ['--port', new URL(first.url).port] });
    await eventually('it is back', () => connection.connected);
    expect(connection.connected).toBe(client);
    await client.ping();
  });

  it('asks for a key when the server comes back with another one', async () => {
    const first = await startServer({ keys: ['one-key-of-the-server'] });
    const { connection, states, asked } = make(first.url, 'one-key-of-the-server', ['another-key-of-it']);
    await connection.client();
    await first.stop();
    await eventually('it waits', () => states.some(({ kind }) => kind === 'waiting'));
    await server({ keys: ['another-key-of-it'], args: ['--port', new URL(first.url).port] });
    await eventually('it is back', () => connection.connected);
    expect(asked).toHaveLength(1);
  });

  it('tells at once that nothing answers, once, and connects when a server is there', async () => {
    const gone = await startServer();
    await gone.stop();
    const { connection, states, log } = make(gone.url, gone.key);
    await expect(connection.client()).rejects.toMatchObject({
      code: 'connection_failed',
      message: `Nothing answers at ${gone.url}`,
    });
    expect(connection.state).toEqual({ kind: 'waiting', reason: `Nothing answers at ${gone.url}` });
    await server({ keys: [gone.key], args: ['--port', new URL(gone.url).port] });
    await eventually('it is connected', () => connection.connected);
    expect(states.map(({ kind }) => kind)).toEqual(['connecting', 'waiting', 'connected']);
    expect(log.lines.filter((line) => line.includes('Nothing answers'))).toHaveLength(1);
  });

  it('fails with a clear message at a web server of another kind, and does not go on as it does with one not ready', async () => {
    const other = await webServer(404);
    const { connection } = make(other.url, 'key');
    await expect(connection.client()).rejects.toThrow(`${other.url} answers, but it is no Millrace server`);
    expect(connection.state.kind).toBe('failed');
    const busy = await webServer(503);
    const { connection: waiting } = make(busy.url, 'key');
    await expect(waiting.client()).rejects.toThrow('is not ready');
    await eventually('it is tried again', () => busy.requests() > 2);
    expect(waiting.state.kind).toBe('waiting');
    expect(other.requests()).toBe(1);
  });

  it('fails with a clear message where something else answers', async () => {
    const url = await listen(
      createServer((socket) => {
        socket.on('error', () => undefined);
        socket.end('220 mail.example.com ESMTP\r\n');
      }),
    );
    const { connection } = make(url, 'key');
    await expect(connection.client()).rejects.toThrow('it is no Millrace server');
    expect(connection.state.kind).toBe('failed');
  });

  it('says once that a socket answers garbage', async () => {
    const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(sockets, 'listening');
    cleanups.push(() => sockets.close());
    let logins = 0;
    sockets.on('connection', (socket) => {
      logins += 1;
      socket.on('message', () => socket.send('}{ garbage'));
    });
    const url = `http://127.0.0.1:${(sockets.address() as AddressInfo).port}`;
    const { connection, log } = make(url, 'key');
    await expect(connection.client()).rejects.toThrow('ended the connection before the login');
    await eventually('it was tried again or given up', () => logins > 1 || connection.state.kind === 'failed');
    expect(log.lines.filter((line) => line.startsWith('warn') || line.startsWith('error'))).toHaveLength(1);
  });

  it('speaks with servers that know only the older dialect', async () => {
    const { url, key } = await server();
    const proxy = await startPeerProxy(url);
    cleanups.push(() => proxy.close());
    const { connection } = make(proxy.url, key);
    const client = await connection.client();
    expect(connection.state).toMatchObject({
      kind: 'connected',
      serverVersion: expect.stringMatching(/^\d/) as string,
    });
    expect(await client.getTasks()).toEqual([]);
    expect([...proxy.commands].some((command) => command.startsWith('rrext_'))).toBe(true);
  });

  it('ends an attempt under way when it is removed', async () => {
    const url = await listen(createServer((socket) => socket.on('error', () => undefined)));
    const { connection } = make(url, 'key');
    const attempt = expect(connection.client()).rejects.toMatchObject({ code: 'cancelled' });
    await eventually('it connects', () => connection.state.kind === 'connecting');
    connection.dispose();
    await attempt;
    await expect(connection.client()).rejects.toMatchObject({ code: 'cancelled' });
  });
});
