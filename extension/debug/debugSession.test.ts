import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MillraceClient } from '../../client/typescript/src/index.js';
import { chatWith, echo, obeying } from '../../test/support/pipelines.js';
import { eventually } from '../../test/support/poll.js';
import { startPeerProxy } from '../../test/support/peerProxy.js';
import { startScriptedModel } from '../../test/support/scriptedModel.js';
import { startServer, type TestServer } from '../../test/support/server.js';
import { temporaryDirectories } from '../../test/support/temporaryDirectory.js';
import { MillraceDebugSession } from './debugSession.js';
import { connectionsOf, Conversation, fileUri, TestConnection, TestRuns } from './testing.js';

const components = path.resolve(import.meta.dirname, '..', '..', 'test', 'support', 'components');
const temporary = temporaryDirectories();
const producing = (config: object) => ({
  project_id: 'produce-project',
  source: 'made',
  components: [
    { id: 'made', provider: 'produce', config: { mode: 'Source', ...config } },
    { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'made', lane: 'text' }] },
  ],
});

let server: TestServer;
let connection: TestConnection;
let client: MillraceClient;
let runs: TestRuns;
let folder: string;
let conversations: Conversation[];

beforeAll(async () => {
  server = await startServer({ args: ['--components', components] });
});

afterAll(async () => {
  await server.stop();
});

beforeEach(async () => {
  folder = await temporary();
  conversations = [];
  connection = new TestConnection('Test server', server);
  client = await connection.client();
  runs = new TestRuns(connectionsOf(connection));
});

afterEach(async () => {
  for (const { session } of conversations) session.dispose();
  for (const { token } of await client.getTasks().catch(() => [])) await client.terminate(token);
  await connection.close();
});

/** Finds the files right inside a folder, which is all that these tests need of a glob. */
async function findFiles(base: string, glob: string): Promise<string[]> {
  const names = await readdir(base);
  const matches = new RegExp(`^${glob.replace('**/', '').replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  return names.filter((name) => matches.test(name)).map((name) => path.join(base, name));
}

function converse(): Conversation {
  const connections = connectionsOf(connection);
  const conversation = new Conversation(new MillraceDebugSession({ runs, connections, folder, fileUri, findFiles }));
  conversations.push(conversation);
  return conversation;
}

async function write(name: string, content: unknown): Promise<string> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const runningTasks = async () => (await client.getTasks()).length;

describe('a launch', () => {
  it('sends the input, prints a line for each file, and ends with exit code 0', async () => {
    await write('echo.pipe', echo);
    await write('in/a.txt', 'first text');
    await write('in/b.txt', 'second text');
    const editor = converse();
    const launch = { request: 'launch', program: 'echo.pipe', input: 'in/*.txt', threads: 1 } as const;
    expect(await editor.start(launch)).toMatchObject({ success: true });
    await editor.event('terminated');
    const lines = editor.console().split('\n');
    expect(lines[0]).toBe('Started echo.pipe on Test server.');
    expect(lines[1]).toMatch(/^in.a\.txt {2}\d+\.\d\d s {2}text: first text$/);
    expect(lines[2]).toMatch(/^in.b\.txt {2}\d+\.\d\d s {2}text: second text$/);
    expect(lines[3]).toBe('2 objects, 0 failed. Exit code 0.');
    expect((await editor.event('exited')).body).toEqual({ exitCode: 0 });
    expect(await runningTasks()).toBe(0);
    expect(await editor.request('disconnect')).toMatchObject({ success: true });
  });

  it('passes on how the pipeline is to run', async () => {
    await write('echo.pipe', echo);
    await write('vars.env', 'MILLRACE_A=file\nMILLRACE_B=file\n');
    const editor = converse();
    await editor.start({
      request: 'launch',
      program: 'echo.pipe',
      source: 'in',
      args: ['x'],
      threads: 2,
      ttl: 60,
      pipelineTraceLevel: 'full',
      env: { MILLRACE_B: 'launch' },
      envFile: 'vars.env',
    });
    expect(runs.started).toEqual([
      {
        source: 'in',
        args: ['x'],
        threads: 2,
        ttl: 60,
        traceLevel: 'full',
        env: { MILLRACE_A: 'file', MILLRACE_B: 'launch' },
        connection,
      },
    ]);
  });

  it('ends with exit code 1 and names the component when an object fails', async () => {
    await write('obey.pipe', obeying);
    await write('bad.txt', 'fail this is wrong');
    await write('good.txt', 'fine');
    const editor = converse();
    await editor.start({ request: 'launch', program: 'obey.pipe', input: ['bad.txt', 'good.txt'], threads: 1 });
    await editor.event('terminated');
    expect(editor.console('stderr')).toMatch(/^bad\.txt {2}\d+\.\d\d s {2}failed: obey: this is wrong$/m);
    expect(editor.console().match(/this is wrong/g)).toHaveLength(1);
    expect(editor.console('stdout')).toMatch(/^good\.txt .* text: fine$/m);
    expect(editor.console()).toMatch(/2 objects, 1 failed\. Exit code 1\.\n$/);
    expect((await editor.event('exited')).body).toEqual({ exitCode: 1 });
  });

  it('stays without input, shows what components say, and stops the task when it is told to', async () => {
    await write('obey.pipe', obeying);
    const editor = converse();
    await editor.start({ request: 'launch', program: 'obey.pipe' });
    await client.send(runs.all[0]?.info.token ?? '', 'log here I am', { name: 'x' }, 'text/plain');
    await editor.says(/here I am/);
    expect(await editor.request('threads')).toMatchObject({ body: { threads: [{ id: 1, name: 'obey.pipe' }] } });
    expect(editor.events('terminated')).toEqual([]);
    expect(await editor.request('terminate')).toMatchObject({ success: true });
    await editor.event('terminated');
    expect(editor.console()).toMatch(/Stopped\. Exit code 0\.\n$/);
    expect(await runningTasks()).toBe(0);
  });

  it('stops the task when the editor disconnects, and can then run again', async () => {
    await write('echo.pipe', echo);
    const first = converse();
    await first.start({ request: 'launch', program: 'echo.pipe' });
    expect(await first.request('disconnect', { restart: true })).toMatchObject({ success: true });
    expect(await runningTasks()).toBe(0);
    expect(await converse().start({ request: 'launch', program: 'echo.pipe' })).toMatchObject({ success: true });
    expect(await runningTasks()).toBe(1);
  });

  it('ends by itself with a source that has no more', async () => {
    await write('made.pipe', producing({ count: 3 }));
    const editor = converse();
    await editor.start({ request: 'launch', program: 'made.pipe' });
    await editor.event('terminated');
    expect(editor.console()).toMatch(/Completed\. Exit code 0\.\n$/);
  });

  it('says why a task failed, with its exit code', async () => {
    await write('made.pipe', producing({ count: 1, fail: 'the source is dry' }));
    const editor = converse();
    await editor.start({ request: 'launch', program: 'made.pipe' });
    await editor.event('terminated');
    expect(editor.console('stderr').match(/the source is dry/g)).toHaveLength(1);
    expect((await editor.event('exited')).body).toEqual({ exitCode: 1 });
  });

  it('sends many lines in few messages, and loses none', async () => {
    await write('obey.pipe', obeying);
    const editor = converse();
    await editor.start({ request: 'launch', program: 'obey.pipe' });
    const lines = Array.from({ length: 300 }, (_, number) => `line ${number} of many`);
    await client.send(runs.all[0]?.info.token ?? '', `log ${lines.join('\n')}`, { name: 'x' }, 'text/plain');
    await editor.says('line 299 of many');
    expect(lines.filter((line) => !editor.console().includes(line))).toEqual([]);
    expect(editor.events('output').length).toBeLessThan(100);
  });

  it('leaves a pipeline running that ran before', async () => {
    const file = await write('echo.pipe', echo);
    await runs.start(fileUri(file));
    const editor = converse();
    await editor.start({ request: 'launch', program: file });
    await editor.says('echo.pipe was running already');
    await editor.request('disconnect');
    expect(await runningTasks()).toBe(1);
  });

  it('sends no more when it is stopped in the middle', async () => {
    await write('obey.pipe', obeying);
    await write('a.txt', 'never');
    await write('b.txt', 'fine');
    const editor = converse();
    await editor.start({ request: 'launch', program: 'obey.pipe', input: ['a.txt', 'b.txt'], threads: 1 });
    const { token } = (await client.getTasks())[0] ?? { token: '' };
    await eventually('the object is under way', async () => (await client.getTaskStatus(token)).totalCount === 1);
    await editor.request('terminate');
    await editor.event('terminated');
    expect(editor.console()).toBe('Started obey.pipe on Test server.\nStopped. Exit code 0.\n');
    expect(await runningTasks()).toBe(0);
  });

  it('cancels a start that is under way', async () => {
    await write('slow.pipe', echo);
    const start = runs.start.bind(runs);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    runs.start = async (...args) => {
      const run = await start(...args);
      await held;
      return run;
    };
    const editor = converse();
    const launched = editor.start({ request: 'launch', program: 'slow.pipe' });
    await eventually('the task has started', async () => (await runningTasks()) === 1);
    const stopped = editor.request('disconnect');
    release();
    expect(await launched).toMatchObject({ success: false });
    expect(await stopped).toMatchObject({ success: true });
    expect(await runningTasks()).toBe(0);
    expect(editor.console()).toBe('');
  });
});

describe('a launch that cannot be', () => {
  const failing = async (configuration: Record<string, unknown>): Promise<string> => {
    const editor = converse();
    const response = await editor.start({ request: 'launch', ...configuration });
    expect(response).toMatchObject({ success: false, body: { error: { showUser: false } } });
    expect(runs.all).toEqual([]);
    return editor.console('stderr');
  };

  it('names the field that is wrong', async () => {
    expect(await failing({})).toContain('has no "program"');
    expect(await failing({ program: 'a.pipe', threads: '4' })).toContain('"threads"');
    expect(await failing({ program: 'a.pipe', env: { MILLRACE_A: 1 } })).toContain('"env.MILLRACE_A"');
  });

  it('says that a glob matches nothing before anything runs', async () => {
    await write('echo.pipe', echo);
    expect(await failing({ program: 'echo.pipe', input: ['*.pdf'] })).toContain('No file matches "*.pdf" of "input"');
    expect(await failing({ program: 'echo.pipe', input: 'gone.txt' })).toContain('does not exist: "gone.txt"');
    expect(await failing({ program: 'echo.pipe', envFile: 'gone.env' })).toContain('"envFile" does not exist');
    expect(await failing({ program: 'echo.pipe', connection: 'Mars' })).toContain('no connection "Mars"');
  });

  it('gives the reason of the component that refused, once', async () => {
    const [source, obey, out] = obeying.components;
    const pipeline = { ...obeying, components: [source, { ...obey, config: { refuse: 'not today' } }, out] };
    await write('obey.pipe', pipeline);
    expect((await failing({ program: 'obey.pipe' })).match(/not today/g)).toHaveLength(1);
  });
});

describe('an attach', () => {
  it('shows the output of a task by its token and leaves it running', async () => {
    const { token } = await client.use({ pipeline: obeying, name: 'Obeying' });
    await client.send(token, 'fail before', { name: 'x' }, 'text/plain');
    const editor = converse();
    expect(await editor.start({ request: 'attach', token })).toMatchObject({ success: true });
    await editor.says(/Error: .*before/);
    await client.send(token, 'fail after', { name: 'x' }, 'text/plain');
    await editor.says(/Error: .*after/);
    expect(editor.console()).toContain('Attached to Obeying.in on Test server.');
    expect(editor.console().match(/before/g)).toHaveLength(1);
    await editor.request('disconnect');
    expect(await runningTasks()).toBe(1);
  });

  it('finds a task by project and source, and stops it when it is asked to', async () => {
    await client.use({ pipeline: echo });
    const editor = converse();
    await editor.start({ request: 'attach', projectId: 'echo-project', source: 'in' });
    await editor.request('disconnect', { terminateDebuggee: true });
    expect(await runningTasks()).toBe(0);
  });

  it('ends when somebody else stops the task', async () => {
    const { token } = await client.use({ pipeline: echo });
    const editor = converse();
    await editor.start({ request: 'attach', token });
    await client.terminate(token);
    await editor.event('terminated');
    expect(editor.console()).toMatch(/Stopped\. Exit code 0\.\n$/);
  });

  it('says that there is no such task', async () => {
    const editor = converse();
    expect(await editor.start({ request: 'attach', token: 'tk_none' })).toMatchObject({ success: false });
    expect(editor.console('stderr')).toContain('Your pipeline is not running');
  });
});

describe('the debug console', () => {
  it('sends what is typed as an object and prints the result', async () => {
    await write('obey.pipe', obeying);
    const editor = converse();
    await editor.start({ request: 'launch', program: 'obey.pipe' });
    const typed = (expression: string) => editor.request('evaluate', { expression, context: 'repl' });
    expect(await typed('hello there')).toMatchObject({ body: { result: 'hello there', variablesReference: 0 } });
    const failed = await typed('fail {name} is wrong');
    expect(failed).toMatchObject({ success: false });
    expect(JSON.stringify(failed.body)).toContain('is wrong');
    expect(editor.console()).not.toContain('is wrong');
  });

  it('asks a pipeline that is a chat', async () => {
    const model = await startScriptedModel([{ say: 'I am a model' }]);
    const { token } = await client.use({ pipeline: chatWith(model.baseUrl) });
    const editor = converse();
    await editor.start({ request: 'attach', token });
    const answer = await editor.request('evaluate', { expression: 'who are you', context: 'repl' });
    expect(answer).toMatchObject({ body: { result: 'I am a model' } });
    await model.close();
  });

  it('says about every breakpoint that it does not stop yet', async () => {
    const editor = converse();
    const breakpoints = [{ line: 3 }, { line: 9 }];
    const { body } = await editor.request('setBreakpoints', { source: { path: 'a.pipe' }, breakpoints });
    const message = expect.stringContaining('comes with the debugger');
    expect(body).toEqual({
      breakpoints: [3, 9].map((line) => ({ verified: false, message, line, source: { path: 'a.pipe' } })),
    });
  });

  it('refuses what it cannot do, and ignores what is no request', async () => {
    const editor = converse();
    editor.session.handleMessage('garbage');
    editor.session.handleMessage({ type: 'response' });
    expect(await editor.request('pause')).toMatchObject({ success: false });
    expect(await editor.request('constructor')).toMatchObject({ success: false });
  });
});

describe('a server that speaks the older dialect only', () => {
  it('takes a launch, its input and a stop like any other', async () => {
    const proxy = await startPeerProxy(server.url);
    const old = new TestConnection('Old', { url: proxy.url, key: server.key });
    try {
      await write('obey.pipe', obeying);
      await write('good.txt', 'fine');
      await write('bad.txt', 'fail this is wrong');
      const editor = new Conversation(
        new MillraceDebugSession({ runs, connections: connectionsOf(old, connection), folder, fileUri, findFiles }),
      );
      conversations.push(editor);
      const input = ['good.txt', 'bad.txt'];
      await editor.start({ request: 'launch', program: 'obey.pipe', connection: 'Old', input, threads: 1 });
      await editor.event('terminated');
      expect(editor.console()).toMatch(/^good\.txt .* text: fine$/m);
      expect(editor.console()).toMatch(/^bad\.txt .* failed: .*this is wrong$/m);
      expect(editor.console()).toMatch(/2 objects, 1 failed\. Exit code 1\.\n$/);
      expect(await runningTasks()).toBe(0);
    } finally {
      await old.close();
      await proxy.close();
    }
  });
});

describe('a server that goes away', () => {
  it('ends the session with the reason, and does not send what is left', async () => {
    const own = await startServer({ args: ['--components', components] });
    const doomed = new TestConnection('Doomed', own);
    try {
      await write('obey.pipe', obeying);
      for (const name of ['a', 'b', 'c']) await write(`${name}.txt`, 'never');
      const editor = new Conversation(
        new MillraceDebugSession({ runs, connections: connectionsOf(doomed), folder, fileUri, findFiles }),
      );
      conversations.push(editor);
      await editor.start({ request: 'launch', program: 'obey.pipe', input: '*.txt', threads: 1 });
      const { token } = (await (await doomed.client()).getTasks())[0] ?? { token: '' };
      const busy = async () => (await (await doomed.client()).getTaskStatus(token)).totalCount === 1;
      await eventually('the object is under way', busy);
      await own.stop();
      await editor.event('terminated');
      expect(editor.console('stderr')).toMatch(/^a\.txt .*failed: /m);
      expect(editor.console()).toMatch(/Exit code 1\.\n$/);
      expect(editor.console()).not.toContain('b.txt');
      expect((await editor.event('exited')).body).toEqual({ exitCode: 1 });
    } finally {
      await doomed.close();
    }
  });

  it('ends a session that waits when the connection gives up', async () => {
    await write('echo.pipe', echo);
    const editor = converse();
    await editor.start({ request: 'launch', program: 'echo.pipe' });
    connection.change({ kind: 'waiting', reason: 'gone' });
    await editor.says('The connection was lost, waiting for it: gone');
    connection.change({ kind: 'failed', reason: 'the key is refused', hint: 'Set another one.' });
    await editor.event('terminated');
    expect(editor.console('stderr')).toContain('The connection was lost: the key is refused');
  });

  it('ends when the server comes back without the task', async () => {
    await write('echo.pipe', echo);
    const editor = converse();
    await editor.start({ request: 'launch', program: 'echo.pipe' });
    const { getTaskStatus } = client;
    const { MillraceError } = await import('../../protocol/errors.js');
    client.getTaskStatus = () => Promise.reject(new MillraceError('task_unknown'));
    connection.change({ kind: 'waiting', reason: 'gone' });
    connection.change({ kind: 'connected', url: server.url, serverVersion: '' });
    await editor.event('terminated');
    client.getTaskStatus = getTaskStatus;
    expect(editor.console('stderr')).toContain('does not have the task any more');
  });
});
