import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect, type MakeInstance, makeRuntime, pass } from '../../test/support/runtime.js';
import type { FeedEntry } from './component.js';

const nothing: MakeInstance = () => ({});
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const echo = { components: { in: nothing, out: collect }, links: ['in text out'] };

/** A component whose text handler waits until told to go on. */
function gated(): { make: MakeInstance; release: () => void; signals: AbortSignal[] } {
  const waiting: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  return {
    make: (context) => ({
      lanes: {
        text: () => {
          signals.push(context.signal);
          return new Promise<void>((resolve) => waiting.push(resolve));
        },
      },
    }),
    release: () => waiting.splice(0).forEach((go) => go()),
    signals,
  };
}

describe('the pipes of a task', () => {
  it('are made when needed, used again, and never more than its threads', async () => {
    const { runtime, open, close } = makeRuntime(echo, { threads: 2 });
    expect(runtime.totalPipes).toBe(0);
    const first = await open();
    await close(first);
    expect(await open()).toBe(first);
    expect(runtime.totalPipes).toBe(1);
    expect(await open()).toBe(1);
    expect(runtime.openPipes).toBe(2);
  });

  it('go to those who wait, first come first served', async () => {
    const { open, close } = makeRuntime(echo, { threads: 1 });
    const order: number[] = [];
    const pipe = await open();
    const waiting = [0, 1, 2].map(async (number) => {
      const given = await open();
      order.push(number);
      await later();
      await close(given);
    });
    await later();
    expect(order).toEqual([]);
    await close(pipe);
    await Promise.all(waiting);
    expect(order).toEqual([0, 1, 2]);
  });

  it('pass over an open that was taken back, which fails', async () => {
    const { runtime, open, close } = makeRuntime(echo, { threads: 1 });
    const pipe = await open();
    const outcomes: unknown[] = [];
    const cancel = runtime.open({}, 'lane/text', (error) => outcomes.push(error?.code));
    const next = open();
    cancel?.();
    cancel?.();
    expect(outcomes).toEqual(['cancelled']);
    await close(pipe);
    expect(await next).toBe(pipe);
    cancel?.();
    expect(outcomes).toHaveLength(1);
  });

  it('stay free when thousands of waiting objects are refused in a row', async () => {
    const { open, close, ended } = makeRuntime(echo, { threads: 1 });
    const pipe = await open();
    const refused = Array.from({ length: 10_000 }, () => open({}, 'lane/nothing').catch((error: unknown) => error));
    const last = open();
    await close(pipe);
    expect(new Set((await Promise.all(refused)).map((error) => (error as { code: string }).code))).toEqual(
      new Set(['invalid_argument']),
    );
    expect(await last).toBe(pipe);
    expect(ended).toHaveLength(10_001);
  });

  it('are unknown before open and after close', async () => {
    const { open, write, close } = makeRuntime(echo);
    await expect(write(0, 'x')).rejects.toMatchObject({
      code: 'pipe_not_found',
      message: 'Write pipe with id 0 not found',
    });
    const pipe = await open();
    await close(pipe);
    await expect(write(pipe, 'x')).rejects.toMatchObject({ code: 'pipe_not_found' });
    await expect(close(pipe)).rejects.toMatchObject({
      code: 'pipe_not_found',
      message: 'Close pipe with id 0 not found',
    });
  });

  it('run one operation after the other, and a second close finds nothing', async () => {
    const gate = gated();
    const { open, write, close } = makeRuntime({
      components: { in: nothing, gate: gate.make, out: collect },
      links: ['in text gate', 'in text out'],
    });
    const pipe = await open();
    const done: string[] = [];
    const all = [
      write(pipe, 'a').then(() => done.push('a')),
      write(pipe, 'b').then(() => done.push('b')),
      close(pipe).then(({ text }) => done.push(`close ${String(text)}`)),
      close(pipe).catch(() => done.push('second close')),
      write(pipe, 'c').catch(() => done.push('late write')),
    ];
    await later();
    expect(done).toEqual(['second close', 'late write']);
    for (let turn = 0; turn < 2; turn++) {
      gate.release();
      await later();
    }
    await Promise.all(all);
    expect(done.slice(2)).toEqual(['a', 'b', 'close a,b']);
  });
});

describe('an abandoned object', () => {
  it('fails with the reason once its operation returns, and its component is told at once', async () => {
    const gate = gated();
    const { runtime, open, write, ended } = makeRuntime(
      { components: { in: nothing, gate: gate.make }, links: ['in text gate'] },
      { threads: 1 },
    );
    const pipe = await open({ name: 'left' });
    const writing = write(pipe, 'x');
    const next = open({ name: 'next' });
    let gone = false;
    runtime.abandon(pipe, 'nobody wants it', () => (gone = true));
    expect(gate.signals[0]?.aborted).toBe(true);
    expect(gone).toBe(false);
    gate.release();
    await writing;
    expect(await next).toBe(pipe);
    expect(gone).toBe(true);
    expect(ended).toEqual([{ name: 'left', size: 1, error: 'nobody wants it' }]);
    const fresh = write(pipe, 'y');
    expect(gate.signals[1]?.aborted).toBe(false);
    gate.release();
    await fresh;
  });

  it('that has ended already is no failure', () => {
    const { runtime } = makeRuntime(echo);
    let gone = false;
    runtime.abandon(3, 'nobody', () => (gone = true));
    expect(gone).toBe(true);
  });
});

describe('a source that makes its own objects', () => {
  const entry = (name: string): FeedEntry => ({ name, url: `made://${name}`, mimeType: 'lane/text', size: 9 });

  it('hands them over one after another as pipes are free', async () => {
    const seen: unknown[] = [];
    const { runtime, ended } = makeRuntime(
      {
        components: { in: nothing, a: pass, out: () => ({ lanes: { text: (text) => void seen.push(text) } }) },
        links: ['in text a', 'a text out'],
      },
      { threads: 2 },
    );
    const feed = runtime.feed();
    await Promise.all(
      ['1', '2', '3', '4'].map((name) => feed.object(entry(name), (writer) => writer.write(Buffer.from(name)))),
    );
    expect(seen.sort()).toEqual(['1', '2', '3', '4']);
    expect(runtime.totalPipes).toBe(2);
    expect(ended).toContainEqual({ name: '3', size: 9, error: undefined });
  });

  it('goes on when a component refuses or fails one, or when it cannot read one itself', async () => {
    const picky: MakeInstance = () => ({
      open: ({ name }) => {
        if (name === 'refused') throw new Error('not this');
      },
      lanes: {
        text: (text) => {
          if (text === 'failed') throw new Error('not that');
        },
      },
    });
    const { runtime, ended } = makeRuntime(
      { components: { in: nothing, picky }, links: ['in text picky'] },
      { threads: 1 },
    );
    const feed = runtime.feed();
    for (const name of ['refused', 'failed', 'unread', 'fine']) {
      await feed.object(entry(name), async (writer) => {
        if (name === 'unread') throw new Error('the file is gone');
        await writer.write(Buffer.from(name));
      });
    }
    expect(ended.map(({ name, error }) => [name, error])).toEqual([
      ['refused', 'not this'],
      ['failed', 'not that'],
      ['unread', 'the file is gone'],
      ['fine', undefined],
    ]);
  });
});

describe('the stop of a task', () => {
  it('refuses those who wait, tells those who work, and disposes of every instance', async () => {
    const gate = gated();
    let disposed = 0;
    const clumsy: MakeInstance = () => ({
      dispose: () => {
        disposed++;
        throw new Error('stuck');
      },
    });
    const { runtime, open, write, warnings } = makeRuntime(
      { components: { in: nothing, gate: gate.make, clumsy, other: clumsy }, links: ['in text gate'] },
      { threads: 1 },
    );
    const pipe = await open();
    void write(pipe, 'x');
    const waiting = open();
    const stopping = runtime.stop('enough');
    await expect(waiting).rejects.toMatchObject({ code: 'task_stopping', message: 'enough' });
    expect(gate.signals[0]?.aborted).toBe(true);
    await stopping;
    expect(disposed).toBe(2);
    expect(warnings).toEqual(Array(2).fill('A component did not clean up: stuck'));
    await expect(open()).rejects.toMatchObject({ code: 'task_stopping' });
  });
});

describe('whatever the order of requests', () => {
  const step = fc.record({
    kind: fc.constantFrom('open', 'write', 'fail', 'close', 'abandon', 'cancel', 'tick'),
    which: fc.nat(5),
  });

  it('each settles once, no more pipes than threads are open, and no pipe has two objects', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), async (steps, threads) => {
        const inPipe = new Map<number, number>();
        let most = 0;
        const component: MakeInstance = (context) => ({
          open: async (object) => {
            inPipe.set(context.index, (inPipe.get(context.index) ?? 0) + 1);
            most = Math.max(most, ...inPipe.values(), 0);
            if (object.name.endsWith('3')) await later();
            if (object.name.endsWith('5')) throw new Error('refused');
          },
          lanes: {
            text: async (text) => {
              await later();
              if (text === 'fail') throw new Error('failed');
              context.result.append('text', 'text', `${context.object.name} ${text}`);
            },
          },
          close: () => void inPipe.set(context.index, (inPipe.get(context.index) ?? 0) - 1),
        });
        const { runtime, ended } = makeRuntime(
          { components: { in: nothing, c: component }, links: ['in text c'] },
          { threads },
        );
        const settled: number[] = [];
        const cancels: (() => void)[] = [];
        const open = new Map<number, string>();
        const problems: string[] = [];
        let begun = 0;
        const request = (): number => settled.push(0) - 1;
        const settle = (id: number): unknown => (settled[id] = (settled[id] ?? 0) + 1);
        const close = (pipe: number): void => {
          const name = open.get(pipe);
          open.delete(pipe);
          const id = request();
          runtime.close(pipe, (error, result) => {
            settle(id);
            if (error !== undefined || name === undefined) return;
            const texts = (result?.text ?? []) as string[];
            if (texts.some((text) => !text.startsWith(`${name} `))) problems.push(`${name} got ${texts.join()}`);
          });
        };
        for (const { kind, which } of steps) {
          // A pipe that was given, or one that nobody has: a number is only known once its open is answered.
          const pipe = [...open.keys()][which % Math.max(1, open.size)] ?? 1000 + which;
          if (kind === 'open') {
            const id = request();
            const name = `object ${begun++}`;
            const cancel = runtime.open({ name }, 'lane/text', (error, given) => {
              settle(id);
              if (error !== undefined) return;
              if (open.has(given as number)) problems.push(`pipe ${given} was given twice`);
              open.set(given as number, name);
            });
            if (cancel !== undefined) cancels.push(cancel);
          } else if (kind === 'write' || kind === 'fail') {
            const id = request();
            runtime.write(pipe, Buffer.from(kind), () => settle(id));
          } else if (kind === 'close') close(pipe);
          else if (kind === 'abandon') {
            open.delete(pipe);
            const id = request();
            runtime.abandon(pipe, 'gone', () => settle(id));
          } else if (kind === 'cancel') cancels[which]?.();
          else await later();
          if (runtime.openPipes > threads || runtime.totalPipes > threads) problems.push('too many pipes');
        }
        for (let turn = 0; turn < 300 && settled.includes(0); turn++) {
          for (const pipe of [...open.keys()]) close(pipe);
          await later();
        }
        for (const pipe of [...open.keys()]) close(pipe);
        await later();
        expect(problems).toEqual([]);
        expect(settled.filter((times) => times !== 1)).toEqual([]);
        expect(most).toBeLessThanOrEqual(1);
        expect([...inPipe.values()].filter((objects) => objects !== 0)).toEqual([]);
        expect(runtime.openPipes).toBe(0);
        expect(ended.length).toBeLessThanOrEqual(begun);
      }),
      { numRuns: 150 },
    );
  });
});
