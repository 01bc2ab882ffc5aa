import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatWith, echo, obeying } from './support/pipelines.js';
import { eventually } from './support/poll.js';
import { RawClient, type RawMessage } from './support/rawClient.js';
import { startScriptedModel } from './support/scriptedModel.js';
import { startServer, type TestServer } from './support/server.js';
import { componentsFolder } from './support/worker.js';

interface Flow {
  id: number;
  op: 'begin' | 'enter' | 'leave' | 'end';
  pipes: string[];
  trace: Record<string, unknown>;
  result?: Record<string, unknown>;
  project_id: string;
  source: string;
  seqNo: number;
}

let server: TestServer;
let client: RawClient;

beforeAll(async () => {
  server = await startServer({ args: ['--components', componentsFolder] });
});

afterAll(() => server.stop());

/** A connection of its own for each test, so that it hears nothing of the others. */
beforeEach(async () => {
  client = await RawClient.login(server.url, server.key);
  return async () => {
    const { tasks } = (await client.body('mrext_get_tasks')) as { tasks: { token: string }[] };
    for (const { token } of tasks) await client.body('terminate', { token });
    await client.close();
  };
});

async function start(pipeline: object, token: string, level?: string): Promise<void> {
  await client.body('execute', { pipeline, token, ttl: 0, pipelineTraceLevel: level });
}

function send(token: string, text: string, object: object = {}): Promise<Record<string, unknown>> {
  return client.body('mrext_process', { subcommand: 'send', token, object, mimeType: 'text/plain' }, text);
}

function flows(events: readonly RawMessage[] = client.events): Flow[] {
  return events.filter(({ event }) => event === 'apaevt_flow').map(({ body }) => body as unknown as Flow);
}

function status(token: string): Promise<Record<string, unknown>> {
  return client.body('mrext_get_task_status', { token });
}

/** The flow events of one object through the echo pipeline at one level. */
async function traced(level: string | undefined): Promise<Flow[]> {
  await start(echo, 'traced', level);
  await client.body('mrext_monitor', { token: 'traced', types: ['flow'] });
  await send('traced', 'some text', { name: 'a.txt' });
  if (level === undefined || level === 'none') await client.body('mrext_ping');
  else await client.event(({ body }) => body?.['op'] === 'end');
  return flows();
}

describe('the trace of an object', () => {
  it.each([undefined, 'none'])('at the level %s has no events', async (level) => {
    expect(await traced(level)).toEqual([]);
    expect(await status('traced')).toMatchObject({ componentStats: {}, slowestDocs: [], completionSeconds: 0 });
  });

  it.each(['metadata', 'summary', 'full'])('at the level %s follows the stack of components', async (level) => {
    const events = await traced(level);
    expect(events[0]).toMatchObject({ op: 'begin', pipes: ['a.txt'], trace: {}, source: 'in' });
    expect(events.at(-1)).toMatchObject({ op: 'end', pipes: [], project_id: 'echo-project' });
    const numbers = events.map(({ seqNo }) => seqNo);
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
    const stack: string[] = ['a.txt'];
    for (const { op, pipes, trace } of events.slice(1, -1)) {
      if (op === 'enter') stack.push(pipes.at(-1) ?? '');
      else stack.pop();
      expect(pipes).toEqual(stack);
      if (op === 'leave') expect(trace['result']).toBe('continue');
    }
    const lanes = events
      .filter(({ op, pipes }) => op === 'enter' && pipes.at(-1) === 'out')
      .map(({ trace }) => trace['lane']);
    expect(lanes).toEqual(['open', 'text', 'closing', 'close']);
  });

  it('at the level metadata has sizes only', async () => {
    const events = await traced('metadata');
    expect(textOf(events)).toEqual({ length: 9 });
    expect(events.at(-1)).toMatchObject({ op: 'end', trace: {} });
    expect(JSON.stringify(events)).not.toContain('some text');
  });

  it('at the level summary has the result of the object, but not what the components saw', async () => {
    const events = await traced('summary');
    expect(textOf(events)).toEqual({ length: 9 });
    const { trace, result } = events.at(-1) ?? {};
    expect(trace).toMatchObject({ name: 'a.txt', text: ['some text\n\n'] });
    expect(trace).not.toHaveProperty('objectId');
    expect(result).toEqual(trace);
  });

  it('at the level full has what the components saw', async () => {
    const events = await traced('full');
    expect(textOf(events)).toMatchObject({ text: 'some text' });
    expect(events.at(-1)?.trace).toMatchObject({ text: ['some text\n\n'] });
  });

  it('at the level full shortens long texts', async () => {
    await start(echo, 'long', 'full');
    await client.body('mrext_monitor', { token: 'long', types: ['flow'] });
    await send('long', 'x'.repeat(5000));
    await client.event(({ body }) => body?.['op'] === 'end');
    expect((textOf(flows())?.['text'] as string).length).toBe(2000);
  });

  it('shows which component failed and why', async () => {
    await start(obeying, 'failing', 'summary');
    await client.body('mrext_monitor', { token: 'failing', types: ['flow'] });
    await send('failing', 'fail on purpose');
    await client.event(({ body }) => body?.['op'] === 'end');
    const failed = flows().filter(({ trace }) => trace['result'] === 'error');
    expect(failed[0]).toMatchObject({
      op: 'leave',
      trace: { lane: 'text', error: expect.stringContaining('on purpose') },
    });
  });
});

/** What the response saw on the lane `text`. */
function textOf(events: readonly Flow[]): Record<string, unknown> | undefined {
  const entered = events.find(
    ({ op, pipes, trace }) => op === 'enter' && pipes.at(-1) === 'out' && trace['lane'] === 'text',
  );
  return entered?.trace['data'] as Record<string, unknown> | undefined;
}

describe('run analytics', () => {
  it('are exact after any number of objects', async () => {
    const count = 50;
    await start(obeying, 'counted', 'metadata');
    await client.body('mrext_monitor', { token: 'counted', types: ['flow'] });
    const names = Array.from({ length: count }, (_, at) => `${at} ${'n'.repeat(300)}`);
    await Promise.all(names.map((name, at) => send('counted', at % 10 === 0 ? 'fail it' : 'pass', { name })));
    await eventually('every end is seen', () => flows().filter(({ op }) => op === 'end').length === count);
    const run = await status('counted');
    expect(run).toMatchObject({ totalCount: count, completedCount: 45, failedCount: 5 });

    const entered = new Map<string, number>();
    for (const { op, pipes } of flows()) {
      const component = pipes.at(-1) ?? '';
      if (op === 'enter') entered.set(component, (entered.get(component) ?? 0) + 1);
    }
    const stats = run['componentStats'] as Record<string, { calls: number; totalSeconds: number; maxSeconds: number }>;
    expect(Object.keys(stats).sort()).toEqual(['in', 'obey', 'out']);
    for (const [component, { calls, totalSeconds, maxSeconds }] of Object.entries(stats)) {
      expect(calls, component).toBe(entered.get(component));
      expect(totalSeconds).toBeGreaterThanOrEqual(maxSeconds);
      expect(maxSeconds).toBeGreaterThanOrEqual(0);
    }

    const slowest = run['slowestDocs'] as { name: string; elapsed: number; beginTime: number; beginSeq: number }[];
    expect(slowest).toHaveLength(10);
    const elapsed = slowest.map((doc) => doc.elapsed);
    expect(elapsed).toEqual([...elapsed].sort((a, b) => b - a));
    const begins = new Map<number, string>();
    for (const { op, seqNo, pipes } of flows()) if (op === 'begin') begins.set(seqNo, pipes[0] ?? '');
    for (const { name, beginSeq, beginTime } of slowest) {
      expect(name).toHaveLength(200);
      expect(begins.get(beginSeq)?.startsWith(name)).toBe(true);
      expect(Math.abs(beginTime - Date.now() / 1000)).toBeLessThan(60);
    }
    expect(run['completionSeconds']).toBeGreaterThanOrEqual(elapsed.reduce((sum, each) => sum + each, 0) * 0.999);
  });

  it('count the time between completions as idle, also while it goes on', async () => {
    await start(echo, 'idle', 'metadata');
    expect(await status('idle')).toMatchObject({ idleSeconds: 0, idleLongestSeconds: 0, idleLongestAt: 0 });
    const before = Date.now() / 1000;
    await send('idle', 'first');
    const after = Date.now() / 1000;
    await eventually('half a second', () => Date.now() / 1000 - after > 0.5);
    const open = await status('idle');
    expect(open['idleSeconds']).toBeGreaterThan(0.4);
    await send('idle', 'second');
    const closed = await status('idle');
    expect(closed['idleSeconds']).toBeGreaterThanOrEqual(open['idleSeconds'] as number);
    expect(closed['idleLongestSeconds']).toBeGreaterThan(0.4);
    expect(closed['idleLongestAt']).toBeGreaterThanOrEqual(before);
    expect(closed['idleLongestAt']).toBeLessThan(after + 0.01);
  });
});

describe('subscriptions', () => {
  it('are answered with the present state before they are confirmed, once for each new kind', async () => {
    await start(echo, 'shown');
    await client.body('mrext_monitor', { token: 'shown', types: ['summary'] });
    expect(client.events).toEqual([
      expect.objectContaining({
        event: 'apaevt_status_update',
        id: 'shown.in',
        body: expect.objectContaining({ state: 3 }) as unknown,
      }),
    ]);
    client.events.length = 0;
    await client.body('mrext_monitor', { token: 'shown', types: ['summary', 'task'] });
    const running = client.events.filter(({ event }) => event === 'apaevt_task');
    expect(running).toEqual([
      expect.objectContaining({ body: expect.objectContaining({ action: 'running' }) as unknown }),
    ]);
    expect(running[0]?.body?.['tasks']).toEqual([
      { id: 'shown.in', name: 'shown.in.in', projectId: 'echo-project', source: 'in' },
    ]);
    client.events.length = 0;
    await client.body('mrext_monitor', { token: 'shown', types: ['task', 'summary'] });
    expect(client.events.filter(({ event }) => event === 'apaevt_task')).toEqual([]);
  });

  it('of a project that does not run are answered with that', async () => {
    await client.body('mrext_monitor', { projectId: 'nobody', source: 'in', types: ['summary'] });
    expect(client.events[0]).toMatchObject({
      event: 'apaevt_status_update',
      body: { state: 0, status: 'Not running', project_id: 'nobody', source: 'in' },
    });
  });

  it('with `since` go on where a reader stopped, without a gap and without repeating', async () => {
    await start(echo, 'resumed', 'summary');
    await client.body('mrext_monitor', { token: 'resumed', types: ['flow'] });
    await send('resumed', 'one');
    await client.event(({ body }) => body?.['op'] === 'end');
    const last = flows().at(-1)?.seqNo ?? 0;
    await client.close();

    const other = await RawClient.login(server.url, server.key);
    await other.body(
      'mrext_process',
      { subcommand: 'send', token: 'resumed', object: {}, mimeType: 'text/plain' },
      'two',
    );
    await other.body(
      'mrext_process',
      { subcommand: 'send', token: 'resumed', object: {}, mimeType: 'text/plain' },
      'three',
    );
    client = other;
    await eventually('the events are kept', async () => {
      client.events.length = 0;
      await client.body('mrext_monitor', { token: 'resumed', types: ['flow'], since: last });
      return flows().filter(({ op }) => op === 'end').length === 2;
    });
    const numbers = flows().map(({ seqNo }) => seqNo);
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
    expect(numbers[0]).toBeGreaterThan(last);
    const texts = flows()
      .filter(({ op }) => op === 'end')
      .map(({ result }) => result?.['text']);
    expect(texts).toEqual([['two\n\n'], ['three\n\n']]);
  });

  it('of one pipe bring the messages of its components', async () => {
    const model = await startScriptedModel([{ say: ['a', 'b', 'c'] }]);
    await start(chatWith(model.baseUrl), 'chatting');
    await client.body('mrext_monitor', { token: 'chatting', types: ['sse'], pipeId: 0 });
    const args = {
      subcommand: 'send',
      token: 'chatting',
      object: {},
      mimeType: 'application/rocketride-question',
      provider: 'chat',
    };
    const result = await client.body('mrext_process', args, JSON.stringify({ questions: [{ text: 'What?' }] }));
    expect(result['answers']).toEqual(['abc']);
    const deltas = client.events.filter(({ event, body }) => event === 'apaevt_sse' && body?.['type'] === 'delta');
    expect(deltas.map(({ body }) => (body?.['data'] as { text: string }).text).join('')).toBe('abc');
    await model.close();
  });
});

describe('the status', () => {
  it('keeps the newest 50 errors', async () => {
    await start(obeying, 'errors');
    for (let at = 0; at < 60; at++) await send('errors', `fail number ${at}.`);
    const { errors, failedCount } = (await status('errors')) as { errors: string[]; failedCount: number };
    expect(failedCount).toBe(60);
    expect(errors).toHaveLength(50);
    expect(errors[0]).toContain('number 10.');
    expect(errors.at(-1)).toContain('number 59.');
  });

  it('keeps the newest 50 warnings', async () => {
    const components = [
      { id: 'in', provider: 'webhook', config: {} },
      { id: 'parse', provider: 'parse', config: {}, input: [{ from: 'in', lane: 'tags' }] },
      { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'parse', lane: 'text' }] },
    ];
    await start({ project_id: 'warnings', source: 'in', components }, 'warnings');
    for (let at = 0; at < 60; at++) {
      const args = {
        subcommand: 'send',
        token: 'warnings',
        object: { name: `${at}.pdf` },
        mimeType: 'application/pdf',
      };
      await client.body('mrext_process', args, '%PDF-1.4 and nothing else');
    }
    const { warnings, errors } = (await status('warnings')) as { warnings: string[]; errors: string[] };
    expect(warnings).toHaveLength(50);
    expect(warnings.at(-1)).toContain('59.pdf');
    expect(errors).toEqual([]);
  });
});
