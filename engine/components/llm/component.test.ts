import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startScriptedModel, type ScriptedModel, type Turn } from '../../../test/support/scriptedModel.js';
import { makeQuestion, type Question } from '../../../protocol/data.js';
import type { Definition } from '../../../pipeline/catalogue.js';
import { type ComponentRun, openComponent, runComponent, type TestOptions } from '../testing.js';
import { makeLlmComponent } from './component.js';
import { llmDefinitions } from './definition.js';
import type { Clock } from './retry.js';

const [openaiApi, ollama] = llmDefinitions as readonly [Definition, Definition];
const apikey = 'sk-canary-0123456789';

const servers: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function scripted(...turns: Turn[]): Promise<ScriptedModel> {
  const server = await startScriptedModel(turns);
  servers.push(server);
  return server;
}

/** A clock that notes the waits instead of waiting. */
function instantClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => Date.parse('2026-11-20T12:00:00Z'),
    sleep: async (milliseconds) => void waits.push(milliseconds),
  };
}

function ask(text: string, more: Partial<Question> = {}): { lane: 'questions'; items: Question[] } {
  return { lane: 'questions', items: [makeQuestion({ ...more, questions: [{ text }] })] };
}

interface AskOptions extends TestOptions {
  config?: Record<string, unknown>;
  question?: Partial<Question>;
  clock?: Clock;
}

async function askScripted(server: ScriptedModel, options: AskOptions = {}): Promise<ComponentRun> {
  const config = { base_url: server.baseUrl, model: 'tiny', apikey, ...options.config };
  const component = makeLlmComponent(options.clock ?? instantClock());
  return runComponent(component, openaiApi, config, ask('Why?', options.question), options);
}

async function askOllama(config: Record<string, unknown>): Promise<ComponentRun> {
  return runComponent(makeLlmComponent(instantClock()), ollama, config, ask('Why?'));
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const textOf = (run: ComponentRun): unknown => run.emitted.answers.map(({ answer }) => answer);
const deltasOf = (run: ComponentRun): unknown =>
  run.events.filter(({ type }) => type === 'delta').map(({ data }) => data.text);

describe('an answer', () => {
  it('is emitted whole after its pieces were streamed', async () => {
    const run = await askScripted(await scripted({ say: ['Be', 'cau', 'se.'], usage: { prompt: 7, completion: 3 } }));
    expect(run.emitted.answers).toEqual([{ answer: 'Because.', expectJson: false }]);
    expect(deltasOf(run)).toEqual(['Be', 'cau', 'se.']);
    expect(run.events.at(-1)).toEqual({
      type: 'done',
      data: { usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 } },
    });
  });

  it('is asked for with one user message, temperature 0, the model and the length of the reply', async () => {
    const server = await scripted({ say: 'ok' });
    await askScripted(server, { config: { modelOutputTokens: 2000 } });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${apikey}` },
      body: {
        model: 'tiny',
        temperature: 0,
        max_tokens: 2000,
        stream: true,
        messages: [{ role: 'user', content: 'Why?' }],
      },
    });
  });

  it('counts tokens itself when the server does not', async () => {
    const run = await askScripted(await scripted({ say: 'abcdef' }));
    expect(run.events.at(-1)?.data).toEqual({ usage: { inputTokens: 2, outputTokens: 2, totalTokens: 4 } });
  });

  it('that was cut by the limit of the reply is emitted with one warning', async () => {
    const run = await askScripted(await scripted({ say: 'half a', finish: 'length' }));
    expect(textOf(run)).toEqual(['half a']);
    expect(run.warnings).toEqual(['A reply of tiny was cut after 4096 tokens; raise `modelOutputTokens`.']);
  });

  it('sends no key when none is set, and parameters of the address with every request', async () => {
    const server = await scripted({ say: 'ok' });
    await askScripted(server, { config: { apikey: '', base_url: `${server.baseUrl}/?version=2` } });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.path).toBe('/v1/chat/completions?version=2');
  });
});

describe('the llm channel', () => {
  it('answers without streaming and tells the lengths of the model', async () => {
    const server = await scripted({ say: 'to the agent' });
    const config = { base_url: server.baseUrl, model: 'tiny', modelTotalTokens: 9000, modelOutputTokens: 5 };
    const pipe = await openComponent(makeLlmComponent(instantClock()), openaiApi, config);
    const offer = pipe.instance.offers?.llm;
    expect(await offer?.ask(makeQuestion({ questions: [{ text: 'Hm?' }] }))).toEqual({
      answer: 'to the agent',
      expectJson: false,
    });
    expect(offer?.contextLength()).toBe(9000);
    expect(offer?.outputLength()).toBe(1024);
    expect(offer?.countTokens('ääää')).toBe(3);
    await pipe.stop();
  });
});

describe('JSON', () => {
  const question = { expectJson: true };

  it('is read from a reply with a think block and code fences', async () => {
    const server = await scripted({ say: '<think>{"no": 1}</think>\n```json\n{"a": [1, 2]}\n```' });
    const run = await askScripted(server, { question });
    expect(run.emitted.answers).toEqual([{ answer: { a: [1, 2] }, expectJson: true }]);
    expect(server.requests[0]?.prompt).toContain('valid JSON');
  });

  it('is asked for again with a stricter instruction, and the client is told to drop the pieces', async () => {
    const server = await scripted(
      { say: 'Sure!', usage: { prompt: 5, completion: 1 } },
      { say: '{"a": ', usage: { prompt: 6, completion: 2 } },
      { say: '[3]', usage: { prompt: 7, completion: 3 } },
    );
    const run = await askScripted(server, { question });
    expect(textOf(run)).toEqual([[3]]);
    expect(run.events.map(({ type }) => type)).toEqual(['delta', 'restart', 'delta', 'restart', 'delta', 'done']);
    expect(run.events.at(-1)?.data).toEqual({ usage: { inputTokens: 18, outputTokens: 6, totalTokens: 24 } });
    expect(server.requests[0]?.prompt).not.toContain('rejected');
    expect(server.requests[1]?.prompt).toContain('Your previous reply was rejected: it is not valid JSON');
  });

  it('fails the object after three replies that are none', async () => {
    const server = await scripted({ say: '42' });
    await expect(askScripted(server, { question })).rejects.toMatchObject({
      code: 'component_failed',
      message: 'tiny did not reply with JSON in 3 tries: it is a single value, not a JSON object or array',
    });
    expect(server.requests).toHaveLength(3);
  });
});

describe('a failing endpoint', () => {
  it('that is busy is asked again after the time it names', async () => {
    const clock = instantClock();
    const server = await scripted(
      { status: 429, error: 'slow down', headers: { 'retry-after': '7' } },
      { status: 503, headers: { 'retry-after': 'Fri, 20 Nov 2026 12:00:09 GMT' } },
      { say: 'done' },
    );
    const run = await askScripted(server, { clock });
    expect(textOf(run)).toEqual(['done']);
    expect(clock.waits).toEqual([7000, 9000]);
    expect(run.logs[0]).toMatch(/: slow down Attempt 2 of 5 in 7 s\.$/);
  });

  it('that wants to be left alone for an hour is not waited for', async () => {
    const server = await scripted({ status: 429, error: 'quota used up', headers: { 'retry-after': '3600' } });
    await expect(askScripted(server)).rejects.toThrow(/^Status 429 from the endpoint at .*: quota used up$/);
    expect(server.requests).toHaveLength(1);
  });

  it.each([408, 409, 500, 502])('with status %i is asked five times with growing pauses', async (status) => {
    const clock = instantClock();
    const server = await scripted({ status, error: 'no luck' });
    await expect(askScripted(server, { clock })).rejects.toThrow(`Status ${status}`);
    expect(server.requests).toHaveLength(5);
    expect(clock.waits).toEqual([1000, 2000, 4000, 8000]);
  });

  it.each([
    [400, 'Status 400'],
    [401, 'was refused (401: no). Check `apikey`.'],
    [403, 'was refused (403: no). Check `apikey`.'],
    [404, "Model 'tiny' was not found"],
    [422, 'Status 422'],
  ])('with status %i is final and says what to do', async (status, message) => {
    const server = await scripted({ status, error: 'no' });
    await expect(askScripted(server)).rejects.toThrow(message);
    expect(server.requests).toHaveLength(1);
  });

  it('that asks for a key when none is set says so', async () => {
    const server = await scripted({ status: 401, error: 'who are you' });
    await expect(askScripted(server, { config: { apikey: '' } })).rejects.toThrow('It wants a key: set `apikey`.');
  });

  it('that breaks off is asked again', async () => {
    const run = await askScripted(await scripted({ breakAfter: ['Be', 'ca'] }, { say: ['All', ' of it'] }));
    expect(textOf(run)).toEqual(['All of it']);
    expect(run.logs[0]).toMatch(/^Lost the connection to the endpoint at /);
  });

  it('that breaks off after some pieces has the client drop them', async () => {
    const server = await scripted({ hangAfter: ['Be', 'ca'] }, { say: ['All', ' of it'] });
    const events: string[] = [];
    const component = makeLlmComponent(instantClock());
    const watched: typeof component = {
      async start(context) {
        const started = await component.start(context);
        const sse = (type: string): void => {
          events.push(type);
          if (events.length === 2) server.cut();
        };
        return { ...started, pipe: (pipe) => started.pipe({ ...pipe, sse }) };
      },
    };
    const run = await runComponent(watched, openaiApi, { base_url: server.baseUrl, model: 'tiny' }, ask('Why?'));
    expect(textOf(run)).toEqual(['All of it']);
    expect(events).toEqual(['delta', 'delta', 'restart', 'delta', 'delta', 'done']);
  });

  it('that redirects is not followed', async () => {
    const other = await scripted({ say: 'stolen' });
    const server = await scripted({ status: 307, headers: { location: `${other.baseUrl}/chat/completions` } });
    await expect(askScripted(server)).rejects.toThrow('Use the address it redirects to as `base_url`.');
    expect(other.requests).toHaveLength(0);
  });

  it.each([
    { body: '<html>Welcome</html>', contentType: 'text/html' },
    { body: 'data: {"surprise": true}\n\n', contentType: 'text/event-stream' },
  ])('that is no model server is named as such', async (turn) => {
    await expect(askScripted(await scripted(turn))).rejects.toMatchObject({ code: 'component_failed' });
  });

  it('that reports an error inside the stream fails with its words', async () => {
    const body = 'data: {"error": {"message": "out of memory", "type": "server_error"}}\n\n';
    const server = await scripted({ body, contentType: 'text/event-stream' });
    await expect(askScripted(server)).rejects.toThrow(/^Asking the endpoint at .* failed: out of memory$/);
  });

  it('that nobody runs is named with what to do', async () => {
    const server = await scripted({ say: '' });
    await server.close();
    const failure = askScripted(server);
    await expect(failure).rejects.toThrow(`Cannot reach the endpoint at ${server.baseUrl} (ECONNREFUSED).`);
    await expect(failure).rejects.toThrow('Check `base_url` and that the server is running.');
  });
});

describe('the key', () => {
  it('appears in no error, warning or log line, even when the server repeats it', async () => {
    const server = await scripted({ status: 500, error: `bad ${apikey}` }, { status: 401, error: `bad ${apikey}` });
    const logs: string[] = [];
    const component = makeLlmComponent(instantClock());
    const watched: typeof component = {
      start: (context) => component.start({ ...context, log: (line) => void logs.push(line) }),
    };
    const failure: unknown = await runComponent(
      watched,
      openaiApi,
      { base_url: server.baseUrl, model: 'tiny', apikey },
      ask('Why?'),
    ).catch((thrown: unknown) => thrown);
    expect(logs.join()).toContain('bad ***');
    expect(JSON.stringify([logs, describeError(failure)])).not.toContain(apikey);
  });

  it('with a line break inside fails without being shown', async () => {
    const key = 'sk-one\nsk-two';
    const failure: unknown = await askScripted(await scripted({ say: 'ok' }), { config: { apikey: key } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(failure).toMatchObject({ code: 'component_failed' });
    expect(describeError(failure)).not.toMatch(/sk-one|sk-two/);
  });

  it('that is a placeholder is warned about', async () => {
    const server = await scripted({ say: 'ok' });
    const component = makeLlmComponent(instantClock());
    const warnings: string[] = [];
    await component.start({
      id: 'llm',
      provider: 'llm_openai_api',
      config: { base_url: server.baseUrl, model: 'tiny', apikey: '${MILLRACE_KEY}' },
      task: { projectId: '', source: '', args: [], threads: 1 },
      signal: new AbortController().signal,
      warn: (message) => void warnings.push(message),
      log: () => undefined,
    });
    expect(warnings).toEqual(['`apikey` is a placeholder that was not replaced. Set the variable it names.']);
  });
});

/** Everything that could be printed of an error. */
function describeError(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return [thrown.message, thrown.stack, JSON.stringify(thrown), describeError(thrown.cause)].join('\n');
}

describe('the SDK', () => {
  it('talks to the configured address only, and prints nothing', async () => {
    const printers = (['error', 'warn', 'info', 'log'] as const).map((name) => vi.spyOn(console, name));
    const origins = new Set<unknown>();
    const note = (message: unknown): void => {
      origins.add((message as { request: { origin: unknown } }).request.origin);
    };
    subscribe('undici:request:create', note);
    const server = await scripted({ status: 500 }, { breakAfter: ['a'] }, { say: 'ok' }, { status: 400 });
    await askScripted(server);
    await expect(askScripted(server)).rejects.toThrow();
    unsubscribe('undici:request:create', note);
    expect([...origins]).toEqual([new URL(server.baseUrl).origin]);
    for (const printer of printers) {
      expect(printer).not.toHaveBeenCalled();
      printer.mockRestore();
    }
  });
});

describe('stopping', () => {
  it('cancels a request that gets no answer', async () => {
    const server = await scripted({ hangAfter: [] });
    const stop = new AbortController();
    const failure = askScripted(server, { signal: stop.signal });
    const rejected = expect(failure).rejects.toMatchObject({ code: 'cancelled' });
    await until(() => server.requests.length === 1, 'the request arrives');
    stop.abort();
    await rejected;
    await until(() => server.abandoned() === 1, 'the connection is closed');
  });

  it('cancels a reply in the middle', async () => {
    const server = await scripted({ hangAfter: ['one', 'two'] });
    const stop = new AbortController();
    const component = makeLlmComponent(instantClock());
    const config = { base_url: server.baseUrl, model: 'tiny' };
    const rejected = expect(
      runComponent(component, openaiApi, config, ask('Why?'), { signal: stop.signal }),
    ).rejects.toMatchObject({ code: 'cancelled' });
    await until(() => server.requests.length === 1, 'the request arrives');
    stop.abort();
    await rejected;
    await until(() => server.abandoned() === 1, 'the connection is closed');
  });

  it('ends the pause before the next attempt', async () => {
    const stop = new AbortController();
    const server = await scripted({ status: 500 });
    const clock: Clock = {
      now: () => 0,
      sleep: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          stop.abort();
        }),
    };
    await expect(askScripted(server, { clock, signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('the prompt', () => {
  it('must not be empty', async () => {
    const server = await scripted({ say: 'ok' });
    const input = { lane: 'questions', items: [makeQuestion({ expectJson: true })] } as const;
    const config = { base_url: server.baseUrl, model: 'tiny' };
    await expect(runComponent(makeLlmComponent(instantClock()), openaiApi, config, input)).rejects.toThrow(
      'The question is empty',
    );
    expect(server.requests).toHaveLength(0);
  });

  it('that is longer than the model allows is sent with one warning per task', async () => {
    const server = await scripted({ say: 'ok' });
    const config = { base_url: server.baseUrl, model: 'tiny', modelTotalTokens: 1100, modelOutputTokens: 1024 };
    const pipe = await openComponent(makeLlmComponent(instantClock()), openaiApi, config);
    const first = await pipe.run(ask('long '.repeat(100)));
    const second = await pipe.run(ask('long '.repeat(100)));
    await pipe.stop();
    expect(first.warnings).toHaveLength(1);
    expect(first.warnings[0]).toContain('do not fit the 1100 tokens of tiny');
    expect(second.warnings).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });
});

describe('ollama', () => {
  it('is asked at /v1 when the address leaves it out', async () => {
    const server = await scripted({ say: 'moo' });
    const run = await askOllama({ serverbase: server.baseUrl.replace('/v1', '/') });
    expect(textOf(run)).toEqual(['moo']);
    expect(server.requests[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'llama3.3:latest' } });
  });

  it('says how to start it and how to get a model', async () => {
    const server = await scripted({ status: 404, error: 'model not found' });
    const { baseUrl } = server;
    await expect(askOllama({ serverbase: baseUrl })).rejects.toThrow('Get it with `ollama pull llama3.3:latest`.');
    await server.close();
    await expect(askOllama({ serverbase: baseUrl })).rejects.toThrow(
      `Is Ollama running at ${baseUrl}? Start it with \`ollama serve\`.`,
    );
  });
});

describe('the start', () => {
  it.each([
    [{ model: '' }, 'Set `model`'],
    [{ base_url: '' }, 'Set `base_url`'],
    [{ base_url: 'localhost:8000/v1' }, 'with http:// or https://'],
    [{ base_url: 'http://me:secret@localhost/v1' }, 'user name or password'],
  ])('is refused with %j', async (config, message) => {
    const start = openComponent(makeLlmComponent(instantClock()), openaiApi, {
      base_url: 'http://127.0.0.1:1/v1',
      model: 'tiny',
      ...config,
    });
    await expect(start).rejects.toMatchObject({ code: 'start_failed', message: expect.stringContaining(message) });
  });
});
