import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../client/cli/exitCodes.js';
import { answer, type BadServer, expiredServer, httpServer, socketServer, tcpServer } from './support/badServers.js';
import { built } from './support/builtClient.js';
import { type Finished, runCommand } from './support/command.js';
import { startCuttingProxy } from './support/cuttingProxy.js';
import { eventually } from './support/poll.js';
import { findPython, type PythonEnvironment, pythonEnvironment } from './support/python.js';
import { requirements } from './support/pythonClient.js';
import { pythonVariables } from './support/pythonProcess.js';
import {
  clientOf,
  pythonVisitors,
  type Report,
  typescriptVisitor,
  type Visit,
  type Visitors,
} from './support/visits.js';

const script = resolve(import.meta.dirname, '..', 'client', 'typescript', 'dist', 'cli.js');
const closers: (() => Promise<unknown>)[] = [];
const python = await findPython();
const visitors: Visitors[] = [typescriptVisitor];
let environment: PythonEnvironment | undefined;

beforeAll(async () => {
  if (python === undefined) return;
  environment = await pythonEnvironment(python, requirements);
  visitors.push(pythonVisitors(environment.interpreter));
}, 300_000);

afterAll(async () => {
  for (const visitor of visitors) await visitor.close();
});

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

/** The kind of server, and the codes of the errors that every client gives: of the login, and of a question that needs none. */
const kinds: readonly (readonly [string, () => Promise<BadServer>, string, string])[] = [
  ['that closes at once', () => tcpServer((socket) => socket.destroy()), 'connection_failed', 'connection_failed'],
  ['of the web without such a page', () => httpServer(404, 'Not here'), 'connection_failed', 'connection_failed'],
  [
    'of the web that answers everything',
    () => httpServer(200, '<html></html>'),
    'connection_failed',
    'connection_failed',
  ],
  [
    'that sends elsewhere',
    () => httpServer(302, '', { location: 'http://127.0.0.1:9/' }),
    'connection_failed',
    'connection_failed',
  ],
  ['whose certificate has expired', expiredServer, 'connection_failed', 'connection_failed'],
  ['that answers with no JSON', () => answering('hello?'), 'connection_lost', 'connection_lost'],
  ['that answers with JSON that is no object', () => answering('[1, 2]'), 'connection_lost', 'connection_lost'],
  [
    'that answers with bytes',
    () => answering(Buffer.from([0xff, 0x00, 0x0a, 0x80])),
    'connection_lost',
    'connection_lost',
  ],
  [
    'that answers the login with nothing',
    () => answering('{"type":"response","request_seq":1}'),
    'auth_invalid',
    'unsupported',
  ],
  ['that refuses the key in words of its own', () => refusing('Who are you?'), 'auth_invalid', 'unsupported'],
  ['that sends a frame that is too large', () => raw('827f0000010000000000'), 'connection_lost', 'unsupported'],
  ['that sends a frame that no standard has', () => raw('ff00'), 'connection_lost', 'unsupported'],
  ['that sends text that is none', () => raw('8102fffe'), 'connection_lost', 'unsupported'],
  [
    'that closes during the login',
    () => socketServer({ request: (socket) => socket.terminate() }),
    'connection_lost',
    'unsupported',
  ],
];

/** Those that a client would wait for. */
const silent: readonly (readonly [string, () => Promise<BadServer>])[] = [
  ['that accepts and never says anything', () => tcpServer(() => undefined)],
  ['of another protocol', () => tcpServer((socket) => socket.write('SSH-2.0-other\r\n'))],
  ['that sends bytes without end', () => tcpServer(floods)],
  ['that never answers the login', () => socketServer({})],
  ['of another dialect of JSON', () => answering('{"jsonrpc":"2.0","id":1,"result":{}}')],
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

/** Asks both clients at the same time; the result has one report of each. */
async function visitAll(what: Visit, { url }: BadServer): Promise<Record<string, Report>> {
  const reports = await Promise.all(visitors.map((visitor) => visitor.visit(what, url)));
  return Object.assign({}, ...reports) as Record<string, Report>;
}

/** Every client says the same, soon, and nothing is left behind. */
function expectAll(reports: Record<string, Report>, said: readonly unknown[]): void {
  const slow = Object.entries(reports).filter(([, { seconds }]) => seconds > 5);
  expect(slow).toEqual([]);
  const same = Object.keys(reports).map((name) => [name, { said, left: [], seconds: expect.any(Number) as number }]);
  expect(reports).toEqual(Object.fromEntries(same));
  expect(same).toHaveLength(python === undefined ? 1 : 3);
}

/** Visits such a server, and all that is said and left are these errors. */
async function expectErrors(what: Visit, start: () => Promise<BadServer>, said: readonly unknown[]): Promise<void> {
  const before = process.getActiveResourcesInfo();
  const server = await start();
  closers.push(() => server.close());
  expectAll(await visitAll(what, server), said);
  await closers.pop()?.();
  await expectCleanEnd(before);
}

/** Lists the tasks with both commands, as processes, at the same time. */
function listWithAll({ url }: BadServer, ...options: string[]): Promise<Finished[]> {
  const args = ['list', '--uri', url, '--apikey', 'a key', ...options];
  const commands = [runCommand(script, args)];
  if (environment !== undefined) {
    commands.push(environment.python(['-m', 'millrace', ...args], { env: pythonVariables, timeoutMs: 30_000 }));
  }
  return Promise.all(commands);
}

const typed = (name: string, code: string): unknown => ({ name, code, hint: expect.stringMatching(/./) as string });

describe('a server', () => {
  it.each(kinds)('%s is a typed error, and every client ends clean', async (_kind, start, login, question) => {
    await expectErrors('refused', start, [
      typed(login === 'auth_invalid' ? 'AuthenticationError' : 'ConnectionError', login),
      typed(question === 'unsupported' ? (expect.stringMatching(/Error$/) as string) : 'ConnectionError', question),
    ]);
  });

  it.each(silent)('%s is a typed error in time, and every client ends clean', async (_kind, start) => {
    const failed = typed('ConnectionError', 'connection_failed');
    await expectErrors('unheard', start, [failed, failed]);
  });

  it.each([
    ['that closes at once', () => tcpServer((socket) => socket.destroy()), exitCodes.noConnection],
    ['of the web', () => httpServer(200, '<html></html>'), exitCodes.noConnection],
    ['whose certificate has expired', expiredServer, exitCodes.noConnection],
    ['that answers with no JSON', () => answering('hello?'), exitCodes.noConnection],
    ['that refuses the key', () => refusing('Who are you?'), exitCodes.notAuthenticated],
  ] as const)('%s gives the commands an exit code and a message', async (_kind, start, code) => {
    const server = await start();
    closers.push(() => server.close());
    const told = { code, stdout: '', stderr: expect.stringMatching(/^error: .+\n {2}→ .+\n$/) as string };
    const done = await listWithAll(server);
    expect(done).toEqual(done.map(() => told));
  });

  it('that answers the login and nothing else ends the commands after the time of --timeout', async () => {
    const server = await socketServer({
      request: (socket, request) => {
        if (/^auth$|ping$/.test(request.command)) socket.send(answer(request));
      },
    });
    closers.push(() => server.close());
    const stderr = expect.stringMatching(/^error: \w+ was not answered within 1 s\n {2}→ .+\n$/) as string;
    const done = await listWithAll(server, '--timeout', '1');
    expect(done).toEqual(done.map(() => ({ code: exitCodes.failed, stdout: '', stderr })));
    for (const own of done) expect(own).toEqual(done[0]);
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
    const timeout = typed('TimeoutError', 'timeout');
    expectAll(await visitAll('stalled', server), [timeout, timeout]);
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
    expectAll(await visitAll('confused', server), [['first'], ['first']]);
  });
});

describe('a connection that is cut', () => {
  /** Logs in, starts, sends, reads the status, stops and leaves. */
  async function session(url: string): Promise<void> {
    const client = clientOf(url, { connectTimeout: 30_000, requestTimeout: 30_000 });
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
