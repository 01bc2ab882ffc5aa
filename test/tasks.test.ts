import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forbiddenMoves, statesSeen } from './support/moves.js';
import { echo, obeying } from './support/pipelines.js';
import { eventually } from './support/poll.js';
import { RawClient, type RawMessage } from './support/rawClient.js';
import { startServer, type TestServer } from './support/server.js';
import { componentsFolder } from './support/worker.js';

let server: TestServer;
let client: RawClient;

beforeAll(async () => {
  server = await startServer({ args: ['--components', componentsFolder, '--worker-memory', '128'] });
  client = await RawClient.login(server.url, server.key);
  await client.body('execute', { pipeline: { ...echo, project_id: 'bystander' }, token: 'bystander', ttl: 0 });
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

/** webhook → obey → response in a project of its own, whose status updates are watched from before its start. */
async function watched(projectId: string, config: object = {}): Promise<object> {
  await client.body('mrext_monitor', { projectId, source: 'in', types: ['summary', 'task'] });
  const [source, obey, out] = obeying.components;
  return { ...obeying, project_id: projectId, components: [source, { ...obey, config }, out] };
}

function send(token: string, text: string): Promise<RawMessage> {
  return client.call('mrext_process', { subcommand: 'send', token, object: {}, mimeType: 'text/plain' }, text);
}

function status(token: string): Promise<Record<string, unknown>> {
  return client.body('mrext_get_task_status', { token });
}

/** What the task announced under a project: begin, restart, end. */
function announced(projectId: string): unknown[] {
  const own = ({ event, body }: RawMessage): boolean => event === 'apaevt_task' && body?.['projectId'] === projectId;
  return client.events.filter(own).map(({ body }) => body?.['action']);
}

function ended(projectId: string): Promise<RawMessage> {
  return client.event(({ event, body }) => {
    return event === 'apaevt_status_update' && body?.['project_id'] === projectId && body['completed'] === true;
  });
}

/** Runs `work` while another task keeps working, and gives the longest that one of its answers took, in ms. */
async function besides(work: () => Promise<void>): Promise<number> {
  let done = false;
  let longest = 0;
  const other = await RawClient.login(server.url, server.key);
  const loop = (async () => {
    while (!done) {
      const asked = performance.now();
      const args = { subcommand: 'send', token: 'bystander', object: {}, mimeType: 'text/plain' };
      expect((await other.body('mrext_process', args, 'x'))['text']).toEqual(['x\n\n']);
      longest = Math.max(longest, performance.now() - asked);
    }
  })();
  try {
    await work();
  } finally {
    done = true;
    await loop;
    await other.close();
  }
  return longest;
}

describe('a task', () => {
  it('goes through every state in order until it is terminated', async () => {
    const pipeline = await watched('ordinary');
    await client.body('execute', { pipeline, token: 'ordinary' });
    expect((await send('ordinary', 'hello')).body?.['text']).toEqual(['hello\n\n']);
    await client.body('terminate', { token: 'ordinary' });
    expect(statesSeen(client, 'ordinary')).toEqual([0, 1, 2, 3, 4, 6]);
    expect(announced('ordinary')).toEqual(['begin', 'end']);
    expect(await status('ordinary')).toMatchObject({
      exitCode: 0,
      exitMessage: '',
      status: 'Stopped',
      completedCount: 1,
    });
    const metrics = (await status('ordinary'))['metrics'] as Record<string, number>;
    expect(Object.values(metrics).every((value) => value === 0)).toBe(true);
  });

  it('that completes by itself ends as completed', async () => {
    await client.body('mrext_monitor', { projectId: 'produce', source: 'make', types: ['summary', 'task'] });
    const components = [
      { id: 'make', provider: 'produce', config: { count: 5 } },
      { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'make', lane: 'text' }] },
    ];
    await client.body('execute', { pipeline: { project_id: 'produce', components }, source: 'make', token: 'produce' });
    await ended('produce');
    expect(statesSeen(client, 'produce')).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await status('produce')).toMatchObject({
      exitCode: 0,
      status: 'Completed',
      completedCount: 5,
      totalCount: 5,
    });
    expect((await send('produce', 'late')).message).toBe('Task has already completed');
  });

  it('whose start fails tells why and makes no move of its own', async () => {
    const pipeline = await watched('refusing', { refuse: 'I will not start' });
    const answer = await client.call('execute', { pipeline, token: 'refusing' });
    expect(answer).toMatchObject({ success: false, message: expect.stringContaining('I will not start') as string });
    expect((await ended('refusing')).body).toMatchObject({
      exitCode: 1,
      errors: [expect.stringContaining('not start')],
    });
    expect(statesSeen(client, 'refusing').at(-1)).toBe(6);
    expect(forbiddenMoves(statesSeen(client, 'refusing'))).toEqual([]);
    expect((await client.call('mrext_get_task_status', { token: 'refusing' })).success).toBe(false);
  });

  it('can be terminated while it starts', async () => {
    const pipeline = await watched('starting', { spin: true });
    const starting = client.call('execute', { pipeline, token: 'starting' });
    await client.event(({ body }) => body?.['project_id'] === 'starting' && body['state'] === 2);
    const asked = performance.now();
    expect((await client.call('terminate', { token: 'starting' })).success).toBe(true);
    expect(performance.now() - asked).toBeLessThan(5000);
    expect((await starting).success).toBe(false);
    expect(statesSeen(client, 'starting').at(-1)).toBe(6);
    expect(forbiddenMoves(statesSeen(client, 'starting'))).toEqual([]);
  });

  it('waits with data until it runs, and refuses it once it has ended', async () => {
    const starting = client.call('execute', { pipeline: await watched('early'), token: 'early' });
    const sent = send('early', 'early data');
    expect((await starting).success).toBe(true);
    expect((await sent).body?.['text']).toEqual(['early data\n\n']);
    await client.body('terminate', { token: 'early' });
    expect((await send('early', 'late')).message).toBe('The task was stopped');
  });
});

describe('a task that breaks', () => {
  it.each([
    ['exits', 'exit 7', /exit code 7/, 7],
    ['runs out of memory', 'exhaust', /ran out of memory/, undefined],
    ['blocks', 'block', /blocked the task/, 1],
    ['writes nonsense to its server', 'garbage', /sent what is no message/, 1],
  ])(
    'because a component %s fails with the reason within 5 s, and no other task notices',
    async (_, order, why, code) => {
      const token = `break ${order}`;
      const pipeline = await watched(token);
      await client.body('execute', { pipeline, token });
      const waiting = Promise.all([send(token, order), send(token, 'hang')]);
      const asked = performance.now();
      const longest = await besides(async () => {
        for (const answer of await waiting) {
          expect(answer.success).toBe(false);
          expect(answer.message).toMatch(why);
        }
        await ended(token);
      });
      expect(performance.now() - asked).toBeLessThan(5500);
      expect(longest).toBeLessThan(1000);
      const end = await status(token);
      expect(end).toMatchObject({ state: 6, completed: true, failedCount: 2, completedCount: 0, serviceUp: false });
      expect(end['exitMessage']).toMatch(why);
      expect((end['errors'] as string[]).join()).toMatch(why);
      if (code !== undefined) expect(end['exitCode']).toBe(code);
      else expect(end['exitCode']).not.toBe(0);
      expect(forbiddenMoves(statesSeen(client, token))).toEqual([]);
      expect(announced(token)).toEqual(['begin', 'end']);
    },
  );

  it('because of an error that nobody caught fails with that error', async () => {
    const pipeline = await watched('loose');
    await client.body('execute', { pipeline, token: 'loose' });
    const waiting = send('loose', 'hang');
    expect((await send('loose', 'loose')).success).toBe(true);
    expect((await waiting).message).toMatch(/nobody caught this/);
    await ended('loose');
    expect(await status('loose')).toMatchObject({ state: 6, exitCode: 1, completedCount: 1, failedCount: 1 });
    expect((await status('loose'))['exitMessage']).toMatch(/nobody caught this/);
  });

  it('because its process was killed can be started again at once', async () => {
    const pipeline = await watched('killed');
    await client.body('execute', { pipeline, token: 'killed' });
    const { text } = (await send('killed', 'pid')).body as { text: string[] };
    const waiting = send('killed', 'hang');
    process.kill(Number(text[0]), 'SIGKILL');
    expect(await waiting).toMatchObject({ success: false, message: expect.stringContaining('SIGKILL') as string });
    await ended('killed');
    expect(await status('killed')).toMatchObject({ state: 6, exitCode: 1, completedCount: 1, failedCount: 1 });
    expect(forbiddenMoves(statesSeen(client, 'killed'))).toEqual([]);
    await client.body('execute', { pipeline, token: 'killed' });
    expect((await send('killed', 'alive')).body?.['text']).toEqual(['alive\n\n']);
    await client.body('terminate', { token: 'killed' });
  });

  it('because one object fails goes on with the next', async () => {
    await client.body('execute', { pipeline: await watched('failing'), token: 'failing' });
    const failed = await send('failing', 'fail on purpose');
    expect(failed).toMatchObject({ success: true, body: { error: { message: 'on purpose', component: 'obey' } } });
    expect((await send('failing', 'next')).body?.['text']).toEqual(['next\n\n']);
    expect(await status('failing')).toMatchObject({ state: 3, failedCount: 1, completedCount: 1 });
    await client.body('terminate', { token: 'failing' });
  });
});

describe('ttl', () => {
  it.each([2, 3])('of %d s ends an idle task after that time', async (ttl) => {
    const projectId = `idle ${ttl}`;
    const pipeline = await watched(projectId);
    await client.body('execute', { pipeline, token: projectId, ttl });
    await send(projectId, 'work');
    const idle = performance.now();
    await ended(projectId);
    const seconds = (performance.now() - idle) / 1000;
    expect(seconds).toBeGreaterThan(ttl - 0.5);
    expect(seconds).toBeLessThan(ttl + 2);
    expect(await status(projectId)).toMatchObject({ state: 6, exitCode: 0, exitMessage: `No data for ${ttl} s (ttl)` });
    expect(forbiddenMoves(statesSeen(client, projectId))).toEqual([]);
  });

  it('does not end a task that works, and 0 means never', async () => {
    const pipeline = await watched('busy');
    await client.body('execute', { pipeline: await watched('endless'), token: 'endless', ttl: 0 });
    await client.body('execute', { pipeline, token: 'busy', ttl: 3 });
    const opened = { subcommand: 'open', token: 'busy', object: {}, mimeType: 'text/plain' };
    const { pipe_id: id } = await client.body('mrext_process', opened);
    const from = performance.now();
    await eventually('some time has passed', () => performance.now() - from > 4500);
    expect(await status('busy')).toMatchObject({ state: 3 });
    expect(await status('endless')).toMatchObject({ state: 3 });
    await client.body('mrext_process', { subcommand: 'close', token: 'busy', pipe_id: id });
    await ended('busy');
    await client.body('terminate', { token: 'endless' });
  });
});

describe('restart', () => {
  it.each([
    ['by its token', { token: 'again' }],
    ['by its project and source', { token: '*', projectId: 'again', source: 'in' }],
  ])('%s keeps the token and never says completed', async (_, target) => {
    const pipeline = await watched('again');
    const started = await client.body('execute', { pipeline, token: 'again', ttl: 0 });
    const { startTime } = await status('again');
    await send('again', 'fail once');
    const before = client.events.length;
    const again = await client.body('restart', { ...target, pipeline: { ...pipeline, project_id: 'other' } });
    expect(again).toEqual(started);
    const events = client.events.slice(before);
    const updates = events.filter(({ event }) => event === 'apaevt_status_update').map(({ body }) => body);
    const own = updates.filter((body) => body?.['project_id'] === 'again');
    expect(own.filter((body) => body?.['completed'] !== false)).toEqual([]);
    expect(own.some((body) => body?.['status'] === 'Restarting')).toBe(true);
    expect(forbiddenMoves(own.map((body) => body?.['state'] as number).filter(changes))).toEqual([]);
    const actions = events.filter(({ event }) => event === 'apaevt_task').map(({ body }) => body?.['action']);
    expect(actions).toEqual(['restart']);
    expect(await status('again')).toMatchObject({ state: 3, startTime, totalCount: 0, errors: [], exitCode: 0 });
    expect((await send('again', 'works')).body?.['text']).toEqual(['works\n\n']);
    await client.body('terminate', { token: 'again' });
    expect(await status('again')).toMatchObject({ state: 6, completed: true });
  });

  it('with a pipeline that cannot start fails with the reason and ends the task', async () => {
    await client.body('execute', { pipeline: await watched('worse'), token: 'worse' });
    const pipeline = await watched('worse', { refuse: 'not again' });
    const answer = await client.call('restart', { token: 'worse', pipeline });
    expect(answer.message).toMatch(/^Failed to restart task: .*not again/);
    expect(await status('worse')).toMatchObject({ state: 6, completed: true, exitCode: 1 });
    expect(forbiddenMoves(statesSeen(client, 'worse'))).toEqual([]);
  });

  it('of something that does not run is refused', async () => {
    const refused = await client.call('restart', { projectId: 'nobody', source: 'in', pipeline: obeying });
    expect(refused).toMatchObject({ success: false, message: 'Your pipeline is not running' });
  });
});

function changes(state: number, at: number, all: readonly number[]): boolean {
  return state !== all[at - 1];
}
