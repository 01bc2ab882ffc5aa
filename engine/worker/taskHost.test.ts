import { duplexPair } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { collect, type MakeInstance } from '../../test/support/runtime.js';
import { waitFor } from '../../test/support/waitFor.js';
import type { Component, StartedComponent } from '../runtime/component.js';
import type { RegisteredComponent } from '../runtime/registry.js';
import { decodeFlow } from './flowRecords.js';
import { FrameMemory } from './frameMemory.js';
import { FrameReader, FrameWriter, type Part, u32 } from './frames.js';
import { type Counters, counterNames, FromWorker, type StartMessage, ToWorker } from './messages.js';
import { TaskHost } from './taskHost.js';

interface Frame {
  kind: number;
  id: number;
  payload: Buffer;
}

const noCounts: Counters = {
  completedCount: 0,
  completedSize: 0,
  failedCount: 0,
  failedSize: 0,
  wordsCount: 0,
  wordsSize: 0,
};
const hosts: TaskHost[] = [];

afterEach(() => {
  for (const host of hosts.splice(0)) host.handle(ToWorker.stop, 0, Buffer.from('The test is over'));
});

function register(id: string, component: Component): RegisteredComponent {
  const control = { takes: {}, offers: [] };
  const definition = {
    id,
    title: id,
    description: '',
    classType: [],
    capabilities: [],
    lanes: {},
    control,
    config: {},
  };
  return { definition, load: () => Promise.resolve(component) };
}

/** A host with components of its own, spoken to over a pair of streams like over the channel of a process. */
class Channel {
  readonly frames: Frame[] = [];
  readonly exits: number[] = [];
  readonly host: TaskHost;
  private readonly writer: FrameWriter;
  private lastCall = 0;

  constructor(components: Record<string, StartedComponent | MakeInstance | Error>) {
    const [ours, theirs] = duplexPair();
    this.writer = new FrameWriter(ours, 1e9);
    const reader = new FrameReader((kind, id, payload) => this.frames.push({ kind, id, payload }), 1e9);
    ours.on('data', (chunk: Buffer) => reader.push(chunk));
    const registered = Object.entries(components).map(([id, given]) =>
      register(id, {
        start: () => {
          if (given instanceof Error) throw given;
          return typeof given === 'function' ? { pipe: given } : given;
        },
      }),
    );
    const memory = new FrameMemory();
    this.host = new TaskHost(new FrameWriter(theirs, 1e9), registered, { now: () => 1 }, memory, (code) =>
      this.exits.push(code),
    );
    const toHost = new FrameReader((kind, id, payload) => this.host.handle(kind, id, payload), 1e9, memory);
    theirs.on('data', (chunk: Buffer) => toHost.push(chunk));
    hosts.push(this.host);
  }

  /** Asks without waiting; gives the number of the call. */
  ask(kind: number, ...parts: Part[]): number {
    this.writer.post(kind, ++this.lastCall, ...parts);
    return this.lastCall;
  }

  post(kind: number, id: number): void {
    this.writer.post(kind, id);
  }

  async answer(call: number): Promise<Buffer> {
    const isAnswer = ({ kind, id }: Frame): boolean => id === call && kind <= FromWorker.fail;
    await waitFor(() => this.frames.some(isAnswer), `call ${call} is answered`);
    const { kind, payload } = this.frames.find(isAnswer) as Frame;
    if (kind === FromWorker.fail) throw Object.assign(new Error(), JSON.parse(payload.toString()));
    return payload;
  }

  start(ids: string[], given: Partial<StartMessage> = {}): Promise<Buffer> {
    const links = ids.slice(1).map((_, from) => ({ from, lane: 'text' as const, to: from + 1 }));
    const components = ids.map((id) => ({ id, provider: id, config: {} }));
    const message = {
      projectId: 'p',
      source: 0,
      components,
      links,
      controls: [],
      threads: 1,
      args: [],
      traceLevel: 'none',
    };
    return this.answer(this.ask(ToWorker.start, JSON.stringify({ ...message, ...given })));
  }

  open(name: string): number {
    return this.ask(ToWorker.open, openMessage(name));
  }

  send(name: string, text: string, dialect = 'spec'): number {
    const message = Buffer.from(openMessage(name, dialect));
    return this.ask(ToWorker.send, u32(message.length), message, text);
  }

  async result(call: number): Promise<Record<string, unknown>> {
    return JSON.parse((await this.answer(call)).toString()) as Record<string, unknown>;
  }

  /** The last counters that came before the answer to `call`. */
  countersBefore(call: number): Counters {
    const end = this.frames.findIndex(({ kind, id }) => id === call && kind <= FromWorker.fail);
    const frame = this.frames.slice(0, end).findLast(({ kind }) => kind === FromWorker.counters);
    if (frame === undefined) return noCounts;
    const values = counterNames.map((name, at) => [name, frame.payload.readDoubleLE(at * 8)]);
    return Object.fromEntries(values) as Counters;
  }
}

function openMessage(name: string, dialect = 'spec'): string {
  return JSON.stringify({ object: { name }, mimeType: 'text/plain', dialect });
}

const nothing: MakeInstance = () => ({});
const never: MakeInstance = () => ({ lanes: { text: () => new Promise(() => undefined) } });
const picky: MakeInstance = ({ emit, countWords }) => ({
  lanes: {
    text: (text) => {
      if (text === 'bad') throw new Error('no good');
      countWords(1, text.length);
      return emit.text(text);
    },
  },
});

describe('a task in its worker', () => {
  it('says how it started, then takes objects in one message or in several', async () => {
    const channel = new Channel({ in: { pipe: nothing, readyText: 'Come in', notes: ['n'] }, out: collect });
    const started = JSON.parse((await channel.start(['in', 'out'])).toString()) as unknown;
    expect(started).toEqual({ readyText: 'Come in', notes: ['n'], runs: false });
    const sent = await channel.result(channel.send('a', 'one', 'peer'));
    expect(sent).toMatchObject({ text: ['one'], result_types: { text: 'text' } });
    const pipe = await channel.answer(channel.open('b'));
    expect((await channel.answer(channel.ask(ToWorker.write, pipe, 'two ö'))).length).toBe(0);
    const closed = await channel.result(channel.ask(ToWorker.close, pipe));
    expect(closed).toMatchObject({ text: ['two ö'], result_types: ['text'] });
  });

  it('tells what an answer is about before the answer', async () => {
    const channel = new Channel({ in: nothing, picky, out: collect });
    await channel.start(['in', 'picky', 'out'], { traceLevel: 'summary' });
    const good = channel.send('a', 'good');
    await channel.answer(good);
    expect(channel.countersBefore(good)).toMatchObject({ completedCount: 1, completedSize: 4, wordsCount: 1 });
    const bad = channel.send('b', 'bad');
    expect(await channel.result(bad)).toMatchObject({ error: { message: 'no good', component: 'picky' } });
    expect(channel.countersBefore(bad)).toMatchObject({ completedCount: 1, failedCount: 1, failedSize: 3 });
    const before = channel.frames.slice(
      0,
      channel.frames.findIndex(({ id }) => id === bad),
    );
    const notes = before.filter(({ kind }) => kind === FromWorker.notes);
    expect(JSON.parse(notes.at(-1)?.payload.toString() ?? '')).toEqual({ errors: ['b: no good'], warnings: [] });
    const ops: string[] = [];
    for (const { kind, payload } of before) {
      if (kind === FromWorker.flow) decodeFlow(payload, ({ op, detail }) => op === 'begin' && ops.push(detail));
    }
    expect(ops).toEqual(['"a"', '"b"']);
  });

  it('names the component that refuses the start, and stops those that had started', async () => {
    const stopped: string[] = [];
    const first: StartedComponent = { pipe: nothing, stop: () => void stopped.push('in') };
    const channel = new Channel({ in: first, broken: new Error('no licence') });
    await expect(channel.start(['in', 'broken'])).rejects.toMatchObject({
      code: 'start_failed',
      message: 'Component "broken" (broken): no licence',
    });
    expect(stopped).toEqual(['in']);
    await expect(new Channel({ in: nothing }).start(['in', 'other'])).rejects.toMatchObject({
      code: 'provider_unknown',
      message: 'Component "other": unknown provider "other"',
    });
  });

  it.each([
    ['once the write is done, when its component only borrows them', true, true],
    ['never, when its component keeps them', undefined, false],
  ])('uses the memory of bytes again %s', async (_, borrowsBytes, again) => {
    const kept: { memory: unknown; first: number }[] = [];
    const keep: MakeInstance = () => ({
      lanes: {
        tags: (item) => {
          if (item.action === 'write') kept.push({ memory: item.data.buffer, first: item.data[0] ?? -1 });
        },
      },
    });
    const channel = new Channel({ in: nothing, keep: { pipe: keep, ...(borrowsBytes && { borrowsBytes }) } });
    await channel.start(['in', 'keep'], { links: [{ from: 0, lane: 'tags', to: 1 }] });
    const object = { object: { name: 'a' }, mimeType: 'application/octet-stream', dialect: 'spec' };
    const pipe = await channel.answer(channel.ask(ToWorker.open, JSON.stringify(object)));
    for (const byte of [1, 2, 3]) await channel.answer(channel.ask(ToWorker.write, pipe, Buffer.alloc(100_000, byte)));
    expect(kept.map(({ first }) => first)).toEqual([1, 2, 3]);
    expect(new Set(kept.map(({ memory }) => memory)).size).toBe(again ? 1 : 3);
  });

  it('answers a call about what is not there with an error, and nothing else suffers', async () => {
    const channel = new Channel({ in: nothing, out: collect });
    await expect(channel.answer(channel.open('early'))).rejects.toMatchObject({ code: 'internal' });
    await channel.start(['in', 'out']);
    await expect(channel.answer(channel.ask(ToWorker.write, u32(5), 'x'))).rejects.toMatchObject({
      code: 'pipe_not_found',
    });
    await expect(channel.answer(channel.ask(ToWorker.close, 'x'))).rejects.toMatchObject({ code: 'internal' });
    await expect(channel.answer(channel.ask(ToWorker.open, '{'))).rejects.toMatchObject({ code: 'internal' });
    expect(await channel.result(channel.send('a', 'fine'))).toMatchObject({ text: ['fine'] });
  });

  it('lets a waiting open be taken back, and answers it', async () => {
    const channel = new Channel({ in: nothing, out: collect });
    await channel.start(['in', 'out']);
    const pipe = await channel.answer(channel.open('a'));
    const waiting = channel.open('b');
    channel.post(ToWorker.cancel, waiting);
    await expect(channel.answer(waiting)).rejects.toMatchObject({ code: 'cancelled' });
    const next = channel.open('c');
    channel.post(ToWorker.cancel, 12345);
    await channel.answer(channel.ask(ToWorker.close, pipe));
    expect(await channel.answer(next)).toEqual(pipe);
  });

  it('answers an abandon when the object has been counted as failed', async () => {
    const channel = new Channel({ in: nothing, out: collect });
    await channel.start(['in', 'out']);
    const pipe = await channel.answer(channel.open('left'));
    const call = channel.ask(ToWorker.abandon, pipe, 'The client is gone');
    await channel.answer(call);
    expect(channel.countersBefore(call)).toMatchObject({ completedCount: 0, failedCount: 1 });
    expect(await channel.result(channel.send('next', 'x'))).toMatchObject({ text: ['x'] });
  });

  it('stops although a component hangs, after what started last has stopped first', async () => {
    const stopped: string[] = [];
    const part = (id: string, pipe: MakeInstance): StartedComponent => ({ pipe, stop: () => void stopped.push(id) });
    const channel = new Channel({ in: part('in', nothing), never: part('never', never) });
    await channel.start(['in', 'never']);
    const hanging = channel.send('a', 'x');
    const waiting = channel.open('b');
    const stop = channel.ask(ToWorker.stop, 'enough');
    await channel.answer(stop);
    expect(stopped).toEqual(['never', 'in']);
    expect(channel.exits).toEqual([0]);
    await expect(channel.answer(waiting)).rejects.toMatchObject({ code: 'task_stopping', message: 'enough' });
    expect(channel.frames.some(({ id }) => id === hanging)).toBe(false);
  });

  it('ends with its source, after the answer to the start', async () => {
    const source: StartedComponent = { pipe: nothing, run: () => Promise.resolve() };
    const channel = new Channel({ in: source });
    await channel.start(['in']);
    await waitFor(() => channel.frames.some(({ kind }) => kind === FromWorker.ended), 'the task ends');
    expect(channel.frames.map(({ kind }) => kind)).toEqual([FromWorker.ok, FromWorker.ended]);
    expect(JSON.parse(channel.frames[1]?.payload.toString() ?? '')).toEqual({ code: 0, message: '' });
  });

  it('reports a failure that no object can be blamed for, and exits', async () => {
    const channel = new Channel({ in: nothing });
    await channel.start(['in']);
    channel.host.crash(new Error('lost'));
    await waitFor(() => channel.frames.some(({ kind }) => kind === FromWorker.ended), 'the task ends');
    const { payload } = channel.frames.at(-1) as Frame;
    expect(JSON.parse(payload.toString())).toEqual({ code: 1, message: 'A component failed outside an object: lost' });
    expect(channel.exits).toEqual([1]);
  });
});
