import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { MillraceClient } from '../client/typescript/src/index.js';
import { FakeServer } from '../client/typescript/testing/fakeServer.js';
import { answer, type Request } from './support/badServers.js';
import { built } from './support/builtClient.js';
import { echo } from './support/pipelines.js';
import { eventually } from './support/poll.js';
import { findPython, type PythonEnvironment, pythonEnvironment } from './support/python.js';
import { requirements } from './support/pythonClient.js';
import { startPython } from './support/pythonProcess.js';
import { startServer } from './support/server.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';

const temporary = temporaryDirectories();
/** Restarts of real engines; `MILLRACE_RESTARTS=500` takes some minutes. */
const real = Number(process.env['MILLRACE_RESTARTS'] ?? 3);
const mega = 1024 * 1024;

const python = await findPython();
const driver = join(import.meta.dirname, 'support', 'persistent.py');
let environment: PythonEnvironment | undefined;

/** What the Python client has at a login: MB, open files, coroutines. */
type PythonFacts = Record<'memory' | 'files' | 'tasks', number>;

beforeAll(async () => {
  if (python !== undefined) environment = await pythonEnvironment(python, requirements);
}, 300_000);

afterEach(() => void vi.useRealTimers());

/** A server that can be away for a while, at one and the same port. */
class MortalServer {
  readonly subscriptions: unknown[] = [];
  port = 0;
  #server = createHttpServer();
  readonly #sockets = new Set<Socket>();

  async start(): Promise<void> {
    this.#server = createHttpServer();
    this.#server.on('connection', (socket) => this.#sockets.add(socket));
    const sockets = new WebSocketServer({ server: this.#server });
    sockets.on('connection', (socket: WebSocket) => {
      socket.on('error', () => undefined);
      socket.on('message', (data: Buffer) => {
        const request = JSON.parse(data.toString()) as Request & { arguments: unknown };
        if (request.command.endsWith('monitor')) this.subscriptions.push(request.arguments);
        socket.send(answer(request));
      });
    });
    await new Promise<void>((done) => this.#server.listen(this.port, '127.0.0.1', done));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    await new Promise((done) => this.#server.close(done));
  }
}

describe('persist mode', () => {
  it('comes back from 500 losses, each within 2 s of the clock, with its subscriptions, and keeps nothing', async () => {
    vi.useFakeTimers();
    const server = new FakeServer();
    server.on('monitor', () => undefined);
    let logins = 0;
    const options = { auth: 'key', persist: true, transport: server.transport, onConnected: () => void logins++ };
    const client = new MillraceClient(options);
    await client.connect();
    await client.subscribe('*', ['task']);
    for (let restart = 1; restart <= 500; restart++) {
      // Down for anything up to 2 s.
      const down = (restart * 37) % 2000;
      server.down = true;
      server.dropAll();
      await vi.advanceTimersByTimeAsync(down);
      server.down = false;
      await vi.advanceTimersByTimeAsync(2000);
      expect([restart, client.connected, logins]).toEqual([restart, true, restart + 1]);
      expect(server.sockets).toHaveLength(1);
      expect(vi.getTimerCount()).toBe(0);
    }
    expect(server.calls('monitor')).toHaveLength(501);
    await client.disconnect();
    expect([server.sockets.length, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('comes back over real sockets within 2 s, and no handle, listener or memory stays behind', async () => {
    const server = new MortalServer();
    await server.start();
    const told = { connected: 0, lost: 0 };
    const client = new built.MillraceClient({
      uri: `http://127.0.0.1:${server.port}`,
      auth: 'key',
      persist: true,
      onConnected: () => void told.connected++,
      onDisconnected: () => void told.lost++,
    });
    await client.connect();
    await client.subscribe('*', ['task']);
    const before = process.getActiveResourcesInfo().length;
    const waits: number[] = [];
    for (let restart = 0; restart < 20; restart++) {
      await server.stop();
      await server.start();
      const started = performance.now();
      await eventually('it is back', () => told.connected === restart + 2);
      waits.push(performance.now() - started);
    }
    expect(Math.max(...waits)).toBeLessThan(2000);
    expect(told).toEqual({ connected: 21, lost: 20 });
    expect(server.subscriptions).toHaveLength(21);
    await eventually('no handle is left', () => process.getActiveResourcesInfo().length <= before + 1);
    await client.disconnect();
    await server.stop();
  });

  it(
    `comes back from ${real} restarts of a real engine, each within 2 s, with both clients`,
    async () => {
      const args = ['--data-dir', await temporary()];
      const keys = ['k'.repeat(40)];
      let server = await startServer({ keys, args });
      const { port } = new URL(server.url);
      let logins = 0;
      const client = new built.MillraceClient({
        uri: server.url,
        auth: keys[0],
        persist: true,
        onConnected: () => void logins++,
      });
      await client.connect();
      const inPython = environment && startPython(environment.interpreter, driver, [server.url, ...keys]);
      const pythonHas: PythonFacts[] = [];
      const pythonIsBack = async (): Promise<void> => {
        if (inPython !== undefined) pythonHas.push((await inPython.next()) as PythonFacts);
      };
      await pythonIsBack();
      const waits: number[] = [];
      const late: number[] = [];
      const heap: number[] = [];
      for (let restart = 0; restart < real; restart++) {
        const lost = performance.now();
        await server.stop();
        server = await startServer({ keys, args: [...args, '--port', port] });
        const started = performance.now();
        const isBack = eventually('it is back', () => logins === restart + 2);
        for (const back of [isBack, pythonIsBack()]) {
          await back;
          const wait = performance.now() - started;
          waits.push(wait);
          // A server that was away for long is asked less often: after d ms every √(500 d) ms.
          if (wait > Math.max(2000, Math.sqrt(500 * (started - lost)) + 1000)) late.push(wait);
        }
        if (restart % 50 === 0) {
          const { token } = await client.use({ pipeline: echo });
          expect(await client.send(token, 'x')).toMatchObject({ text: ['x\n\n'] });
          heap.push(process.memoryUsage().heapUsed / mega);
        }
      }
      waits.sort((one, other) => one - other);
      const [first, last] = [pythonHas[0], pythonHas.at(-1)];
      if (real > 3) {
        const [median, slowest] = [waits[waits.length >> 1], waits.at(-1)].map((wait) => Math.round(wait ?? 0));
        process.stdout.write(`median ${median} ms, slowest ${slowest} ms, heap ${heap.map(Math.round).join(' ')} MB\n`);
        process.stdout.write(`Python: ${JSON.stringify(first)} at first, ${JSON.stringify(last)} at the end\n`);
      }
      expect(late).toEqual([]);
      expect((heap.at(-1) ?? 0) - (heap[0] ?? 0)).toBeLessThan(30);
      expect((last?.memory ?? 0) - (first?.memory ?? 0)).toBeLessThan(10);
      expect([last?.files, last?.tasks]).toEqual([first?.files, first?.tasks]);
      await inPython?.close();
      await client.disconnect();
      await server.stop();
    },
    60_000 + real * 5000,
  );
});

describe('`maxRetryTime`', () => {
  it.each([100, 1000, 5000, 60_000, 600_000])('of %d ms is kept to a tenth', async (maxRetryTime) => {
    for (const hanging of [false, true]) {
      vi.useFakeTimers();
      const server = new FakeServer();
      const failures: string[] = [];
      const client = new MillraceClient({
        auth: 'key',
        persist: true,
        maxRetryTime,
        transport: server.transport,
        onConnectError: ({ message }) => failures.push(message),
      });
      await client.connect();
      // Gone, or there and silent.
      if (hanging) server.on('auth', () => new Promise(() => undefined));
      else server.down = true;
      server.dropAll();
      const lost = performance.now();
      const ended = (): boolean => failures.some((message) => message.startsWith('Gave up'));
      while (!ended() && performance.now() - lost < 2 * maxRetryTime) {
        await vi.advanceTimersByTimeAsync(maxRetryTime / 100);
      }
      const took = performance.now() - lost;
      expect(took).toBeGreaterThan(0.9 * maxRetryTime);
      expect(took).toBeLessThan(1.1 * maxRetryTime);
      expect(vi.getTimerCount()).toBe(0);
      await client.disconnect();
      vi.useRealTimers();
    }
  });

  it('is kept over real sockets', async () => {
    const server = new MortalServer();
    await server.start();
    const failures: string[] = [];
    const client = new built.MillraceClient({
      uri: `http://127.0.0.1:${server.port}`,
      auth: 'key',
      persist: true,
      maxRetryTime: 2000,
      onConnectError: ({ message }) => failures.push(message),
    });
    await client.connect();
    await server.stop();
    const lost = performance.now();
    await eventually('it has given up', () => failures.some((message) => message.startsWith('Gave up')));
    const took = performance.now() - lost;
    expect(took).toBeGreaterThan(1800);
    // The clock of a busy machine may be late, never early.
    expect(took).toBeLessThan(4000);
    await client.disconnect();
  });
});
