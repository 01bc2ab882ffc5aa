import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createError } from './errors.js';
import { FakeEngine } from '../testing/fakeEngine.js';
import { FakeServer, type FakeSocket } from '../testing/fakeServer.js';
import { MillraceClient } from './index.js';
import type { TransportFactory } from './transport.js';

const connectTo = async (server: FakeServer, options: object = {}) => {
  const client = new MillraceClient({ uri: 'localhost', auth: 'key', transport: server.transport, ...options });
  await client.connect();
  return client;
};

/** Lets everything that is already under way happen. */
const settle = async () => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};

afterEach(() => vi.useRealTimers());

describe('connecting', () => {
  it('logs in with the key and tells onConnected what the server said', async () => {
    const server = new FakeServer();
    const onConnected = vi.fn();
    const client = await connectTo(server, { onConnected, clientName: 'a test' });
    expect(client.connected).toBe(true);
    expect(onConnected).toHaveBeenCalledExactlyOnceWith({ userId: 'local' });
    expect(server.calls('auth')[0]?.arguments).toMatchObject({ auth: 'key', clientName: 'a test' });
  });

  it('refuses to connect without a key, before anything is sent', async () => {
    const server = new FakeServer();
    const client = new MillraceClient({ auth: '', transport: server.transport });
    await expect(client.connect()).rejects.toMatchObject({ name: 'AuthenticationError', code: 'auth_missing' });
    expect(server.requests).toEqual([]);
  });

  it('does not retry a refused key, even in persist mode', async () => {
    const server = new FakeServer();
    const onConnectError = vi.fn();
    await expect(connectTo(server, { auth: 'wrong', persist: true, onConnectError })).rejects.toMatchObject({
      name: 'AuthenticationError',
      code: 'auth_invalid',
    });
    expect(server.calls('auth')).toHaveLength(1);
    expect(onConnectError).toHaveBeenCalledTimes(1);
  });

  it('recognises a refused key on servers that give no codes', async () => {
    const server = new FakeServer({ dialect: 'peer' });
    await expect(connectTo(server, { auth: 'wrong' })).rejects.toMatchObject({ code: 'auth_invalid' });
  });

  it('fails at once without persist mode, and can be tried again', async () => {
    const server = new FakeServer();
    server.down = true;
    const client = new MillraceClient({ auth: 'key', transport: server.transport });
    await expect(client.connect()).rejects.toMatchObject({ name: 'ConnectionError', code: 'connection_failed' });
    server.down = false;
    await client.connect();
    expect(client.connected).toBe(true);
  });

  it('shares one attempt among calls that come together', async () => {
    const server = new FakeServer();
    const client = new MillraceClient({ auth: 'key', transport: server.transport });
    await Promise.all([client.connect(), client.connect(), client.connect()]);
    expect(server.calls('auth')).toHaveLength(1);
  });

  it('gives up a server that accepts but never answers, after connectTimeout', async () => {
    vi.useFakeTimers();
    const server = new FakeServer().on('auth', () => new Promise(() => undefined));
    const connecting = connectTo(server, { connectTimeout: 2000 });
    const outcome = expect(connecting).rejects.toMatchObject({ code: 'connection_failed' });
    await vi.advanceTimersByTimeAsync(2000);
    await outcome;
    expect(server.sockets).toHaveLength(0);
  });

  it('ends a cancelled attempt with `cancelled` and leaves no socket behind', async () => {
    const server = new FakeServer().on('auth', () => new Promise(() => undefined));
    const client = new MillraceClient({ auth: 'key', transport: server.transport, persist: true });
    const controller = new AbortController();
    const connecting = client.connect({ signal: controller.signal });
    await settle();
    controller.abort();
    await expect(connecting).rejects.toMatchObject({ code: 'cancelled' });
    await settle();
    expect(server.sockets).toHaveLength(0);
  });

  it('ends an attempt that disconnect interrupts', async () => {
    const server = new FakeServer().on('auth', () => new Promise(() => undefined));
    const client = new MillraceClient({ auth: 'key', transport: server.transport });
    const connecting = client.connect();
    const outcome = expect(connecting).rejects.toMatchObject({ code: 'cancelled' });
    await settle();
    await client.disconnect();
    await outcome;
    expect(client.connected).toBe(false);
  });

  it('disconnects when the signal of the client fires', async () => {
    const controller = new AbortController();
    const client = await connectTo(new FakeServer(), { signal: controller.signal });
    controller.abort();
    await expect.poll(() => client.connected).toBe(false);
  });
});

describe('disconnecting', () => {
  it('logs out, closes the socket and reports an orderly end', async () => {
    const server = new FakeServer();
    const onDisconnected = vi.fn();
    const client = await connectTo(server, { onDisconnected, persist: true });
    await client.disconnect();
    await client.disconnect();
    expect(server.calls('deauth')).toHaveLength(1);
    expect(server.sockets).toHaveLength(0);
    expect(onDisconnected).toHaveBeenCalledExactlyOnceWith('Disconnected by request', false);
    const hint = expect.stringMatching(/^Call `connect\(\)` first/) as string;
    await expect(client.ping()).rejects.toMatchObject({ code: 'connection_lost', hint });
  });

  it('fails the requests that still wait', async () => {
    const server = new FakeServer().on('slow', () => new Promise(() => undefined));
    const client = await connectTo(server);
    const waiting = expect(client.call('slow')).rejects.toMatchObject({ code: 'connection_lost' });
    await client.disconnect();
    await waiting;
  });

  it('allows to connect again', async () => {
    const client = await connectTo(new FakeServer());
    await client.disconnect();
    await client.connect();
    expect(await client.ping()).toBeGreaterThanOrEqual(0);
  });
});

describe('dialects', () => {
  it('speaks ours to a server that knows it', async () => {
    const server = new FakeServer().on('services', () => ({ services: {} }));
    await (await connectTo(server)).getServices();
    expect(server.calls('services').map(({ command }) => command)).toEqual(['mrext_services']);
  });

  it('speaks that of existing servers to one that refuses ours, and remembers', async () => {
    const server = new FakeServer({ dialect: 'peer' }).on('services', () => ({ services: {} }));
    const client = await connectTo(server);
    await client.getServices();
    await client.getServices();
    expect(server.requests.map(({ command }) => command)).toEqual([
      'auth',
      'mrext_ping',
      'rrext_services',
      'rrext_services',
    ]);
  });

  it('asks anew after a reconnect, since another server may have taken the place', async () => {
    vi.useFakeTimers();
    const peer = new FakeServer({ dialect: 'peer' });
    const ours = new FakeServer();
    let current = peer;
    const client = await connectTo(peer, { persist: true, transport: () => current.transport('') });
    current = ours;
    peer.dropAll();
    await vi.advanceTimersByTimeAsync(300);
    await client.ping();
    expect(ours.calls('ping').at(-1)?.command).toBe('mrext_ping');
  });
});

describe('requests', () => {
  it('turn a failed response into the error of its code, with the hint', async () => {
    const server = new FakeServer().on('get_token', () => {
      throw createError('task_unknown', 'No such task', { hint: 'Start one.' });
    });
    const client = await connectTo(server);
    await expect(client.getToken('P', 'S')).rejects.toMatchObject({
      name: 'TaskError',
      code: 'task_unknown',
      message: 'No such task',
      hint: 'Start one.',
    });
  });

  it('guess the code from the command where a server gives none', async () => {
    const server = new FakeServer({ dialect: 'peer' }).on('execute', () => {
      throw createError('internal', 'engine says no');
    });
    const client = await connectTo(server);
    await expect(client.use({ pipeline: { components: [] } })).rejects.toMatchObject({
      code: 'start_failed',
      message: 'engine says no',
    });
  });

  it('time out and ignore a reply that comes too late', async () => {
    vi.useFakeTimers();
    const server = new FakeServer().on('slow', () => new Promise((resolve) => setTimeout(() => resolve({}), 2000)));
    const client = await connectTo(server, { requestTimeout: 1000 });
    const waiting = expect(client.call('slow')).rejects.toMatchObject({ name: 'TimeoutError', code: 'timeout' });
    await vi.advanceTimersByTimeAsync(3000);
    await waiting;
    await client.ping();
  });

  it('take their own time in place of that of the client', async () => {
    vi.useFakeTimers();
    const never = (): Promise<undefined> => new Promise(() => undefined);
    const server = new FakeServer().on('execute', never).on('get_task_status', never);
    const client = await connectTo(server, { requestTimeout: 1000 });
    const pipeline = { components: [] };
    const told: unknown[] = [];
    const ask = (work: Promise<unknown>): void => void work.catch(({ message }: Error) => told.push(message));
    ask(client.use({ pipeline, timeout: 3000 }));
    ask(client.use({ pipeline }));
    ask(client.getTaskStatus('T', { timeout: 2000 }));
    ask(client.getTaskStatus('T'));
    ask(client.getTaskStatus('T', { timeout: 0 }));
    ask(client.use({ pipeline, timeout: 0 }));
    // A start reads files before it is sent.
    await expect.poll(() => [...server.calls('execute'), ...server.calls('get_task_status')]).toHaveLength(6);
    await vi.advanceTimersByTimeAsync(86_400_000);
    const within = (command: string, seconds: number): string => `${command} was not answered within ${seconds} s`;
    expect(told).toEqual([
      within('execute', 1),
      within('mrext_get_task_status', 2),
      within('execute', 3),
      within('mrext_get_task_status', 15),
    ]);
  });

  it('are cancelled by their signal', async () => {
    const server = new FakeServer().on('slow', () => new Promise(() => undefined));
    const client = await connectTo(server);
    const controller = new AbortController();
    const waiting = expect(client.call('slow', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    controller.abort();
    await waiting;
    await expect(client.call('slow', {}, { signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect(server.calls('slow')).toHaveLength(1);
  });

  it('refuse arguments that JSON cannot hold', async () => {
    const client = await connectTo(new FakeServer());
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    await expect(client.call('ping', circle)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('fail when the server sends something unreadable, because the reply may have been in it', async () => {
    const server = new FakeServer().on('broken', ({ socket }) => {
      socket.transport.deliver('{"type":');
      return new Promise(() => undefined);
    });
    const client = await connectTo(server);
    await expect(client.call('broken')).rejects.toMatchObject({ code: 'connection_lost' });
    expect(client.connected).toBe(false);
  });

  it('carry bytes both ways', async () => {
    const server = new FakeServer().on('twice', ({ data }) => ({
      body: { size: data?.length },
      payload: new Uint8Array([...(data ?? []), ...(data ?? [])]),
    }));
    const client = await connectTo(server);
    const reply = await client.call('twice', {}, { data: new Uint8Array([10, 0, 255]) });
    expect(reply).toEqual({ body: { size: 3 }, payload: new Uint8Array([10, 0, 255, 10, 0, 255]) });
  });

  it('settle exactly once, whatever the order of replies, cancels, drops and disconnects', async () => {
    const action = fc.oneof(
      fc.record({ do: fc.constant('request' as const) }),
      fc.record({
        do: fc.constantFrom('reply' as const, 'refuse' as const, 'cancel' as const, 'twice' as const),
        at: fc.nat(),
      }),
      fc.record({ do: fc.constant('drop' as const) }),
      fc.record({ do: fc.constant('disconnect' as const) }),
      fc.record({ do: fc.constant('connect' as const) }),
      fc.record({ do: fc.constant('yield' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const waiting: { seq: number; socket: FakeSocket; token: number }[] = [];
        const server = new FakeServer();
        server.on('slow', ({ args, socket }) => {
          const seq = server.requests.at(-1)?.seq ?? 0;
          waiting.push({ seq, socket, token: Number(args.n) });
          return new Promise(() => undefined);
        });
        const client = await connectTo(server);
        const outcomes: string[][] = [];
        const controllers: AbortController[] = [];
        for (const step of actions) {
          const target = 'at' in step ? waiting[step.at % Math.max(1, waiting.length)] : undefined;
          if (step.do === 'request') {
            const n = outcomes.length;
            const controller = new AbortController();
            controllers.push(controller);
            outcomes.push([]);
            client.call('slow', { n }, { signal: controller.signal }).then(
              ({ body }) => outcomes[n]?.push(`reply ${String((body as { n: number }).n)}`),
              (error: Error) => outcomes[n]?.push(error.name),
            );
          } else if (step.do === 'reply' || step.do === 'twice') {
            for (let i = step.do === 'twice' ? 2 : 1; i > 0; i -= 1) {
              target?.socket.reply(target.seq, 'mrext_slow', { n: target.token });
            }
          } else if (step.do === 'refuse') target?.socket.refuse(target.seq, 'mrext_slow', { message: 'no' });
          else if (step.do === 'cancel') controllers[step.at % Math.max(1, controllers.length)]?.abort();
          else if (step.do === 'drop') server.dropAll();
          else if (step.do === 'disconnect') void client.disconnect();
          else if (step.do === 'connect') await client.connect().catch(() => undefined);
          else await settle();
        }
        await client.disconnect();
        await settle();
        for (const [n, outcome] of outcomes.entries()) {
          expect(outcome).toHaveLength(1);
          if (outcome[0]?.startsWith('reply')) expect(outcome[0]).toBe(`reply ${n}`);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('persist mode', () => {
  it('comes back after 250 ms, 250 ms more for each failure, at most 15 s apart', async () => {
    vi.useFakeTimers();
    const server = new FakeServer();
    const attempts: number[] = [];
    const client = await connectTo(server, {
      persist: true,
      onConnectError: () => attempts.push(Date.now()),
    });
    const lost = Date.now();
    server.down = true;
    server.dropAll();
    await vi.advanceTimersByTimeAsync(250 + 500 + 750);
    expect(attempts.map((time) => time - lost)).toEqual([250, 750, 1500]);
    await vi.advanceTimersByTimeAsync(700_000);
    const gaps = attempts.map((time, i) => time - (attempts[i - 1] ?? lost));
    expect(Math.max(...gaps)).toBe(15_000);
    server.down = false;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(client.connected).toBe(true);
  });

  it('tells of the loss at once and of the new login when it is done', async () => {
    vi.useFakeTimers();
    const server = new FakeServer();
    const log: string[] = [];
    const client = await connectTo(server, {
      persist: true,
      onConnected: () => log.push('connected'),
      onDisconnected: (reason: string, hasError: boolean) => log.push(`${reason} ${hasError}`),
    });
    server.dropAll();
    await settle();
    expect(log).toEqual(['connected', 'the network broke true']);
    await expect(client.ping()).rejects.toMatchObject({ code: 'connection_lost' });
    await vi.advanceTimersByTimeAsync(250);
    expect(log).toEqual(['connected', 'the network broke true', 'connected']);
  });

  it('stops when the new login is refused', async () => {
    vi.useFakeTimers();
    const server = new FakeServer();
    const onConnectError = vi.fn();
    const client = await connectTo(server, { persist: true, onConnectError });
    server.on('auth', () => {
      throw createError('auth_invalid');
    });
    server.dropAll();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onConnectError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'auth_invalid' }));
    expect(client.connected).toBe(false);
  });

  it('gives up when maxRetryTime has passed since the loss', async () => {
    vi.useFakeTimers();
    const server = new FakeServer();
    const errors: string[] = [];
    const times: number[] = [];
    await connectTo(server, {
      persist: true,
      maxRetryTime: 10_000,
      onConnectError: (error: Error) => {
        errors.push(error.message);
        times.push(Date.now());
      },
    });
    const lost = Date.now();
    server.down = true;
    server.dropAll();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(errors.at(-1)).toContain('Gave up reconnecting after 10 s');
    expect((times.at(-1) ?? 0) - lost).toBe(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('counts maxRetryTime for the first connect too', async () => {
    vi.useFakeTimers();
    const server = new FakeServer();
    server.down = true;
    const outcome = expect(connectTo(server, { persist: true, maxRetryTime: 1000 })).rejects.toMatchObject({
      code: 'connection_failed',
    });
    await vi.advanceTimersByTimeAsync(1000);
    await outcome;
  });

  it('stops when disconnect is called while waiting', async () => {
    vi.useFakeTimers();
    const server = new FakeServer();
    const client = await connectTo(server, { persist: true });
    server.dropAll();
    await settle();
    await client.disconnect();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.calls('auth')).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('subscribes again before it reports the connection', async () => {
    vi.useFakeTimers();
    const server = new FakeServer();
    new FakeEngine(server);
    const seen: number[] = [];
    const client = await connectTo(server, {
      persist: true,
      onConnected: () => seen.push(server.calls('monitor').length),
    });
    await client.subscribe('*', ['task']);
    await client.subscribe({ projectId: 'P', source: '*' }, ['flow']);
    server.dropAll();
    await vi.advanceTimersByTimeAsync(250);
    expect(seen).toEqual([0, 4]);
    expect(
      server
        .calls('monitor')
        .slice(2)
        .map((call) => call.arguments),
    ).toEqual([
      { token: '*', types: ['task'] },
      { projectId: 'P', source: '*', types: ['flow'] },
    ]);
  });

  it('survives being dropped at every stage of the login', async () => {
    vi.useFakeTimers();
    for (const stage of ['auth', 'ping', 'monitor']) {
      const server = new FakeServer();
      new FakeEngine(server);
      const client = await connectTo(server, { persist: true });
      await client.subscribe('*', ['task']);
      const handler = server.handlers.get(stage);
      let drops = 2;
      server.on(stage, (call) => {
        if (drops-- > 0) call.socket.transport.drop();
        return handler?.(call);
      });
      server.dropAll();
      await vi.advanceTimersByTimeAsync(250 + 500 + 750);
      expect(client.connected, stage).toBe(true);
      expect(server.sockets, stage).toHaveLength(1);
      await client.disconnect();
      expect(vi.getTimerCount(), stage).toBe(0);
    }
  });
});

describe('a socket that was given up', () => {
  it('does not disturb its successor when it closes at last', async () => {
    vi.useFakeTimers();
    const server = new FakeServer().on('broken', ({ socket }) => {
      socket.transport.deliver('{');
      return new Promise(() => undefined);
    });
    server.on('slow', () => new Promise((resolve) => setTimeout(() => resolve({}), 2000)));
    const closeLate: TransportFactory = (url) => {
      const inner = server.transport(url);
      return {
        open: ({ message, closed }, signal) =>
          inner.open({ message, closed: (info) => void setTimeout(() => closed(info), 1000) }, signal),
        send: (data) => inner.send(data),
        close: (code, reason) => inner.close(code, reason),
      };
    };
    const onDisconnected = vi.fn();
    const client = await connectTo(server, { transport: closeLate, persist: true, onDisconnected });
    await expect(client.call('broken')).rejects.toMatchObject({ code: 'connection_lost' });
    await vi.advanceTimersByTimeAsync(300);
    const waiting = client.call('slow');
    await vi.advanceTimersByTimeAsync(3000);
    expect(await waiting).toEqual({ body: {} });
    expect(onDisconnected).toHaveBeenCalledTimes(1);
  });
});

describe('getServerInfo', () => {
  it('asks without a key', async () => {
    const client = new MillraceClient({ auth: '', transport: new FakeServer().transport });
    expect(await client.getServerInfo()).toEqual({
      version: '1.2.3',
      capabilities: ['oss'],
      platform: 'linux',
      apps: [],
    });
  });

  it('asks existing servers in their dialect', async () => {
    const server = new FakeServer({ dialect: 'peer' });
    const client = new MillraceClient({ transport: server.transport });
    expect(await client.getServerInfo()).toMatchObject({ version: '1.2.3' });
    expect(server.sockets).toHaveLength(0);
  });

  it('tells when there is no server', async () => {
    const server = new FakeServer();
    server.down = true;
    const client = new MillraceClient({ transport: server.transport });
    await expect(client.getServerInfo()).rejects.toMatchObject({ code: 'connection_failed' });
  });
});
