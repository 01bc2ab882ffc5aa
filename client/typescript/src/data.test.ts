import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createError } from './errors.js';
import { FakeEngine } from '../testing/fakeEngine.js';
import { FakeServer, type FakeServerOptions } from '../testing/fakeServer.js';
import { Answer, MillraceClient, Question } from './index.js';

const mib = 1024 * 1024;

const start = async (options: FakeServerOptions = {}) => {
  const server = new FakeServer(options);
  const engine = new FakeEngine(server);
  const client = new MillraceClient({ auth: 'key', transport: server.transport });
  await client.connect();
  const { token } = await client.use({ pipeline: { components: [] }, token: 'T1' });
  const steps = () => server.calls('process').map((call) => call.arguments?.subcommand);
  return { server, engine, client, token, steps };
};

describe.each(['spec', 'peer'] as const)('send, with a server of the %s dialect', (dialect) => {
  it('returns what the pipeline made, in the shape of the specification', async () => {
    const { client, token } = await start({ dialect });
    expect(await client.send(token, 'Hello', { name: 'a.txt' })).toEqual({
      objectId: 'id-a.txt',
      name: 'a.txt',
      path: '',
      result_types: ['text'],
      text: ['Hello'],
    });
  });

  it('tells the size in bytes, which is never 0', async () => {
    const { client, token, server } = await start({ dialect });
    await client.send(token, 'äö');
    await client.send(token, new Uint8Array());
    const sizes = server.calls('process').flatMap((call) => {
      const object = call.arguments?.object as { size?: number } | undefined;
      return object === undefined ? [] : [object.size];
    });
    expect(sizes).toEqual([4, 1]);
  });

  it('finds the MIME type: text for strings, by extension for bytes, the given one otherwise', async () => {
    const { client, token, server } = await start({ dialect });
    await client.send(token, 'x');
    await client.send(token, new Uint8Array([1]), { name: 'scan.PDF' });
    await client.send(token, new Uint8Array([1]));
    await client.send(token, 'x', {}, 'lane/text');
    const types = server.calls('process').flatMap((call) => call.arguments?.mimeType ?? []);
    expect(types).toEqual(['text/plain', 'application/pdf', 'application/octet-stream', 'lane/text']);
  });

  it('sends text of any size as one item', async () => {
    const { client, token } = await start({ dialect });
    const text = 'ä'.repeat(2 * mib);
    expect((await client.send(token, text)).text).toEqual([text]);
  });

  it('returns the error of a component inside the result', async () => {
    const { client, token } = await start({ dialect });
    expect(await client.send(token, 'x', { name: 'bad' })).toMatchObject({ error: { message: 'bad is broken' } });
  });

  it('refuses data that is neither text nor bytes', async () => {
    const { client, token } = await start({ dialect });
    await expect(client.send(token, 42 as unknown as string)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(client.pipe(token).write({} as Uint8Array)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('fails when the pipeline is not running', async () => {
    const { client, engine } = await start({ dialect });
    await expect(client.send('other', 'x')).rejects.toMatchObject({ code: 'task_unknown' });
    await expect(client.send('other', new Uint8Array(2 * mib))).rejects.toMatchObject({ code: 'task_unknown' });
    await expect(client.send('', 'x')).rejects.toMatchObject({ code: 'token_required' });
    expect(engine.pipes.size).toBe(0);
  });
});

describe('send', () => {
  it('takes one message for small data on our servers', async () => {
    const { client, token, steps } = await start();
    await client.send(token, 'x'.repeat(mib));
    expect(steps()).toEqual(['send']);
  });

  it('cuts large binary data into pieces of 1 MiB', async () => {
    const { client, token, steps } = await start();
    await client.send(token, new Uint8Array(2.5 * mib));
    expect(steps()).toEqual(['open', 'write', 'write', 'write', 'close']);
  });

  it('sends the pieces ahead of the reply to the open', async () => {
    const { client, token, server, engine } = await start();
    const handler = server.handlers.get('process');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    server.on('process', async (call) => {
      const answer = await handler?.(call);
      if (call.args.subcommand === 'open') await held;
      return answer;
    });
    const sending = client.send(token, new Uint8Array(2 * mib));
    await expect.poll(() => server.calls('process')).toHaveLength(4);
    expect(new Set(server.calls('process').map((call) => call.arguments?.pipe)).size).toBe(1);
    release();
    expect(await sending).toMatchObject({ objectId: 'id-unnamed' });
    expect(engine.pipes.size).toBe(0);
  });

  it('waits for every reply on servers that serve requests in any order', async () => {
    const { client, token, server } = await start({ dialect: 'peer' });
    let under = 0;
    let most = 0;
    const handler = server.handlers.get('process');
    server.on('process', async (call) => {
      most = Math.max(most, (under += 1));
      await Promise.resolve();
      under -= 1;
      return handler?.(call);
    });
    await client.send(token, new Uint8Array(3 * mib));
    expect(most).toBe(1);
  });
});

describe('a pipe', () => {
  it('takes pieces in order and returns the result on close', async () => {
    const { client, token } = await start();
    const pipe = client.pipe(token, { name: 'p' }, 'text/plain');
    await pipe.open();
    await pipe.write('one');
    await pipe.write(new TextEncoder().encode('two'));
    expect(await pipe.close()).toMatchObject({ text: ['one|two'], result_types: ['text'] });
    expect(pipe.bytesWritten).toBe(6);
  });

  it('passes the provider on and reports its refusal from open', async () => {
    const { client, token, server } = await start();
    await expect(client.pipe(token, {}, 'text/plain', 'refused').open()).rejects.toMatchObject({
      name: 'PipeError',
      code: 'pipe_failed',
    });
    expect(server.calls('process')[0]?.arguments).toMatchObject({ provider: 'refused', object: {} });
  });

  it('refuses to be written or closed unless it is open, and to be opened twice', async () => {
    const { client, token } = await start();
    const pipe = client.pipe(token);
    await expect(pipe.write('x')).rejects.toMatchObject({ code: 'pipe_not_found' });
    await pipe.open();
    await expect(pipe.open()).rejects.toMatchObject({ code: 'invalid_argument' });
    await pipe.close();
    await expect(pipe.close()).rejects.toMatchObject({ code: 'pipe_not_found' });
    await expect(pipe.write('x')).rejects.toMatchObject({ code: 'pipe_not_found' });
  });

  it('keeps at most its window of writes under way', async () => {
    const { client, token, server } = await start();
    const held: (() => void)[] = [];
    const handler = server.handlers.get('process');
    server.on('process', async (call) => {
      const answer = await handler?.(call);
      if (call.args.subcommand === 'write') await new Promise<void>((resolve) => held.push(resolve));
      return answer;
    });
    const pipe = await client.pipe(token, {}, 'text/plain', undefined, { window: 2 }).open();
    let accepted = 0;
    const writing = (async () => {
      for (let i = 0; i < 6; i += 1) {
        await pipe.write(String(i));
        accepted += 1;
      }
    })();
    await expect.poll(() => held).toHaveLength(2);
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    expect(accepted).toBe(2);
    expect(held).toHaveLength(2);
    const done = writing.then(() => pipe.close());
    await expect
      .poll(() => {
        held.shift()?.();
        return accepted;
      })
      .toBe(6);
    for (const release of held) release();
    expect(await done).toMatchObject({ text: ['0|1|2|3|4|5'] });
  });

  it('throws the error of a failed write from a later write or from close', async () => {
    const { client, token, server } = await start();
    const handler = server.handlers.get('process');
    server.on('process', (call) => {
      if (call.args.subcommand === 'write') throw createError('component_failed', 'cannot read this');
      return handler?.(call);
    });
    const pipe = await client.pipe(token).open();
    const outcome = (async () => {
      for (;;) await pipe.write('x');
    })();
    await expect(outcome).rejects.toMatchObject({ code: 'component_failed', message: 'cannot read this' });
    await expect(pipe.close()).rejects.toMatchObject({ code: 'component_failed' });
  });

  it('returns the result of a failed object when the server has one', async () => {
    const { client, token, server } = await start();
    server.on('process', ({ args }) => {
      if (args.subcommand === 'write') throw createError('component_failed');
      return args.subcommand === 'open'
        ? { pipe_id: 0 }
        : { objectId: 'o', error: { message: 'broken', code: 'component_failed' } };
    });
    const pipe = await client.pipe(token).open();
    await pipe.write('x').catch(() => undefined);
    expect(await pipe.close()).toEqual({ objectId: 'o', error: { message: 'broken', code: 'component_failed' } });
  });

  it('is given up with a reason, once, and takes nothing after that', async () => {
    const { client, token, engine, steps } = await start();
    const pipe = await client.pipe(token, { name: 'half' }).open();
    await pipe.write('x');
    await Promise.all([pipe.abandon('read no further'), pipe.abandon('again')]);
    expect(engine.abandoned).toEqual([{ object: { name: 'half' }, reason: 'read no further' }]);
    expect(steps()).toEqual(['open', 'write', 'abandon']);
    expect(pipe.isOpen).toBe(false);
    await expect(pipe.write('y')).rejects.toMatchObject({ code: 'pipe_not_found' });
    await expect(pipe.close()).rejects.toMatchObject({ code: 'pipe_not_found' });
  });

  it('is given up when its signal fires', async () => {
    const { client, token, engine, steps } = await start();
    const controller = new AbortController();
    const pipe = await client.pipe(token, {}, undefined, undefined, { signal: controller.signal }).open();
    await pipe.write('x');
    controller.abort();
    await expect(pipe.write('y')).rejects.toMatchObject({ code: 'cancelled' });
    await expect(pipe.close()).rejects.toMatchObject({ code: 'cancelled' });
    await pipe.abandon();
    expect(engine.abandoned).toHaveLength(1);
    expect(steps()).toEqual(['open', 'write', 'abandon']);
  });

  it('waits ten seconds for a server that says nothing, and no longer', async () => {
    const { client, token, server } = await start();
    const pipe = await client.pipe(token, { name: 'half' }, undefined, undefined, { onEvent: vi.fn() }).open();
    vi.useFakeTimers();
    server.on('process', () => new Promise(() => undefined));
    const ended = vi.fn();
    const given = pipe.abandon().then(ended);
    await vi.advanceTimersByTimeAsync(9999);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await given;
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    await client.disconnect();
  });

  it('is waited for no longer when its signal fires while a component works', async () => {
    const { client, token, server } = await start();
    const controller = new AbortController();
    const pipe = await client.pipe(token, {}, undefined, undefined, { signal: controller.signal }).open();
    server.on('process', () => new Promise(() => undefined));
    await pipe.write('x');
    const closing = pipe.close();
    controller.abort();
    await expect(closing).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('is closed all the same on servers that know no giving up', async () => {
    const { client, token, engine, steps } = await start({ dialect: 'peer' });
    const pipe = await client.pipe(token).open();
    await pipe.abandon('read no further');
    expect(steps()).toEqual(['open', 'close']);
    expect(engine.pipes.size).toBe(0);
  });

  it('is given up when a large send is cancelled in the middle', async () => {
    const { client, token, server, engine } = await start();
    const controller = new AbortController();
    const handler = server.handlers.get('process');
    server.on('process', (call) => {
      if (call.args.subcommand === 'write') controller.abort();
      return handler?.(call);
    });
    const sending = client.send(token, new Uint8Array(9 * mib), {}, undefined, { signal: controller.signal });
    await expect(sending).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => engine.abandoned).toHaveLength(1);
    expect(engine.pipes.size).toBe(0);
    expect(server.calls('process').filter((call) => call.arguments?.subcommand === 'close')).toEqual([]);
  });

  it('is freed on the server when its open was cancelled before the reply came', async () => {
    for (const dialect of ['spec', 'peer'] as const) {
      const { client, token, server, engine } = await start({ dialect });
      const handler = server.handlers.get('process');
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      server.on('process', async (call) => {
        if (call.args.subcommand === 'open') await held;
        return handler?.(call);
      });
      const controller = new AbortController();
      const opening = client.pipe(token, {}, 'text/plain', undefined, { signal: controller.signal }).open();
      await expect.poll(() => server.calls('process')).toHaveLength(1);
      controller.abort();
      await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
      release();
      await expect.poll(() => server.calls('process')).toHaveLength(2);
      await expect.poll(() => engine.pipes.size).toBe(0);
      expect(engine.abandoned).toHaveLength(dialect === 'spec' ? 1 : 0);
    }
  });

  it('fails when the connection is lost, in whatever step it is', async () => {
    for (const step of ['open', 'write', 'close']) {
      const { client, token, server } = await start();
      const handler = server.handlers.get('process');
      server.on('process', (call) => {
        if (call.args.subcommand === step) server.dropAll();
        return handler?.(call);
      });
      const run = async () => {
        const pipe = await client.pipe(token).open();
        await pipe.write('x');
        return pipe.close();
      };
      await expect(run(), step).rejects.toMatchObject({ code: 'connection_lost' });
    }
  });

  it('hears the messages of components about its own object only, until it is closed', async () => {
    const { client, token, server } = await start();
    const heard: unknown[] = [];
    const pipe = client.pipe(token, {}, 'text/plain', undefined, {
      onEvent: (type, data) => heard.push([type, data]),
    });
    await pipe.open();
    const { pipeId } = server.calls('monitor')[0]?.arguments as { pipeId: number };
    server.broadcast('apaevt_sse', { pipe_id: pipeId, type: 'delta', data: { text: 'Hi' } }, 'T1.source');
    server.broadcast('apaevt_sse', { pipe_id: pipeId + 1, type: 'delta' }, 'T1.source');
    server.broadcast('apaevt_sse', { pipe_id: pipeId, type: 'delta' }, 'T2.chat');
    server.broadcast('apaevt_sse', { pipe_id: pipeId }, 'T1.source');
    await pipe.close();
    server.broadcast('apaevt_sse', { pipe_id: pipeId, type: 'late' }, 'T1.source');
    await client.ping();
    expect(heard).toEqual([
      ['delta', { text: 'Hi' }],
      ['', {}],
    ]);
    expect(server.calls('monitor').map((call) => call.arguments?.types)).toEqual([['sse'], []]);
  });

  it('writes any pieces in order, whatever the delays of the replies', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: fc.string(), delay: fc.nat(5) }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 6 }),
        async (pieces, window) => {
          const { client, token, server } = await start();
          const handler = server.handlers.get('process');
          let count = 0;
          server.on('process', async (call) => {
            const answer = await handler?.(call);
            for (let i = pieces[count++]?.delay ?? 0; i > 0; i -= 1) await Promise.resolve();
            return answer;
          });
          const pipe = await client.pipe(token, {}, 'text/plain', undefined, { window }).open();
          for (const { text } of pieces) await pipe.write(text);
          const { text } = await pipe.close();
          expect(text).toEqual([pieces.map((piece) => piece.text).join('|')]);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('chat', () => {
  it('sends one complete question to a chat', async () => {
    const { client, token, server } = await start();
    const { text } = await client.chat({ token, question: 'Why?' });
    await client.chat({ token, question: new Question().addQuestion('And?') });
    const sent = JSON.parse(String((text as string[])[0])) as Record<string, unknown>;
    expect(sent).toMatchObject({ type: 'question', questions: [{ text: 'Why?' }], filter: { limit: 25 } });
    expect(server.calls('process').map((call) => call.arguments)).toMatchObject([
      { object: { name: 'Question 1' }, mimeType: 'application/rocketride-question', provider: 'chat' },
      { object: { name: 'Question 2' } },
    ]);
    expect(server.calls('process')[0]?.arguments?.object).not.toHaveProperty('size');
  });

  it('passes on what components tell while they answer', async () => {
    const { client, token, server } = await start();
    const handler = server.handlers.get('process');
    let pipeId: unknown;
    server.on('process', async (call) => {
      const answer = await handler?.(call);
      if (call.args.subcommand === 'open') pipeId = (answer as { pipe_id: number }).pipe_id;
      if (call.args.subcommand === 'write') {
        call.socket.event('apaevt_sse', { pipe_id: pipeId, type: 'delta', data: { text: 'a' } }, 'T1.source');
      }
      return answer;
    });
    const heard: string[] = [];
    await client.chat({ token, question: 'x', onEvent: (type) => heard.push(type) });
    expect(heard).toEqual(['delta']);
  });

  it('refuses to ask nothing', async () => {
    const { client, token } = await start();
    for (const question of ['', null, 3]) {
      await expect(client.chat({ token, question: question as string })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    }
  });
});

describe('a question', () => {
  it('collects what is added', () => {
    const question = new Question({ role: 'judge', expectJson: true, filter: { limit: 3 } })
      .addQuestion('Q')
      .addInstruction('Style', 'Be brief')
      .addExample('in', { out: 1 })
      .addContext(['c1', { c: 2 }])
      .addGoal('truth')
      .addHistory({ role: 'user', content: 'before' })
      .addDocuments({ type: 'Document', page_content: 'd', metadata: { objectId: 'o', chunkId: 0 } });
    expect(question.toJSON()).toMatchObject({
      type: 'question',
      role: 'judge',
      expectJson: true,
      filter: { limit: 3, offset: 0, followUpQuestions: 5 },
      questions: [{ text: 'Q' }],
      instructions: [{ subtitle: 'Style', instructions: 'Be brief' }],
      examples: [{ given: 'in', result: '{"out":1}' }],
      context: ['c1', '{"c":2}'],
      goals: ['truth'],
      history: [{ role: 'user', content: 'before' }],
      documents: [{ page_content: 'd' }],
    });
  });
});

describe('an answer', () => {
  it('is read as text or as JSON', () => {
    const [text, json] = Answer.of({ objectId: '', answers: ['```json\n{"a":1}\n```', { b: 2 }] });
    expect(text?.getJson()).toEqual({ a: 1 });
    expect(json?.getText()).toBe('{"b":2}');
    expect(json?.isJson).toBe(true);
    expect(Answer.of({ objectId: '' })).toEqual([]);
    expect(() => new Answer('no json').getJson()).toThrow('not JSON');
  });
});
