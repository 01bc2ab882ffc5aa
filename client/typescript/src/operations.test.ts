import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createError } from './errors.js';
import { FakeEngine } from '../testing/fakeEngine.js';
import { FakeServer, type FakeServerOptions } from '../testing/fakeServer.js';
import { type ClientOptions, type EventMessage, MillraceClient, type MonitorType } from './index.js';
import { readResult } from './results.js';

const start = async (options: FakeServerOptions = {}, clientOptions: ClientOptions = {}) => {
  const server = new FakeServer(options);
  const engine = new FakeEngine(server);
  const client = new MillraceClient({ auth: 'key', transport: server.transport, ...clientOptions });
  await client.connect();
  return { server, engine, client };
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-operations-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('use', () => {
  const pipeline = { components: [{ id: 'a', provider: 'webhook', config: {} }] };
  const sent = (server: FakeServer) => server.calls('execute').at(-1)?.arguments;

  it('sends what is given and returns the token with the rest of the answer', async () => {
    const { client, server } = await start();
    const options = { token: 'T', threads: 2, useExisting: true, args: ['x'], ttl: 0, name: 'N' };
    const result = await client.use({ ...options, pipeline, source: 'a', pipelineTraceLevel: 'full' });
    expect(result).toEqual({ token: 'T', id: 'T.source', publicToken: 'pk_1' });
    expect(sent(server)).toEqual({ ...options, pipeline: { ...pipeline, source: 'a' }, pipelineTraceLevel: 'full' });
    expect(pipeline).not.toHaveProperty('source');
  });

  it('leaves out what is not given, except the list of arguments', async () => {
    const { client, server } = await start();
    await client.use({ pipeline: { pipeline } });
    expect(sent(server)).toEqual({ pipeline, args: [] });
  });

  it('reads JSON and JSON5 files and names the task after the file', async () => {
    const { client, server } = await start();
    for (const [file, text] of [
      ['demo.pipe', '{components: [], /* five */}'],
      ['demo.pipe.json', '{"pipeline": {"components": []}}'],
      ['demo.json5', '{components: []}'],
    ] as const) {
      await writeFile(path.join(folder, file), text);
      await client.use({ filepath: path.join(folder, file) });
      expect(sent(server)).toMatchObject({ pipeline: { components: [] }, name: 'demo' });
    }
  });

  it('fails with what is wrong before anything is sent', async () => {
    const { client, server } = await start();
    await writeFile(path.join(folder, 'broken.pipe'), '{"components": [');
    await expect(client.use({})).rejects.toMatchObject({ name: 'ValidationError', code: 'invalid_argument' });
    await expect(client.use({ filepath: path.join(folder, 'none') })).rejects.toMatchObject({
      name: 'FileNotFoundError',
      code: 'file_not_found',
    });
    await expect(client.use({ filepath: path.join(folder, 'broken.pipe') })).rejects.toMatchObject({
      name: 'ValidationError',
      code: 'pipeline_syntax',
    });
    await expect(client.use({ pipeline: [] as never })).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(server.calls('execute')).toEqual([]);
  });

  it('puts variables in: those of the call over the client’s, the process’s and those of .env', async () => {
    await writeFile(path.join(folder, '.env'), 'SERVICE_A=file\nSERVICE_B="file b"\nSERVICE_C=file\nSERVICE_D=file\n');
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    vi.stubEnv('SERVICE_B', 'process');
    vi.stubEnv('SERVICE_C', 'process');
    vi.stubEnv('SERVICE_D', 'process');
    const { client, server } = await start({}, { env: { SERVICE_C: 'client', SERVICE_D: 'client' } });
    const config = { all: '${SERVICE_A} ${SERVICE_B} ${SERVICE_C} ${SERVICE_D}', other: '${SERVICE_NONE} ${HOME}' };
    const withVariables = { components: [{ id: 'a', provider: 'p', config }] };
    await client.use({ pipeline: withVariables, env: { SERVICE_D: 'call' } });
    const components = (sent(server)?.pipeline as typeof withVariables).components;
    expect(components[0]?.config).toEqual({ all: 'file process client call', other: '${SERVICE_NONE} ${HOME}' });
    expect(sent(server)).not.toHaveProperty('env');
  });

  it('fails when the server names no token', async () => {
    const { client, server } = await start();
    server.on('execute', () => ({}));
    await expect(client.use({ pipeline })).rejects.toMatchObject({ code: 'start_failed' });
  });

  it('ends a task whose start was cancelled', async () => {
    const { client, server, engine } = await start();
    const handler = server.handlers.get('execute');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    server.on('execute', async (call) => {
      await held;
      return handler?.(call);
    });
    const controller = new AbortController();
    const starting = client.use({ pipeline, token: 'T', signal: controller.signal });
    await expect.poll(() => server.calls('execute')).toHaveLength(1);
    controller.abort();
    await expect(starting).rejects.toMatchObject({ code: 'cancelled' });
    release();
    await expect.poll(() => engine.tasks.get('T')?.status.completed).toBe(true);
  });
});

describe('the environment', () => {
  it('gives address and key where the options have none', async () => {
    const server = new FakeServer({ key: 'from the environment' });
    vi.stubEnv('MILLRACE_URI', 'https://example.org:99');
    vi.stubEnv('MILLRACE_APIKEY', 'from the environment');
    const client = new MillraceClient({ transport: server.transport });
    expect(client.url).toBe('wss://example.org:99/task/service');
    await client.connect();
    expect(client.connected).toBe(true);
  });
});

describe('tasks', () => {
  it('are restarted, read and listed', async () => {
    const { client, server } = await start();
    server.on('restart', () => ({ token: 'T' }));
    server.on('get_token', () => ({ token: 'T' }));
    server.on('get_pipeline', () => ({ pipeline: { components: [] } }));
    await client.use({ pipeline: { components: [], source: 's' }, token: 'T', name: 'N' });
    expect(await client.restart({ projectId: 'P', source: 's', pipeline: { components: [] } })).toEqual({ token: 'T' });
    expect(server.calls('restart')[0]?.arguments).toEqual({
      projectId: 'P',
      source: 's',
      pipeline: { components: [] },
    });
    await expect(client.restart({ pipeline: { components: [] } })).rejects.toMatchObject({ code: 'token_required' });
    expect(await client.getToken('P', 's')).toBe('T');
    expect(await client.getPipeline('T')).toEqual({ components: [] });
    expect(await client.getTasks()).toMatchObject([{ token: 'T', name: 'N', source: 's' }]);
    expect(await client.getTaskStatus('T')).toMatchObject({ state: 3, completed: false });
    await client.terminate('T');
    expect(await client.getTaskStatus('T')).toMatchObject({ state: 6, completed: true });
    await expect(client.terminate('')).rejects.toMatchObject({ code: 'token_required' });
  });
});

describe('validate', () => {
  it('gives strings and findings, whatever the server sends', async () => {
    for (const dialect of ['spec', 'peer'] as const) {
      const { client, server } = await start({ dialect });
      const errors = dialect === 'spec' ? ['wrong'] : [{ message: 'wrong', id: 'a', ccode: 1 }];
      const spec = { diagnostics: [{ severity: 'error', code: 'x', message: 'wrong' }], chain: ['a'] };
      server.on('validate', () => ({ errors, ...(dialect === 'spec' ? spec : { pipeline: { chain: ['a'] } }) }));
      const result = await client.validate({ components: [] }, 'a');
      expect(result).toMatchObject({ errors: ['wrong'], warnings: [], chain: ['a'] });
      expect(result.diagnostics).toMatchObject([{ severity: 'error', message: 'wrong' }]);
    }
  });

  it('asks for a single component as the dialect wants it', async () => {
    const component = { id: 'a', provider: 'p', config: {} };
    for (const [dialect, args] of [
      ['spec', { component }],
      ['peer', { pipeline: { version: 1, component } }],
    ] as const) {
      const { client, server } = await start({ dialect });
      server.on('validate', () => ({ component }));
      expect(await client.validateComponent(component)).toMatchObject({ errors: [], warnings: [] });
      expect(server.calls('validate')[0]?.arguments).toEqual(args);
    }
  });

  it('fails when the server cannot validate', async () => {
    const { client, server } = await start({ dialect: 'peer' });
    server.on('validate', () => {
      throw createError('internal', 'several sources');
    });
    await expect(client.validate({ components: [] })).rejects.toMatchObject({
      name: 'ValidationError',
      message: 'several sources',
    });
  });
});

describe('subscriptions', () => {
  const told = (server: FakeServer) => server.calls('monitor').map((call) => call.arguments);

  it('are merged per key, and end when nobody needs them', async () => {
    const { client, server } = await start();
    const first = await client.subscribe('*', ['task', 'summary']);
    const second = await client.subscribe('*', ['summary', 'flow']);
    const third = await client.subscribe('*', ['flow']);
    await first.dispose();
    await first.dispose();
    await second.dispose();
    await third.dispose();
    expect(told(server).map((args) => args?.types)).toEqual([
      ['summary', 'task'],
      ['flow', 'summary', 'task'],
      ['flow', 'summary'],
      ['flow'],
      [],
    ]);
  });

  it('reject a token of no task and leave nothing behind', async () => {
    const { client, server } = await start();
    await expect(client.subscribe({ token: 'none' }, ['task'])).rejects.toMatchObject({ code: 'task_unknown' });
    await expect(client.subscribe({ token: '' }, ['task'])).rejects.toMatchObject({ code: 'token_required' });
    expect(told(server).at(-1)?.types).toEqual(['task']);
  });

  it('always leave the server with the sum of what is wanted, whatever the order and the delays', async () => {
    const types: MonitorType[] = ['task', 'flow', 'summary'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            add: fc.boolean(),
            pick: fc.nat(),
            types: fc.subarray(types, { minLength: 1 }),
            wait: fc.nat(4),
          }),
          { maxLength: 15 },
        ),
        async (steps) => {
          const { client, server } = await start();
          let known: unknown = [];
          server.on('monitor', async ({ args }) => {
            // Requests are served at once, so a later one may be done first.
            for (let i = server.calls('monitor').length % 3; i > 0; i -= 1) await Promise.resolve();
            known = args.types;
            return undefined;
          });
          const active: { types: string[]; subscription: ReturnType<MillraceClient['subscribe']> }[] = [];
          const pending: Promise<unknown>[] = [];
          for (const step of steps) {
            if (step.add || active.length === 0) {
              const subscription = client.subscribe('*', step.types);
              active.push({ types: step.types, subscription });
              pending.push(subscription);
            } else {
              const [gone] = active.splice(step.pick % active.length, 1);
              if (gone) pending.push(gone.subscription.then(({ dispose }) => dispose()));
            }
            for (let i = step.wait; i > 0; i -= 1) await Promise.resolve();
          }
          await Promise.all(pending);
          expect(known).toEqual([...new Set(active.flatMap((one) => one.types))].sort());
        },
      ),
      // A subscription that began while the last one before it ended was once lost.
      {
        numRuns: 100,
        examples: [
          [
            [
              { add: false, pick: 0, types: ['summary'], wait: 3 },
              { add: false, pick: 0, types: ['flow'], wait: 3 },
              { add: false, pick: 0, types: ['summary'], wait: 3 },
              { add: false, pick: 0, types: ['summary'], wait: 4 },
              { add: false, pick: 0, types: ['summary'], wait: 0 },
            ],
          ],
        ],
      },
    );
  });
});

describe('events', () => {
  it('come in order and only those of the key; leaving the loop unsubscribes', async () => {
    const { client, server } = await start();
    await client.use({ pipeline: { components: [] }, token: 'tk_0123456789' });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const { body } of client.events({ key: { token: 'tk_0123456789' }, types: ['flow'] })) {
        seen.push((body as { n: number }).n);
        if (seen.length === 2) break;
      }
    })();
    await expect.poll(() => server.calls('monitor')).toHaveLength(1);
    server.broadcast('apaevt_flow', { n: 1 }, '01234567.source');
    server.broadcast('apaevt_flow', { n: 2 }, 'other.a');
    server.broadcast('apaevt_flow', { n: 3 }, '01234567.source');
    await reading;
    expect(seen).toEqual([1, 3]);
    expect(server.calls('monitor').map((call) => call.arguments?.types)).toEqual([['flow'], []]);
  });

  it('of a project are told apart by project and source', async () => {
    const { client, server } = await start();
    const controller = new AbortController();
    const seen: EventMessage[] = [];
    const reading = (async () => {
      const key = { projectId: 'P', source: 's' };
      for await (const event of client.events({ key, types: ['flow'], signal: controller.signal })) seen.push(event);
    })();
    await expect.poll(() => server.calls('monitor')).toHaveLength(1);
    for (const [project_id, source] of ['Ps', 'Pt', 'Qs']) server.broadcast('apaevt_flow', { project_id, source });
    await client.ping();
    controller.abort();
    await reading;
    expect(seen.map(({ body }) => body)).toEqual([{ project_id: 'P', source: 's' }]);
  });

  it('are only those of the types asked for, whatever else the client has subscribed to', async () => {
    const { client, server } = await start();
    await client.subscribe('*', ['all']);
    const controller = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      const options = { types: ['output', 'task'], signal: controller.signal } as const;
      for await (const { event } of client.events(options)) seen.push(event);
    })();
    await expect.poll(() => server.calls('monitor')).toHaveLength(2);
    for (const name of ['apaevt_flow', 'output', 'apaevt_lost', 'apaevt_status_update', 'apaevt_task', 'apaevt_other'])
      server.broadcast(name, {});
    await expect.poll(() => seen).toContain('apaevt_other');
    controller.abort();
    await reading;
    expect(seen).toEqual(['output', 'apaevt_lost', 'apaevt_task', 'apaevt_other']);
  });

  it('tell a slow reader how many it has lost', async () => {
    const { client, server } = await start();
    const events = client.events({ types: ['output'], capacity: 3 });
    const first = events.next();
    await expect.poll(() => server.calls('monitor')).toHaveLength(1);
    for (let n = 0; n < 6; n += 1) server.broadcast('output', { n });
    const bodies = [(await first).value?.body as { n?: number; dropped?: number }];
    while (bodies.at(-1)?.n !== 5) bodies.push((await events.next()).value?.body as { n?: number });
    await events.return();
    const received = bodies.filter(({ n }) => n !== undefined).length;
    const dropped = bodies.reduce((sum, body) => sum + (body.dropped ?? 0), 0);
    expect(dropped).toBeGreaterThan(0);
    expect(received + dropped).toBe(6);
  });

  it('end with an error when the connection is lost for good, and quietly after a disconnect', async () => {
    for (const [end, outcome] of [
      ['drop', 'connection_lost'],
      ['disconnect', undefined],
    ] as const) {
      const { client, server } = await start();
      const reading = (async () => {
        for await (const event of client.events({ types: ['task'] })) expect(event).toBeUndefined();
      })();
      const result = reading.then(
        () => undefined,
        (error: { code: string }) => error.code,
      );
      await expect.poll(() => server.calls('monitor')).toHaveLength(1);
      if (end === 'drop') server.dropAll();
      else await client.disconnect();
      expect(await result).toBe(outcome);
    }
  });

  it('go on after a reconnect', async () => {
    vi.useFakeTimers();
    try {
      const { client, server } = await start({}, { persist: true });
      const events = client.events({ types: ['task'] });
      const next = events.next();
      await vi.advanceTimersByTimeAsync(0);
      server.dropAll();
      await vi.advanceTimersByTimeAsync(250);
      server.broadcast('apaevt_task', { action: 'begin' });
      expect((await next).value).toMatchObject({ body: { action: 'begin' } });
    } finally {
      vi.useRealTimers();
    }
  });

  it('reach the other listeners when one of them throws, and the error is not swallowed', async () => {
    const { client, server } = await start();
    const thrown: unknown[] = [];
    vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => {
      try {
        task();
      } catch (error) {
        thrown.push(error);
      }
    });
    const heard = vi.fn();
    client.listen(() => {
      throw new Error('mine');
    });
    client.listen(heard);
    server.broadcast('output', {});
    await client.ping();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(thrown).toEqual([new Error('mine')]);
  });
});

describe('the store', () => {
  it('keeps files of any size', async () => {
    const { client, engine } = await start();
    const big = new Uint8Array(9 * 1024 * 1024).map((_, i) => i % 251);
    expect(await client.store.write('big.bin', big)).toBe(big.length);
    expect(Buffer.compare(await client.store.read('big.bin'), big)).toBe(0);
    await client.store.write('empty.txt', '');
    expect(await client.store.readText('empty.txt')).toBe('');
    expect(await client.store.list()).toMatchObject([{ name: 'big.bin' }, { name: 'empty.txt', size: 0 }]);
    expect(await client.store.stat('none')).toEqual({ exists: false });
    await client.store.remove('big.bin');
    expect([...engine.files.keys()]).toEqual(['empty.txt']);
    await expect(client.store.read('none')).rejects.toMatchObject({ name: 'FileNotFoundError' });
  });

  it('sends folders and renames as the server wants them', async () => {
    const { client, server } = await start();
    await client.store.mkdir('a');
    await client.store.rmdir('a', true);
    await client.store.rename('a', 'b');
    expect(server.calls('store').map((call) => call.arguments)).toEqual([
      { subcommand: 'fs_mkdir', path: 'a' },
      { subcommand: 'fs_rmdir', path: 'a', recursive: true },
      { subcommand: 'fs_rename', old_path: 'a', new_path: 'b' },
    ]);
  });
});

describe('the other groups', () => {
  it('send their commands with the prefix of the server', async () => {
    for (const [dialect, prefix] of [
      ['spec', 'mrext_'],
      ['peer', 'rrext_'],
    ] as const) {
      const { client, server } = await start({ dialect });
      server.on('deploy_add', ({ args }) => ({ ...args, state: 'active' }));
      server.on('deploy_list', () => ({ deployments: [{ schedule: 'manual' }] }));
      server.on('deploy_status', () => ({ schedule: '@daily' }));
      server.on('deploy_update', () => ({}));
      server.on('deploy_remove', () => ({}));
      server.on('account_me', ({ args }) => (args.subcommand === 'env_keys' ? { keys: ['A'] } : { env: { A: '1' } }));
      server.on('services', ({ args }) =>
        args.service ? { title: 'W' } : { services: { w: { title: 'W' } }, version: 1 },
      );
      server.on('dashboard', () => ({ tasks: [] }));
      const pipeline = { project_id: 'P', components: [] };
      expect(await client.deployments.add(pipeline)).toMatchObject({ pipeline, schedule: 'manual' });
      expect(await client.deployments.list()).toEqual([{ schedule: 'manual' }]);
      expect(await client.deployments.status('P')).toEqual({ schedule: '@daily' });
      await client.deployments.update('P', { schedule: '@daily' });
      await client.deployments.remove('P');
      expect(await client.env.keys()).toEqual(['A']);
      expect(await client.env.get()).toEqual({ A: '1' });
      await client.env.set({ A: '2' });
      expect(await client.getServices()).toEqual({ services: { w: { title: 'W' } }, version: 1 });
      expect(await client.getService('w')).toEqual({ title: 'W' });
      expect(await client.dashboard()).toEqual({ tasks: [] });
      expect(await client.getServerInfo()).toMatchObject({ version: '1.2.3' });
      const commands = server.requests.slice(2).map(({ command }) => command);
      expect(commands.every((command) => command.startsWith(prefix))).toBe(true);
      expect(commands).toContain(`${prefix}deploy_add`);
      expect(server.calls('deploy_update')[0]?.arguments).toEqual({ projectId: 'P', schedule: '@daily' });
    }
  });
});

describe('a result', () => {
  it('lists its keys, whichever way the server wrote them', () => {
    const spec = { objectId: 'o', result_types: ['text'], text: ['x'] };
    expect(readResult({ ...spec, result_types: { text: 'text' } })).toEqual(spec);
    expect(readResult(spec)).toEqual(spec);
    expect(readResult({ objectId: 'o' })).toEqual({ objectId: 'o' });
    expect(readResult(undefined)).toEqual({ objectId: '' });
  });
});
