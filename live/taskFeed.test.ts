import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MillraceClient } from '../client/typescript/src/index.js';
import { FakeEngine } from '../client/typescript/testing/fakeEngine.js';
import { FakeServer } from '../client/typescript/testing/fakeServer.js';
import type { FlowBody } from '../protocol/events.js';
import type { LiveChanges, ToLiveView } from '../protocol/liveView.js';
import { obeying } from '../test/support/pipelines.js';
import { eventually } from '../test/support/poll.js';
import { startServer, type TestServer } from '../test/support/server.js';
import { componentsFolder } from '../test/support/worker.js';
import { TaskFeed, type TaskFeedOptions } from './taskFeed.js';

const benchComponents = path.join(import.meta.dirname, '..', 'bench', 'components');

const chatter = {
  project_id: 'chatter-project',
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    {
      id: 'chatter',
      provider: 'bench_chatter',
      name: 'The noisy one',
      config: {},
      input: [{ from: 'in', lane: 'text' }],
    },
    { id: 'listener', provider: 'bench_listener', config: {}, input: [{ from: 'chatter', lane: 'text' }] },
  ],
};

/** A view that keeps what it is told. */
class Recorder {
  readonly messages: ToLiveView[] = [];
  /** When each `changes` came, in milliseconds. */
  readonly times: number[] = [];
  /** Held back while set. */
  blocked: Promise<void> | undefined;

  readonly post = (message: ToLiveView): Promise<void> | undefined => {
    this.messages.push(message);
    if (message.type === 'changes') this.times.push(performance.now());
    return this.blocked;
  };

  get changes(): LiveChanges[] {
    return this.messages.filter((message) => message.type === 'changes');
  }

  get flow(): FlowBody[] {
    return this.changes.flatMap(({ flow }) => flow);
  }

  get numbers(): number[] {
    return this.flow.map(({ seqNo }) => seqNo);
  }

  get lost(): { first: number; last: number }[] {
    return this.changes.flatMap(({ lost }) => lost);
  }

  get links(): string[] {
    return this.messages.flatMap((message) => (message.type === 'link' ? message.state.kind : []));
  }

  get names(): string[] {
    return this.messages.map(({ type }) => type);
  }

  ended(objects = 1): boolean {
    return this.flow.filter(({ op }) => op === 'end').length >= objects;
  }
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function connect(server: { url: string; key: string }, options: object = {}): Promise<MillraceClient> {
  const client = new MillraceClient({ uri: server.url, auth: server.key, ...options });
  await client.connect();
  cleanups.push(() => client.disconnect());
  return client;
}

function watch(client: MillraceClient, token: string, options: Partial<TaskFeedOptions> = {}) {
  const view = new Recorder();
  const feed = new TaskFeed({ client, token, connection: 'Local', hasFile: true, post: view.post, ...options });
  cleanups.push(() => feed.dispose());
  return { feed, view };
}

/** Numbers of the flow events that the server still has, in order. */
async function kept(client: MillraceClient, token: string): Promise<number[]> {
  const numbers: number[] = [];
  for (let since = 0; ;) {
    const { body } = await client.call('history', { token, types: ['flow'], since });
    const { events, last, newest } = body as { events: { body: FlowBody }[]; last: number; newest: number };
    numbers.push(...events.map((event) => event.body.seqNo));
    if (last >= newest) return numbers;
    since = last;
  }
}

function rising(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));
}

describe('the feed of a task on a real engine', () => {
  let server: TestServer;
  let token: string;
  let client: MillraceClient;

  beforeAll(async () => {
    server = await startServer({ args: ['--components', benchComponents] });
  });
  afterAll(() => server.stop());

  async function start(pipelineTraceLevel: 'metadata' | 'full' = 'metadata'): Promise<void> {
    client = await connect(server);
    const pipeline = { ...chatter, project_id: `project-${Math.random()}` };
    ({ token } = await client.use({ pipeline, pipelineTraceLevel, ttl: 0 }));
    cleanups.push(() => client.terminate(token).catch(() => undefined));
  }

  /** `perSecond` changes, four of five of them flow. */
  function chat(perSecond: number, seconds: number): Promise<unknown> {
    return client.send(token, JSON.stringify({ perSecond, seconds }), { name: 'chat' }, 'text/plain');
  }

  it('tells the task, its status and every flow event once and in order, ten times a second at most', async () => {
    await start();
    const { feed, view } = watch(client, token);
    await feed.start(0);
    await chat(12_500, 2);
    await eventually('the end of the object is told', () => view.ended());
    const first = view.messages[0];
    expect(first).toMatchObject({ type: 'task', token, connection: 'Local', hasFile: true, source: 'in' });
    expect(first).toMatchObject({ traceLevel: 'metadata' });
    expect(first).toMatchObject({
      components: [
        { id: 'in', provider: 'webhook', title: 'in', inputs: [], controls: [] },
        { id: 'chatter', title: 'The noisy one', inputs: [{ from: 'in', lane: 'text' }] },
        { id: 'listener' },
      ],
    });
    expect(view.links).toEqual(['live']);
    expect(view.changes.some(({ status }) => status?.state === 3)).toBe(true);
    expect(view.lost).toEqual([]);
    expect(view.numbers.length).toBeGreaterThan(1000);
    expect(view.numbers).toEqual(await kept(client, token));
    // Timers may fire a millisecond early.
    const gaps = view.times.slice(1).map((time, at) => time - (view.times[at] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(95);
  });

  it('hears nothing while the view is hidden, and is complete when it is shown again', async () => {
    await start();
    const { feed, view } = watch(client, token);
    await feed.start(0);
    const chatting = chat(5000, 2);
    await eventually('flow is told', () => view.flow.length > 100);
    feed.pause();
    const before = view.messages.length;
    await eventually('the server stops sending', async () => {
      let heard = 0;
      const stop = client.listen(() => (heard += 1));
      for (let turn = 0; turn < 5; turn++) await client.ping();
      stop();
      return heard === 0;
    });
    expect(view.messages).toHaveLength(before);
    await feed.resume();
    await chatting;
    await eventually('the end of the object is told', () => view.ended());
    expect(view.lost).toEqual([]);
    expect(view.numbers).toEqual(await kept(client, token));
    expect(view.names.filter((type) => type === 'task')).toHaveLength(1);
  });

  it('gives a view that comes later what it has not seen', async () => {
    await start();
    await chat(1000, 0.5);
    const { feed, view } = watch(client, token);
    await feed.start(0);
    await eventually('the past is told', () => view.ended());
    const all = view.numbers;
    const middle = all[Math.floor(all.length / 2)] ?? 0;
    await feed.start(middle);
    await eventually('the rest is told', () => view.ended(2));
    expect(view.numbers.slice(all.length)).toEqual(all.filter((number) => number > middle));
    expect(view.names.filter((type) => type === 'task')).toHaveLength(2);
  });

  it('says which numbers the server no longer has', async () => {
    await start('full');
    await chat(100_000, 3);
    const { feed, view } = watch(client, token);
    await feed.start(0);
    await eventually('the past is told', () => view.ended());
    const [first] = await kept(client, token);
    expect(first).toBeGreaterThan(1);
    expect(rising(view.numbers)).toBe(true);
    const [lost] = view.lost;
    expect(lost?.first).toBe(1);
    expect(lost?.last).toBeLessThan(view.numbers[0] ?? 0);
    expect(lost?.last).toBeGreaterThan((first ?? 0) - 100);
  });

  it('drops the oldest flow for a view that is too slow, and says so', async () => {
    await start();
    const { feed, view } = watch(client, token, { limits: { events: 200 } });
    await feed.start(0);
    await eventually('the status is told', () => view.changes.length > 0);
    let release = (): void => undefined;
    view.blocked = new Promise((resolve) => (release = resolve));
    await chat(2000, 1);
    const blockedAt = view.changes.length;
    expect(blockedAt).toBeLessThan(4);
    view.blocked = undefined;
    release();
    await eventually('the end of the object is told', () => view.ended());
    const told = new Set(view.numbers);
    const all = await kept(client, token);
    const missing = all.filter((number) => !told.has(number));
    expect(missing.length).toBeGreaterThan(500);
    const isLost = (number: number): boolean => view.lost.some(({ first, last }) => number >= first && number <= last);
    expect(missing.filter((number) => !isLost(number))).toEqual([]);
    expect(view.numbers.filter(isLost)).toEqual([]);
    expect(view.lost.length).toBeLessThan(5);
    expect(rising(view.numbers)).toBe(true);
  });

  it('tells the task anew when it is restarted, after all that came before', async () => {
    await start();
    const { feed, view } = watch(client, token);
    await feed.start(0);
    await chat(500, 0.2);
    const { components, ...rest } = await client.getPipeline(token);
    await client.restart({ token, pipeline: { ...rest, components, name: 'Another name' } });
    await eventually('the task is told again', () => view.names.filter((type) => type === 'task').length === 2);
    expect(view.messages.findLast(({ type }) => type === 'task')).toMatchObject({ name: 'Another name' });
    const restarted = view.messages.findLastIndex(({ type }) => type === 'task');
    const before = view.messages.slice(0, restarted).flatMap((each) => (each.type === 'changes' ? each.flow : []));
    expect(before.at(-1)).toMatchObject({ op: 'end' });
    await chat(500, 0.2);
    await eventually('the second run is told', () => view.ended(2));
    expect(view.numbers).toEqual(await kept(client, token));
    expect(view.links.at(-1)).toBe('live');
  });

  it('tells the end after everything else, also to a view that comes later', async () => {
    await start();
    const { feed, view } = watch(client, token);
    await feed.start(0);
    await chat(500, 0.2);
    await client.terminate(token);
    await eventually('the end is told', () => view.links.includes('ended'));
    expect(view.messages.at(-1)).toEqual({ type: 'link', state: { kind: 'ended' } });
    expect(view.changes.at(-1)?.status ?? view.changes.at(-2)?.status).toMatchObject({ completed: true });
    const later = watch(client, token);
    await later.feed.start(0);
    await eventually('the end is told', () => later.view.links.includes('ended'));
    expect(later.view.numbers).toEqual(view.numbers);
  });

  it('gives the trace of one object among others', async () => {
    await start();
    const others = chat(500, 1);
    await chat(100, 0.3);
    await others;
    const { slowestDocs } = await client.getTaskStatus(token);
    const { feed, view } = watch(client, token);
    const beginSeq = slowestDocs[1]?.beginSeq ?? 0;
    await feed.trace(beginSeq);
    const answer = view.messages[0];
    expect(answer).toMatchObject({ type: 'trace', beginSeq });
    const events = answer?.type === 'trace' ? answer.events : [];
    expect(events[0]).toMatchObject({ op: 'begin', seqNo: beginSeq });
    expect(events.at(-1)).toMatchObject({ op: 'end' });
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    await feed.trace(beginSeq + 1);
    expect(view.messages.at(-1)).toMatchObject({ type: 'traceLost', reason: expect.stringContaining('no longer') });
  });

  it('says what to do when there is no such task', async () => {
    client = await connect(server);
    const { feed, view } = watch(client, 'tk_of_nobody');
    await feed.start(0);
    expect(view.messages).toMatchObject([
      { type: 'link', state: { kind: 'failed', hint: expect.stringMatching(/./) } },
    ]);
  });
});

describe('the feed of a task', () => {
  it('tells errors and warnings as they come, each once', async () => {
    const server = await startServer({ args: ['--components', componentsFolder] });
    cleanups.push(() => server.stop());
    const client = await connect(server);
    const { token } = await client.use({ pipeline: obeying, ttl: 0 });
    const { feed, view } = watch(client, token);
    await client.send(token, 'fail early', { name: 'a' }, 'text/plain');
    await feed.start(0);
    await client.send(token, 'fail late', { name: 'b' }, 'text/plain');
    const errors = (): string[] => view.changes.flatMap((each) => each.errors.map(({ text }) => text));
    await eventually('both are told', () => errors().length >= 2);
    feed.pause();
    await client.send(token, 'fail unseen', { name: 'c' }, 'text/plain');
    await feed.resume();
    await eventually('the third is told', () => errors().length >= 3);
    expect(errors()).toEqual([
      expect.stringContaining('early'),
      expect.stringContaining('late'),
      expect.stringContaining('unseen'),
    ]);
  });

  it('says that the server is gone, and goes on when it and the task are back', async () => {
    const args = ['--components', benchComponents];
    const first = await startServer({ args });
    const again = { keys: [first.key], args: [...args, '--port', new URL(first.url).port] };
    let changed = (): void => undefined;
    const events: (() => void)[] = [];
    const tell = (event: () => void): void => {
      events.push(event);
      changed();
    };
    const client = await connect(first, {
      persist: true,
      onDisconnected: (reason: string) => tell(() => feed.connectionLost(reason)),
      onConnected: () => tell(() => void feed.connectionBack()),
    });
    const start = () => client.use({ pipeline: chatter, token: 'kept', ttl: 0, pipelineTraceLevel: 'metadata' });
    await start();
    const { feed, view } = watch(client, 'kept');
    changed = () => events.splice(0).forEach((event) => event());
    changed();
    await feed.start(0);
    await client.send('kept', JSON.stringify({ perSecond: 500, seconds: 0.2 }), {}, 'text/plain');
    await eventually('the first object is told', () => view.ended());
    await first.stop();
    await eventually('the loss is told', () => view.links.at(-1) === 'reconnecting');
    const second = await startServer(again);
    cleanups.push(() => second.stop());
    await eventually('the view hears that the task is gone', () => view.links.at(-1) === 'failed');
    await start();
    await feed.start(view.numbers.at(-1) ?? 0);
    await client.send('kept', JSON.stringify({ perSecond: 100, seconds: 0.2 }), {}, 'text/plain');
    await eventually('the second object is told', () => view.ended(2));
    expect(view.links.at(-1)).toBe('live');
  });

  it('tells an event once that comes live while it is read from the past', async () => {
    const server = new FakeServer();
    new FakeEngine(server);
    const flow = (seqNo: number) => ({ id: 0, op: 'begin', pipes: ['a'], trace: {}, seqNo, time: 1 });
    const past = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, at) => ({ event: 'apaevt_flow', body: flow(from + at) }));
    server.on('history', ({ args }) => {
      if (args.since !== 0) return { events: past(4, 6), last: 6, newest: 6 };
      for (const seqNo of [5, 6, 7]) server.broadcast('apaevt_flow', flow(seqNo));
      return { events: past(1, 3), last: 3, newest: 6 };
    });
    const client = new MillraceClient({ uri: 'localhost', auth: 'key', transport: server.transport });
    await client.connect();
    cleanups.push(() => client.disconnect());
    const { token } = await client.use({ pipeline: { project_id: 'p', source: 'source', components: [] } });
    const { feed, view } = watch(client, token);
    await feed.start(0);
    await eventually('all is told', () => view.numbers.includes(7));
    expect(view.numbers).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('shows the status of a task on a server that knows neither numbers nor the past', async () => {
    const server = new FakeServer({ dialect: 'peer' });
    const engine = new FakeEngine(server);
    const client = new MillraceClient({ uri: 'localhost', auth: 'key', transport: server.transport });
    await client.connect();
    cleanups.push(() => client.disconnect());
    const { token } = await client.use({ pipeline: { project_id: 'p', source: 'source', components: [] } });
    const { feed, view } = watch(client, token);
    await feed.start(0);
    const id = `${token.replace('tk_', '').slice(0, 8)}.source`;
    const status = { ...engine.tasks.get(token)?.status, completedCount: 7 };
    server.broadcast('apaevt_status_update', { ...status, __id: id }, id);
    server.broadcast('apaevt_status_update', { ...status, completedCount: 99 }, 'another.source');
    server.broadcast('apaevt_flow', { id: 0, op: 'begin', pipes: ['a'], trace: {} }, id);
    server.broadcast('apaevt_flow', { id: 0, op: 'end', pipes: [] }, id);
    server.broadcast('apaevt_flow', 'garbage', id);
    server.broadcast('apaevt_status_error', { message: 'broken' }, id);
    await eventually('all is told', () => view.ended());
    expect(view.messages[0]).toMatchObject({ type: 'task', components: [] });
    expect(view.changes.at(-1)).toMatchObject({ status: { completedCount: 7 }, errors: [{ text: 'broken' }] });
    expect(view.flow).toMatchObject([
      { op: 'begin', seqNo: 1 },
      { op: 'end', seqNo: 2, trace: {} },
    ]);
    await feed.trace(1);
    expect(view.messages.at(-1)).toMatchObject({ type: 'traceLost', beginSeq: 1 });
  });
});
