import { describe, expect, it } from 'vitest';
import { collect, makeRuntime, type MakeInstance, noting, pass } from '../../test/support/runtime.js';
import type { InvokeItem } from './flow.js';

const nothing: MakeInstance = () => ({});
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** in → a, b → join: what reaches `join` has to be flushed by both. */
const diamond = (log: string[]) => ({
  components: {
    in: nothing,
    a: noting(log, 'a'),
    b: noting(log, 'b'),
    join: noting(log, 'join'),
    out: collect,
  },
  links: ['in text a', 'in text b', 'a text join', 'b text join', 'join text out'],
});

describe('the life of an object', () => {
  it('opens in order, writes depth first, flushes a component after all above it, and closes', async () => {
    const log: string[] = [];
    const { run } = makeRuntime(diamond(log));
    const result = await run('x');
    expect(log).toEqual([
      ...['a.open', 'b.open', 'join.open'],
      ...['a(x)', 'join(x)', 'b(x)', 'join(x)'],
      ...['a.closing', 'join(rest of a)', 'b.closing', 'join(rest of b)', 'join.closing'],
      ...['a.close', 'b.close', 'join.close'],
    ]);
    expect(result.text).toEqual(['x', 'x', 'rest of a', 'rest of b', 'rest of join']);
  });

  it('is the same when components are asynchronous', async () => {
    const sync: string[] = [];
    const slow: string[] = [];
    await makeRuntime(diamond(sync)).run('x', 'y');
    const graph = diamond(slow);
    const delayed: MakeInstance = (context) => {
      const inner = noting(slow, 'a')(context);
      return {
        open: async () => (await later(), inner.open?.(context.object)),
        lanes: { text: async (text) => (await later(), inner.lanes?.text?.(text)) },
        closing: async () => (await later(), inner.closing?.()),
        close: async () => (await later(), inner.close?.()),
      };
    };
    await makeRuntime({ ...graph, components: { ...graph.components, a: delayed } }).run('x', 'y');
    expect(slow).toEqual(sync);
  });

  it('never leaves the tick while components are synchronous', () => {
    const log: string[] = [];
    const { runtime } = makeRuntime(diamond(log));
    let result: unknown;
    runtime.open({ name: 'n' }, 'lane/text', (_, pipe) => {
      runtime.write(pipe as number, Buffer.from('x'), () => log.push('written'));
      runtime.close(pipe as number, (__, value) => (result = value));
    });
    expect(log.at(-1)).toBe('join.close');
    expect(log).toContain('written');
    expect(result).toMatchObject({ objectId: 'of null://Stream/n' });
  });

  it('leaves nothing of one object to the next', async () => {
    const seen: string[] = [];
    const keeper: MakeInstance = (context) => {
      let kept = '';
      return {
        lanes: { text: (text) => void (kept += text) },
        closing: () => {
          seen.push(`${context.object.name}:${kept}`);
          context.result.append('text', 'text', kept);
        },
        close: () => void (kept = ''),
      };
    };
    const { open, write, close } = makeRuntime({ components: { in: nothing, k: keeper }, links: ['in text k'] });
    for (const name of ['one', 'two']) {
      const pipe = await open({ name });
      await write(pipe, name);
      expect((await close(pipe)).text).toEqual([name]);
    }
    expect(seen).toEqual(['one:one', 'two:two']);
  });
});

describe('an emit', () => {
  it('reaches its receivers in file order, each after the one before has taken it', async () => {
    const log: string[] = [];
    const slow: MakeInstance = () => ({
      lanes: {
        text: async (text) => {
          log.push(`slow begins ${text}`);
          await later();
          log.push(`slow ends ${text}`);
        },
      },
    });
    const { run } = makeRuntime({
      components: { in: nothing, slow, quick: noting(log, 'quick') },
      links: ['in text slow', 'in text quick'],
    });
    await run('x');
    expect(log.slice(1, 4)).toEqual(['slow begins x', 'slow ends x', 'quick(x)']);
  });

  it('stops at the first receiver that fails', async () => {
    const log: string[] = [];
    const failing: MakeInstance = () => ({
      lanes: {
        text: () => {
          throw new Error('no');
        },
      },
    });
    const { run } = makeRuntime({
      components: { in: nothing, failing, next: noting(log, 'next') },
      links: ['in text failing', 'in text next'],
    });
    expect((await run('x')).error).toMatchObject({ message: 'no', component: 'failing' });
    expect(log).toEqual(['next.open', 'next.close']);
  });

  it('is the only way on: what a component does not pass on ends there', async () => {
    const log: string[] = [];
    const { run } = makeRuntime({
      components: { in: nothing, sink: () => ({ lanes: { text: () => undefined } }), next: noting(log, 'next') },
      links: ['in text sink', 'sink text next'],
    });
    await run('x');
    expect(log).not.toContain('next(x)');
  });

  it('goes nowhere without a listener, which a component can ask for', async () => {
    let asked: boolean[] = [];
    const source: MakeInstance = ({ emit, listens }) => ({
      lanes: { text: () => ((asked = [listens('text'), listens('table')]), emit.table('| a |')) },
    });
    const { run } = makeRuntime({
      components: { in: nothing, s: source, out: collect },
      links: ['in text s', 's text out'],
    });
    expect(await run('x')).toEqual({ objectId: 'of null://Stream/object' });
    expect(asked).toEqual([true, false]);
  });

  it('slows its sender: a write is answered when the slowest receiver has taken it', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const { open, write, close } = makeRuntime({
      components: { in: nothing, mid: pass, slow: () => ({ lanes: { text: () => gate } }) },
      links: ['in text mid', 'mid text slow'],
    });
    const pipe = await open();
    let written = false;
    const writing = write(pipe, 'x').then(() => (written = true));
    await later();
    expect(written).toBe(false);
    release();
    await writing;
    await close(pipe);
  });

  it('waits for whatever can be waited for', async () => {
    const log: string[] = [];
    const thenable = { then: (resolve: () => void) => setImmediate(() => (log.push('taken'), resolve())) };
    const { run } = makeRuntime({
      components: { in: nothing, odd: () => ({ lanes: { text: () => thenable as unknown as Promise<void> } }) },
      links: ['in text odd'],
    });
    expect(await run('x')).toEqual({ objectId: 'of null://Stream/object' });
    expect(log).toEqual(['taken']);
  });
});

describe('a failure', () => {
  const failingAt = (where: string, log: string[]): MakeInstance => {
    return ({ emit }) => {
      const at = (name: string): void => {
        log.push(name);
        if (where.split(' ').includes(name)) throw new Error(`${name} failed`);
      };
      return {
        open: () => at('open'),
        lanes: { text: (text) => (at('text'), emit.text(text)) },
        closing: () => at('closing'),
        close: () => at('close'),
      };
    };
  };
  const line = (where: string, log: string[], after: string[] = []) => ({
    components: { in: nothing, bad: failingAt(where, log), next: noting(after, 'next'), out: collect },
    links: ['in text bad', 'bad text next', 'next text out'],
  });

  it.each([
    ['open', ['open', 'close']],
    ['text', ['open', 'text', 'close']],
    ['closing', ['open', 'text', 'closing', 'close']],
    ['close', ['open', 'text', 'closing', 'close']],
    ['text close', ['open', 'text', 'close']],
  ])('in %s is kept on the result, skips the flush and never the close', async (where, calls) => {
    const log: string[] = [];
    const after: string[] = [];
    const { run, open, ended } = makeRuntime(line(where, log, after));
    const message = `${where.split(' ')[0]} failed`;
    if (where === 'open') {
      await expect(open({ name: 'object' })).rejects.toMatchObject({ message, code: 'component_failed' });
    } else {
      const result = await run('x');
      expect(result.error).toEqual({ message, code: 'component_failed', component: 'bad' });
      if (where.startsWith('text')) expect(after).not.toContain('next.closing');
    }
    expect(log).toEqual(calls);
    expect(after.at(-1)).toBe('next.close');
    expect(ended).toEqual([{ name: 'object', size: where === 'open' ? 0 : 1, error: message }]);
  });

  it('is the first one, and later writes are refused until the close', async () => {
    const log: string[] = [];
    const { open, write, close } = makeRuntime(line('text close', log));
    const pipe = await open();
    await expect(write(pipe, 'x')).rejects.toThrow('text failed');
    await expect(write(pipe, 'y')).rejects.toMatchObject({ code: 'pipe_failed' });
    expect((await close(pipe)).error?.message).toBe('text failed');
    expect(log.filter((call) => call === 'text')).toHaveLength(1);
  });

  it('of one object leaves the next one alone', async () => {
    let first = true;
    const once: MakeInstance = ({ emit }) => ({
      lanes: {
        text: async (text) => {
          await later();
          if (first) {
            first = false;
            throw new Error('once');
          }
          await emit.text(text);
        },
      },
    });
    const { run, ended } = makeRuntime(
      { components: { in: nothing, once, out: collect }, links: ['in text once', 'once text out'] },
      { threads: 1 },
    );
    expect((await run('x')).error?.message).toBe('once');
    expect(await run('x')).toEqual({ objectId: expect.any(String), result_types: { text: 'text' }, text: ['x'] });
    expect(ended.map(({ error }) => error)).toEqual(['once', undefined]);
  });

  it('names the component it came out of first, however deep', async () => {
    const deep: MakeInstance = () => ({ lanes: { text: () => Promise.reject(new Error('deep')) } });
    const { run } = makeRuntime({
      components: { in: nothing, a: pass, b: pass, deep },
      links: ['in text a', 'a text b', 'b text deep'],
    });
    expect((await run('x')).error).toMatchObject({ component: 'deep', message: 'deep' });
  });

  it('caught by the sender does not fail the object', async () => {
    const careful: MakeInstance = ({ emit }) => ({
      lanes: {
        text: async (text) => {
          try {
            await emit.text(text);
          } catch {
            // The next one may do better.
          }
        },
      },
    });
    const log: string[] = [];
    const { run } = makeRuntime({
      components: { in: nothing, careful, bad: failingAt('text', log) },
      links: ['in text careful', 'careful text bad'],
    });
    expect((await run('x')).error).toBeUndefined();
    expect(log).toContain('closing');
  });
});

describe('embedded objects', () => {
  /** `name=a|b` queues children a and b; a child named `x>y` queues y in turn. */
  const archive: MakeInstance = (context) => {
    const queue = (name: string): void => {
      const [own = '', ...inner] = name.split('>');
      context.queueChild({ name: own, mimeType: 'text/plain', size: own.length }, async () => {
        for (const nested of inner) queue(nested);
        await context.emit.text(`in ${own}`);
      });
    };
    return {
      lanes: {
        text: async (text) => {
          await context.emit.text('outer');
          for (const name of text.split('|')) queue(name);
        },
      },
    };
  };
  const graph = (log: string[]) => ({
    components: {
      in: nothing,
      archive,
      text: ((context) => ({
        open: (info) => void log.push(`open ${info.name}`),
        lanes: {
          text: (text) => {
            log.push(`${context.object.name} (${context.object.path}): ${text}`);
            if (text === 'in bad') throw new Error('bad child');
            context.result.append('text', 'text', text);
          },
        },
        closing: () => void log.push(`closing ${context.object.name}`),
        close: () => {
          log.push(`close ${context.object.name}`);
          context.result.set('name', context.object.name);
        },
      })) satisfies MakeInstance,
    },
    links: ['in text archive', 'archive text text'],
  });

  it('go one by one through what is downstream, once their object has flushed, into the same result', async () => {
    const log: string[] = [];
    const { run, ended } = makeRuntime(graph(log));
    const result = await run('a|b');
    expect(log).toEqual([
      ...['open object', 'object (): outer', 'closing object', 'close object'],
      ...['open object/a', 'object/a (object): in a', 'closing object/a', 'close object/a'],
      ...['open object/b', 'object/b (object): in b', 'closing object/b', 'close object/b'],
    ]);
    expect(result).toMatchObject({
      name: 'object',
      text: ['outer', 'in a', 'in b'],
      objects: [{ name: 'object/a' }, { name: 'object/b' }],
    });
    expect(ended.map(({ name, size }) => [name, size])).toEqual([
      ['object', 3],
      ['object/a', 1],
      ['object/b', 1],
    ]);
  });

  it('may hold others, which know where they come from', async () => {
    const log: string[] = [];
    const { run } = makeRuntime(graph(log));
    const result = await run('a>b');
    expect(result.text).toEqual(['outer', 'in a', 'in b']);
    expect(log).toContain('object/a/b (object/a): in b');
    const ids = (result.objects as { objectId: string }[]).map(({ objectId }) => objectId);
    expect(ids).toEqual(['of null://Stream/object/a', 'of null://Stream/object/a/b']);
  });

  it('fail alone: the next one runs, and both are told apart', async () => {
    const log: string[] = [];
    const { run, ended } = makeRuntime(graph(log));
    const result = await run('bad|good');
    expect(result.text).toEqual(['outer', 'in good']);
    expect(result.error?.message).toBe('bad child');
    expect(result.objects).toMatchObject([{ name: 'object/bad', error: 'bad child' }, { name: 'object/good' }]);
    expect(log).toContain('close object/bad');
    expect(log).not.toContain('closing object/bad');
    expect(ended.map(({ name, error }) => [name, error])).toEqual([
      ['object', undefined],
      ['object/bad', 'bad child'],
      ['object/good', undefined],
    ]);
  });
});

describe('a control link', () => {
  const model: MakeInstance = () => ({
    offers: {
      memory: {
        put: () => undefined,
        get: (key) => Promise.resolve(`value of ${key}`),
        list: () => ['a'],
        clear: () => {
          throw new Error('read only');
        },
      },
    },
  });
  const agent: MakeInstance = ({ controls, result }) => ({
    lanes: {
      text: async () => {
        const [memory] = controls('memory');
        result.append('text', 'text', [memory?.id, await memory?.offer.get('k'), memory?.offer.list()]);
        await memory?.offer.clear();
      },
    },
  });
  const graph = {
    components: { memory: model, in: nothing, agent },
    links: ['in text agent'],
    controls: ['agent memory memory'],
    source: 'in',
  };

  it('lets a component call what it controls, with answers and errors as they are', async () => {
    const result = await makeRuntime(graph).run('x');
    expect(result.text).toEqual([['memory', 'value of k', ['a']]]);
    expect(result.error).toMatchObject({ message: 'read only', component: 'memory' });
  });

  it('shows in the flow like any other call', async () => {
    const { run, flow } = makeRuntime(graph, { traced: true });
    await run('x');
    const at = flow?.lines.indexOf('enter agent text') ?? 0;
    expect(flow?.lines.slice(at, at + 8)).toEqual([
      'enter agent text',
      'enter memory invoke',
      'leave memory invoke',
      'enter memory invoke',
      'leave memory invoke',
      'enter memory invoke',
      'leave memory invoke read only',
      'leave agent text read only',
    ]);
    const invoked = flow?.items.filter((item) => item !== undefined && typeof item === 'object') as InvokeItem[];
    expect(invoked.map(({ operation, parameter }) => [operation, parameter])).toEqual([
      ['get', 'k'],
      ['list', undefined],
      ['clear', undefined],
    ]);
  });
});

describe('the flow', () => {
  it('shows every structural call too, in matching pairs', async () => {
    const log: string[] = [];
    const { run, flow } = makeRuntime(
      { components: { in: nothing, a: pass, out: collect }, links: ['in text a', 'a text out'] },
      { traced: true },
    );
    await run('x');
    expect(flow?.lines).toEqual([
      'begin 0 object',
      ...['in', 'a', 'out'].flatMap((id) => [`enter ${id} open`, `leave ${id} open`]),
      ...['enter a text', 'enter out text', 'leave out text', 'leave a text'],
      ...['in', 'a', 'out'].flatMap((id) => [`enter ${id} closing`, `leave ${id} closing`]),
      ...['in', 'a', 'out'].flatMap((id) => [`enter ${id} close`, `leave ${id} close`]),
      'end 0',
    ]);
    expect(log).toEqual([]);
  });

  it('keeps the components an object is in as a stack', async () => {
    const seen: string[][] = [];
    const test = makeRuntime(
      {
        components: {
          in: nothing,
          a: pass,
          look: () => ({ lanes: { text: () => void seen.push(...Object.values(test.runtime.stacks())) } }),
        },
        links: ['in text a', 'a text look'],
      },
      { traced: true },
    );
    await test.run('x');
    expect(seen).toEqual([['object', 'a', 'look']]);
    expect(test.runtime.stacks()).toEqual({ 0: [] });
  });
});
