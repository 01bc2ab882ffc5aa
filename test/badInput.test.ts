import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePipelineText } from '../pipeline/document.js';
import { echo, swallow } from './support/pipelines.js';
import { eventually } from './support/poll.js';
import { openFiles, processTree, residentMb } from './support/processes.js';
import { RawClient, type RawMessage } from './support/rawClient.js';
import { startServer, type TestServer } from './support/server.js';

const ownKey = randomBytes(24).toString('base64url');
const otherKey = randomBytes(24).toString('base64url');
let server: TestServer;
let client: RawClient;
/** Works all the time with a task of its own, and must never notice what the others do. */
let bystander: RawClient;

beforeAll(async () => {
  server = await startServer({ keys: [ownKey, otherKey] });
  client = await RawClient.login(server.url, ownKey);
  bystander = await RawClient.login(server.url, ownKey);
  await bystander.body('execute', { pipeline: { ...echo, project_id: 'bystander' }, token: 'bystander-task', ttl: 0 });
  await client.body('execute', { pipeline: echo, token: 'main-task', ttl: 0 });
  await client.body('execute', { pipeline: swallow, token: 'swallow-task', ttl: 0 });
});

afterAll(async () => {
  await client.close();
  await bystander.close();
  await server.stop();
});

/** The others still get their answers, and the server still has its log clean. */
async function expectUnharmed(): Promise<void> {
  const result = await bystander.body('mrext_process', sending('bystander-task'), 'still here');
  expect(result['text']).toEqual(['still here\n\n']);
  expect(server.log()).not.toMatch(/internal|Unhandled|TypeError|RangeError/);
}

function sending(token: string, mimeType = 'text/plain'): Record<string, unknown> {
  return { subcommand: 'send', token, object: {}, mimeType };
}

function expectRefused(answer: RawMessage, pattern: RegExp): void {
  expect(answer.success).toBe(false);
  expect(answer.message).toMatch(pattern);
  expect(answer.hint).toEqual(expect.any(String));
}

async function start(pipeline: unknown): Promise<RawMessage> {
  const answer = await client.call('execute', { pipeline });
  if (answer.success === true) await client.body('terminate', { token: answer.body?.['token'] });
  return answer;
}

function withComponents(...components: unknown[]): unknown {
  return { source: 'in', components };
}

const webhook = { id: 'in', provider: 'webhook', config: { mode: 'Source' } };

describe('a broken pipeline', () => {
  it('that is no JSON5 is told with line and column', () => {
    expect(() => parsePipelineText('{\n  "components": [\n    oops here\n]}')).toThrow(/line 3, column \d+/);
  });

  it('with an unknown provider is refused with the names that are near', async () => {
    expectRefused(await start(withComponents({ ...webhook, provider: 'webhok' })), /"webhok".*"webhook"/s);
    await expectUnharmed();
  });

  it('with a provider of another release is refused with what to use instead', async () => {
    const pinecone = { id: 'store', provider: 'pinecone', config: {}, input: [{ from: 'in', lane: 'text' }] };
    expectRefused(await start(withComponents(webhook, pinecone)), /"store".*pinecone.*not part of this release/s);
  });

  it.each([
    ['without an id', [{ provider: 'webhook', config: { mode: 'Source' } }], /id/],
    ['with an id twice', [webhook, webhook], /in.*(twice|duplicate|unique|already)/i],
    [
      'with a dangling `from`',
      [webhook, { id: 'out', provider: 'response', config: {}, input: [{ from: 'x', lane: 'text' }] }],
      /"x"/,
    ],
  ])('%s is found by validate and refused at start', async (_name, components, pattern) => {
    const body = await client.body('mrext_validate', { pipeline: withComponents(...components) });
    expect((body['errors'] as string[]).join('\n')).toMatch(pattern);
    await expectUnharmed();
  });

  it('with a __proto__ key is refused and pollutes nothing', async () => {
    const seq = 990_001;
    const answer = client.answerTo(seq);
    client.socket.send(
      `{"type":"request","seq":${seq},"command":"execute","arguments":{"pipeline":{"source":"in","components":[{"id":"in","provider":"webhook","config":{"mode":"Source","__proto__":{"polluted":true}}}]}}}`,
    );
    expectRefused(await answer, /__proto__/);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    await expectUnharmed();
  });

  it('nested 10,000 levels deep is refused', async () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const seq = 990_002;
    const answer = client.answerTo(seq);
    client.socket.send(
      `{"type":"request","seq":${seq},"command":"execute","arguments":{"pipeline":{"source":"in","components":[{"id":"in","provider":"webhook","config":{"x":${deep}}}]}}}`,
    );
    expectRefused(await answer, /nest|deep/i);
    expect(() => parsePipelineText(`{"x":${deep}}`)).toThrow(/nest|deep/i);
    await expectUnharmed();
  });
});

describe('wrong types', () => {
  const wrong: unknown[] = [42, -1, 1.5, true, [], {}, [[]], 'x'.repeat(300), null];
  const commands: Record<string, string[]> = {
    execute: [
      'pipeline',
      'token',
      'source',
      'threads',
      'useExisting',
      'args',
      'ttl',
      'pipelineTraceLevel',
      'name',
      'env',
    ],
    restart: ['token', 'projectId', 'source', 'pipeline'],
    terminate: ['token'],
    mrext_process: ['subcommand', 'token', 'object', 'mimeType', 'provider', 'pipe', 'pipe_id'],
    mrext_monitor: ['token', 'projectId', 'source', 'types', 'pipeId', 'since'],
    mrext_validate: ['pipeline', 'component', 'source'],
    mrext_get_task_status: ['token'],
    mrext_get_token: ['projectId', 'source'],
    mrext_get_pipeline: ['token'],
    mrext_services: ['service'],
    mrext_store: ['subcommand', 'path', 'mode', 'handle', 'offset', 'length', 'recursive', 'old_path', 'new_path'],
    mrext_deploy_add: ['pipeline', 'schedule'],
    mrext_deploy_update: ['projectId', 'pipeline', 'schedule'],
    mrext_deploy_remove: ['projectId'],
    mrext_deploy_status: ['projectId'],
    mrext_account_me: ['subcommand', 'env'],
    mrext_ping: ['token'],
    mrext_dashboard: ['x'],
  };

  it.each(Object.keys(commands))('in every argument of %s get an answer each', async (command) => {
    for (const name of commands[command] ?? []) {
      for (const value of wrong) {
        const answer = await client.call(command, {
          ...(command === 'execute' ? { pipeline: echo } : {}),
          [name]: value,
        });
        expect(answer.success, `${command} ${name}`).toEqual(expect.any(Boolean));
        if (answer.success === true && command === 'execute')
          await client.body('terminate', { token: answer.body?.['token'] });
        if (answer.success === false) expect(answer.code, `${command} ${name}: ${answer.message}`).not.toBe('internal');
      }
    }
    const answer = await client.call(command, 'not an object');
    expectRefused(answer, /arguments/);
    await expectUnharmed();
  });

  it('such as an unknown command or subcommand are named in the answer', async () => {
    expectRefused(await client.call('mrext_nonsense'), /mrext_nonsense/);
    expectRefused(await client.call('mrext_store', { subcommand: '__proto__' }), /__proto__/);
    expectRefused(await client.call('constructor'), /constructor/);
  });
});

describe('bad frames', () => {
  it('a binary frame without a line feed is read as JSON', async () => {
    const answer = client.answerTo(990_010);
    client.socket.send(Buffer.from('{"type":"request","seq":990010,"command":"mrext_ping"}'));
    expect((await answer).body).toEqual({ pong: true });
  });

  it.each([
    ['truncated', '{"type":"request","seq":990011,"command":"mrext_pi'],
    ['not JSON', '{"seq":990011, what}'],
    ['an array', '[{"seq":990011}]'],
    ['without a command', '{"type":"request","seq":990011}'],
  ])('a frame that is %s is answered under its own number', async (_name, text) => {
    const answer = client.answerTo(990_011);
    client.socket.send(text);
    expectRefused(await answer, /JSON|command/);
    await expectUnharmed();
  });

  it('a frame of random bytes is answered, and the connection goes on', async () => {
    const answer = client.answerTo(0);
    client.socket.send(randomBytes(1000));
    expectRefused(await answer, /JSON|UTF-8/);
    await expectUnharmed();
  });

  it('a header of 10 MB is refused under its own number', async () => {
    const answer = client.answerTo(990_012);
    client.socket.send(
      `{"seq":990012,"type":"request","command":"mrext_ping","arguments":{"x":"${'y'.repeat(10_000_000)}"}}`,
    );
    expectRefused(await answer, /header.*bytes/);
    await expectUnharmed();
  });

  it('a message of 300 MB ends only its own connection, with the code for too large', async () => {
    const large = await RawClient.login(server.url, ownKey);
    large.socket.send(Buffer.alloc(300_000_000, 0x20));
    expect((await large.closed).code).toBe(1009);
    await expectUnharmed();
  });
});

describe('pipes', () => {
  it('that were closed or never opened are named in the answer', async () => {
    const args = { token: 'main-task', pipe_id: 77 };
    expectRefused(
      await client.call('mrext_process', { subcommand: 'write', ...args }, 'x'),
      /Write pipe with id 77 not found/,
    );
    expectRefused(
      await client.call('mrext_process', { subcommand: 'close', ...args }),
      /Close pipe with id 77 not found/,
    );
    const { pipe_id: id } = await client.body('mrext_process', {
      subcommand: 'open',
      token: 'main-task',
      object: {},
      mimeType: 'text/plain',
    });
    await client.body('mrext_process', { subcommand: 'close', token: 'main-task', pipe_id: id });
    const late = await client.call('mrext_process', { subcommand: 'write', token: 'main-task', pipe_id: id }, 'x');
    expectRefused(late, /not found/);
  });

  it('of another connection cannot be written to', async () => {
    const other = await RawClient.login(server.url, ownKey);
    const { pipe_id: id } = await other.body('mrext_process', {
      subcommand: 'open',
      token: 'main-task',
      object: {},
      mimeType: 'text/plain',
    });
    expectRefused(
      await client.call('mrext_process', { subcommand: 'write', token: 'main-task', pipe_id: id }, 'x'),
      /not found/,
    );
    await other.body('mrext_process', { subcommand: 'close', token: 'main-task', pipe_id: id });
    await other.close();
  });

  it('whose client disappears are freed at once, and their objects count as failed', async () => {
    const { token } = (await client.body('execute', { pipeline: echo, threads: 1, ttl: 0 })) as { token: string };
    const gone = await RawClient.login(server.url, ownKey);
    const open = { subcommand: 'open', token, object: { name: 'half' }, mimeType: 'text/plain' };
    const { pipe_id: id } = await gone.body('mrext_process', open);
    await gone.body('mrext_process', { subcommand: 'write', token, pipe_id: id }, 'half a ');
    gone.socket.terminate();
    const result = await client.body('mrext_process', sending(token), 'whole');
    expect(result['text']).toEqual(['whole\n\n']);
    const status = await client.body('mrext_get_task_status', { token });
    expect(status).toMatchObject({ failedCount: 1, completedCount: 1, totalCount: 2 });
    expect(status['errors']).toEqual([expect.stringContaining('half')]);
    await client.body('terminate', { token });
  });

  it('take an empty object', async () => {
    const result = await client.body('mrext_process', sending('main-task'), '');
    expect(result).toMatchObject({ objectId: expect.any(String) as string });
    expect(result).not.toHaveProperty('error');
  });

  it('take 1 GB without growing', async () => {
    const object = { name: 'large.bin', size: 1_000_000_000 };
    const open = { subcommand: 'open', token: 'swallow-task', object, mimeType: 'application/octet-stream' };
    const { pipe_id: id } = await client.body('mrext_process', open);
    const before = totalMemory();
    const chunk = randomBytes(1_000_000);
    const inFlight: Promise<unknown>[] = [];
    let peak = 0;
    for (let sent = 0; sent < 1000; sent++) {
      inFlight.push(client.body('mrext_process', { subcommand: 'write', token: 'swallow-task', pipe_id: id }, chunk));
      if (inFlight.length >= 8) await inFlight.shift();
      if (sent % 100 === 0) peak = Math.max(peak, totalMemory());
    }
    await Promise.all(inFlight);
    await client.body('mrext_process', { subcommand: 'close', token: 'swallow-task', pipe_id: id });
    expect(peak - before).toBeLessThan(300);
    const status = await client.body('mrext_get_task_status', { token: 'swallow-task' });
    expect(status['completedSize']).toBe(1_000_000_000);
    await expectUnharmed();
  }, 120_000);
});

describe('other keys', () => {
  it('see neither the tasks nor the tokens of a key, and learn nothing from the answer', async () => {
    const stranger = await RawClient.login(server.url, otherKey);
    const foreign = await stranger.call('mrext_get_task_status', { token: 'main-task' });
    const unknown = await stranger.call('mrext_get_task_status', { token: 'no-such-task' });
    expect(foreign.message).toBe(unknown.message);
    expectRefused(await stranger.call('mrext_process', sending('main-task'), 'x'), /not running/);
    expectRefused(await stranger.call('terminate', { token: 'main-task' }), /not running/);
    expect(await stranger.body('mrext_get_tasks')).toEqual({ tasks: [] });
    await stranger.body('mrext_monitor', { token: '*', types: ['all'] });
    await client.body('mrext_process', sending('main-task'), 'secret');
    await stranger.body('mrext_ping');
    expect(stranger.events.filter(({ id }: RawMessage & { id?: string }) => id !== undefined)).toEqual([]);
    await stranger.close();
  });

  it('are not reached by the token of a task either: it is for that task alone', async () => {
    const { token } = (await client.body('execute', { pipeline: { ...echo, project_id: 'tk' } })) as { token: string };
    const holder = await RawClient.login(server.url, token);
    expect((await holder.body('mrext_process', sending(token), 'mine'))['text']).toEqual(['mine\n\n']);
    expectRefused(await holder.call('mrext_process', sending('main-task'), 'x'), /permission/i);
    expectRefused(await holder.call('mrext_deploy_list'), /denied/);
    expectRefused(await holder.call('execute', { pipeline: echo }), /denied/);
    const { connections, tasks } = (await holder.body('mrext_dashboard')) as {
      connections: unknown[];
      tasks: unknown[];
    };
    expect([connections.length, tasks.length]).toEqual([1, 1]);
    await holder.close();
    await client.body('terminate', { token });
  });

  it('may use the same token for a task of their own', async () => {
    const stranger = await RawClient.login(server.url, otherKey);
    await stranger.body('execute', { pipeline: echo, token: 'main-task' });
    await stranger.body('terminate', { token: 'main-task' });
    await stranger.close();
    expect((await client.body('mrext_process', sending('main-task'), 'mine'))['text']).toEqual(['mine\n\n']);
  });
});

describe('the store', () => {
  it.each(['../escape', 'a/../../escape', '/etc/passwd', 'C:\\x', '..\\x', 'a\0b', '\\\\host\\share', 'a/./../../b'])(
    'refuses the path %j',
    async (path) => {
      for (const args of [
        { subcommand: 'fs_open', path, mode: 'w' },
        { subcommand: 'fs_open', path },
        { subcommand: 'fs_delete', path },
        { subcommand: 'fs_mkdir', path },
        { subcommand: 'fs_rename', old_path: path, new_path: 'x' },
      ]) {
        expect((await client.call('mrext_store', args)).success, args.subcommand).toBe(false);
      }
    },
  );
});

describe('after all of it', () => {
  it('nothing has leaked: files, processes, pipes', async () => {
    const extra = await RawClient.login(server.url, ownKey);
    await eventually('only the workers of living tasks and the spare one are there', async () => {
      const { tasks } = (await extra.body('mrext_dashboard')) as { tasks: { completed: boolean }[] };
      return processTree(server.pid).length - 1 === tasks.filter(({ completed }) => !completed).length + 1;
    });
    const files = openFiles(server.pid);
    for (let round = 0; round < 20; round++) {
      const gone = await RawClient.login(server.url, ownKey);
      await gone.body('mrext_process', { subcommand: 'open', token: 'main-task', object: {}, mimeType: 'text/plain' });
      gone.socket.terminate();
    }
    await eventually('the connections are gone', async () => {
      const { overview } = (await extra.body('mrext_dashboard')) as { overview: { totalConnections: number } };
      return overview.totalConnections <= 3;
    });
    await eventually('the files are closed', () => openFiles(server.pid) <= files);
    await eventually('only the workers of living tasks are left', async () => {
      const { tasks } = (await extra.body('mrext_dashboard')) as { tasks: { completed: boolean }[] };
      const living = tasks.filter(({ completed }) => !completed).length;
      // One spare worker is kept ready.
      return processTree(server.pid).length - 1 <= living + 1;
    });
    await extra.close();
    await expectUnharmed();
  });
});

function totalMemory(): number {
  return processTree(server.pid).reduce((sum, pid) => sum + residentMb(pid), 0);
}
