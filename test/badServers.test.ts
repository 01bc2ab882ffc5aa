import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions, MillraceClient } from '../client/typescript/src/index.js';
import { exitCodes } from '../client/cli/exitCodes.js';
import { answer, type BadServer, expiredServer, httpServer, socketServer, tcpServer } from './support/badServers.js';
import { built } from './support/builtClient.js';
import { runCommand } from './support/command.js';
import { startCuttingProxy } from './support/cuttingProxy.js';
import { eventually } from './support/poll.js';

const script = resolve(import.meta.dirname, '..', 'client', 'typescript', 'dist', 'cli.js');
const key = 'a key';
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Nothing that keeps a process alive is left of a client: no socket, no timer. */
async function expectCleanEnd(before: readonly string[]): Promise<void> {
  const held = (): string[] => process.getActiveResourcesInfo().filter((kind) => /TCPSocket|TLS|Timeout/.test(kind));
  const allowed = before.filter((kind) => /TCPSocket|TLS|Timeout/.test(kind)).length;
  // The poll itself waits with one timer.
  await eventually('no handle is left', () => held().length <= allowed + 1);
}

function clientOf({ url }: { url: string }, options: ClientOptions = {}): MillraceClient {
  return new built.MillraceClient({ uri: url, auth: key, connectTimeout: 500, requestTimeout: 500, ...options });
}

/** The kind of server, and the code of the error that a client gives. */
const kinds: readonly (readonly [string, () => Promise<BadServer>, string])[] = [
  ['that closes at once', () => tcpServer((socket) => socket.destroy()), 'connection_failed'],
  ['that accepts and never says anything', () => tcpServer(() => undefined), 'connection_failed'],
  ['of another protocol', () => tcpServer((socket) => socket.write('SSH-2.0-other\r\n')), 'connection_failed'],
  ['that sends bytes without end', () => tcpServer(floods), 'connection_failed'],
  ['of the web without such a page', () => httpServer(404, 'Not here'), 'connection_failed'],
  ['of the web that answers everything', () => httpServer(200, '<html></html>'), 'connection_failed'],
  ['that sends elsewhere', () => httpServer(302, '', { location: 'http://127.0.0.1:9/' }), 'connection_failed'],
  ['whose certificate has expired', expiredServer, 'connection_failed'],
  ['that never answers the login', () => socketServer({}), 'connection_failed'],
  ['that answers with no JSON', () => answering('hello?'), 'connection_lost'],
  ['that answers with JSON that is no object', () => answering('[1, 2]'), 'connection_lost'],
  ['that answers with bytes', () => answering(Buffer.from([0xff, 0x00, 0x0a, 0x80])), 'connection_lost'],
  ['of another dialect of JSON', () => answering('{"jsonrpc":"2.0","id":1,"result":{}}'), 'connection_failed'],
  ['that answers the login with nothing', () => answering('{"type":"response","request_seq":1}'), 'connection_failed'],
  ['that refuses the key in words of its own', () => refusing('Who are you?'), 'auth_invalid'],
  ['that sends a frame that is too large', () => raw('827f0000010000000000'), 'connection_lost'],
  ['that sends a frame that no standard has', () => raw('ff00'), 'connection_lost'],
  ['that sends text that is none', () => raw('8102fffe'), 'connection_lost'],
  ['that closes during the login', () => socketServer({ request: (socket) => socket.terminate() }), 'connection_lost'],
];

function floods(socket: Socket): void {
  const more = (): void => {
    while (socket.writable && socket.write(Buffer.alloc(65_536, 0x41)));
  };
  socket.on('drain', more);
  more();
}

function answering(message: string | Buffer): Promise<BadServer> {
  return socketServer({ request: (socket) => socket.send(message) });
}

function refusing(message: string): Promise<BadServer> {
  return socketServer({
    request: (socket, { seq, command }) =>
      socket.send(JSON.stringify({ type: 'response', seq, request_seq: seq, command, success: false, message })),
  });
}

/** Answers the login with these bytes, as they are. */
function raw(hex: string): Promise<BadServer> {
  return socketServer({ request: (_socket, _request, connection) => connection.write(Buffer.from(hex, 'hex')) });
}

describe('a server', () => {
  it.each(kinds)('%s is a typed error, and the client ends clean', async (_kind, start, code) => {
    const before = process.getActiveResourcesInfo();
    const server = await start();
    closers.push(() => server.close());
    const client = clientOf(server);
    const failure: unknown = await client.connect().then(
      () => 'connected',
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code, hint: expect.stringMatching(/./) as string });
    expect(failure).toBeInstanceOf(code === 'auth_invalid' ? built.AuthenticationError : built.ConnectionError);
    await expect(client.getServerInfo()).rejects.toBeInstanceOf(built.MillraceError);
    await client.disconnect();
    await closers.pop()?.();
    await expectCleanEnd(before);
  });

  it.each([
    ['that closes at once', () => tcpServer((socket) => socket.destroy()), exitCodes.noConnection],
    ['of the web', () => httpServer(200, '<html></html>'), exitCodes.noConnection],
    ['whose certificate has expired', expiredServer, exitCodes.noConnection],
    ['that answers with no JSON', () => answering('hello?'), exitCodes.noConnection],
    ['that refuses the key', () => refusing('Who are you?'), exitCodes.notAuthenticated],
  ] as const)('%s gives the command an exit code and a message', async (_kind, start, code) => {
    const server = await start();
    closers.push(() => server.close());
    const done = await runCommand(script, ['list', '--uri', server.url, '--apikey', key]);
    expect(done).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(/^error: .+\n {2}→ .+\n$/) as string,
    });
  });

  it('that stops answering ends a request with a timeout, and disconnecting does not wait for it', async () => {
    const before = process.getActiveResourcesInfo();
    // After the login nothing is read any more: the connection is half open.
    const server = await socketServer({
      request: (socket, request, connection) => {
        socket.send(answer(request));
        if (request.command.endsWith('ping')) connection.pause();
      },
    });
    closers.push(() => server.close());
    const client = clientOf(server);
    await client.connect();
    await expect(client.getTasks()).rejects.toBeInstanceOf(built.TimeoutError);
    await expect(client.use({ pipeline: { components: [] } })).rejects.toBeInstanceOf(built.TimeoutError);
    const started = performance.now();
    await client.disconnect();
    expect(performance.now() - started).toBeLessThan(5000);
    await closers.pop()?.();
    await expectCleanEnd(before);
  });

  it('that answers a request twice, late or under a strange number confuses nobody', async () => {
    const server = await socketServer({
      request: (socket, request) => {
        socket.send(answer({ ...request, seq: request.seq + 1000 }, { tasks: ['strange'] }));
        socket.send('{"type":"event"}');
        socket.send('{"type":"nonsense","seq":1}');
        for (const body of [{ tasks: ['first'] }, { tasks: ['second'] }]) socket.send(answer(request, body));
      },
    });
    closers.push(() => server.close());
    const client = clientOf(server);
    await client.connect();
    expect(await client.getTasks()).toEqual(['first']);
    expect(await client.getTasks()).toEqual(['first']);
    await client.disconnect();
  });
});

describe('a connection that is cut', () => {
  /** Logs in, starts, sends, reads the status, stops and leaves. */
  async function session(url: string): Promise<void> {
    const client = clientOf({ url }, { connectTimeout: 5000, requestTimeout: 5000 });
    try {
      await client.connect();
      const { token } = await client.use({ pipeline: { source: 'in', components: [] } });
      await client.send(token, 'x'.repeat(40));
      await client.getTaskStatus(token);
      await client.terminate(token);
    } finally {
      await client.disconnect();
    }
  }

  const body = { token: 'a token', objectId: 'an object', state: 3 };

  it.each(['toClient', 'toServer'] as const)(
    'at every byte %s is a ConnectionError, at once, and nothing is left',
    async (direction) => {
      const before = process.getActiveResourcesInfo();
      const server = await socketServer({ request: (socket, request) => socket.send(answer(request, body)) });
      const proxy = await startCuttingProxy(server.url);
      closers.push(
        () => server.close(),
        () => proxy.close(),
      );
      await session(proxy.url);
      const total = proxy.carried[direction];
      expect(total).toBeGreaterThan(500);
      const surprises: unknown[] = [];
      let succeeded = 0;
      for (let bytes = 0; bytes < total; bytes++) {
        proxy.cutAfter(direction, bytes);
        const started = performance.now();
        const failure: unknown = await session(proxy.url).then(
          () => void succeeded++,
          (error: unknown) => error,
        );
        if (failure !== undefined && !(failure instanceof built.ConnectionError)) surprises.push([bytes, failure]);
        if (performance.now() - started > 4000) surprises.push([bytes, 'slow']);
      }
      expect(surprises).toEqual([]);
      // Only what is said while leaving may be lost without anybody noticing.
      expect(succeeded).toBeLessThan(400);
      for (const close of closers.splice(0).reverse()) await close();
      await expectCleanEnd(before);
    },
    120_000,
  );
});
