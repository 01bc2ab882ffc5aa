import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventMessage, MillraceClient, UploadProgress } from '../client/typescript/src/index.js';
import { built } from './support/builtClient.js';
import { type PeerProxy, startPeerProxy } from './support/peerProxy.js';
import { chatWith, echo, obeying } from './support/pipelines.js';
import { eventually } from './support/poll.js';
import { startScriptedModel } from './support/scriptedModel.js';
import { startServer, type TestServer } from './support/server.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';

const { Answer, Question, TaskState } = built;
const root = resolve(import.meta.dirname, '..');
const temporary = temporaryDirectories();
const uuid = /^[0-9a-f-]{36}$/;
let server: TestServer;
let proxy: PeerProxy;

beforeAll(async () => {
  server = await startServer({
    args: ['--components', join(root, 'test', 'support', 'components')],
    env: { MILLRACE_SERVER_SIDE: 'from the server' },
  });
  proxy = await startPeerProxy(server.url);
});

afterAll(async () => {
  await proxy.close();
  await server.stop();
});

it('falls back to the commands of existing servers when ours are not known', async () => {
  const client = new built.MillraceClient({ uri: proxy.url, auth: server.key });
  await client.connect();
  await client.ping();
  await client.disconnect();
  expect([...proxy.commands]).toEqual(['auth', 'rrext_ping', 'deauth']);
});

describe.each(['spec', 'peer'])('in the dialect "%s"', (dialect) => {
  let client: MillraceClient;

  beforeEach(async () => {
    client = new built.MillraceClient({ uri: dialect === 'spec' ? server.url : proxy.url, auth: server.key });
    await client.connect();
  });

  afterEach(async () => {
    for (const { token } of await client.getTasks()) await client.terminate(token);
    await client.disconnect();
  });

  it('starts a pipeline, sends it data, reads its status and terminates it', async () => {
    const started = await client.use({ pipeline: { ...echo, name: 'Echo' }, token: 'TS-1', name: 'Echo', ttl: 60 });
    expect(started).toMatchObject({ token: 'TS-1', source: 'in', provider: 'webhook', projectId: 'echo-project' });
    expect(started.publicToken).toMatch(/^pk_/);
    const text = await client.send('TS-1', 'Grüß dich');
    expect(text).toEqual({
      objectId: expect.stringMatching(uuid) as string,
      name: expect.stringMatching(uuid) as string,
      path: '',
      result_types: ['text'],
      text: ['Grüß dich\n\n'],
    });
    const bytes = await client.send('TS-1', Buffer.from('bytes'), { name: 'a/b.txt' }, 'text/plain');
    expect(bytes).toMatchObject({ name: 'a/b.txt', path: 'a', text: ['bytes\n\n'] });
    const status = await client.getTaskStatus('TS-1');
    expect(status).toMatchObject({
      state: TaskState.RUNNING,
      completed: false,
      project_id: 'echo-project',
      source: 'in',
      totalCount: 2,
      completedCount: 2,
      failedCount: 0,
      errors: [],
      warnings: [],
      endTime: 0,
      exitCode: 0,
    });
    expect(status.name).toMatch(/^Echo\./);
    await client.terminate('TS-1');
    expect(await client.getTaskStatus('TS-1')).toMatchObject({ state: TaskState.CANCELLED, completed: true });
    await expect(client.send('TS-1', 'late')).rejects.toThrow('The task was stopped');
  });

  it('streams an object through a pipe', async () => {
    const { token } = await client.use({ pipeline: echo });
    const pipe = client.pipe(token, { name: 'stream.txt' }, 'text/plain', 'webhook');
    await expect(pipe.write(Buffer.from('too early'))).rejects.toThrow(/not open/);
    await pipe.open();
    await pipe.write(Buffer.from('one'));
    await pipe.write(Buffer.from('two'));
    expect(await pipe.close()).toMatchObject({ name: 'stream.txt', text: ['one\n\ntwo\n\n'] });
    await expect(client.pipe(token, {}, 'text/plain', 'chat').open()).rejects.toThrow(/looking for a "chat"/);
  });

  it('uploads several files with progress and tells which of them failed', async () => {
    const events: UploadProgress[] = [];
    client.listen(({ event, body }: EventMessage) => {
      if (event === 'apaevt_status_upload') events.push(body as UploadProgress);
    });
    const { token } = await client.use({ pipeline: obeying });
    const onDisk = join(await temporary(), 'disk.txt');
    await writeFile(onDisk, 'from the disk');
    const results = await client.sendFiles(
      [
        { file: new File(['fine'], 'a.txt', { type: 'text/plain' }) },
        { file: new File(['fail on purpose'], 'b.txt', { type: 'text/plain' }), objinfo: { name: 'renamed.txt' } },
        { file: new File(['typed'], 'c.bin'), mimetype: 'text/plain' },
        onDisk,
      ],
      token,
    );
    expect(results.map(({ action }) => action)).toEqual(['complete', 'error', 'complete', 'complete']);
    expect(results[0]).toMatchObject({
      filepath: 'a.txt',
      bytes_sent: 4,
      file_size: 4,
      result: { text: ['fine\n\n'] },
    });
    expect(results[1]?.error).toBe('on purpose');
    expect(results[3]?.result).toMatchObject({ name: 'disk.txt', text: ['from the disk\n\n'] });
    const written = events.filter(({ action, filepath }) => action === 'write' && filepath === 'c.bin');
    expect(written.at(-1)).toMatchObject({ bytes_sent: 5, file_size: 5 });
    expect(await client.getTaskStatus(token)).toMatchObject({ completedCount: 3, failedCount: 1 });
    await expect(client.sendFiles([join(root, 'no such file')], token)).rejects.toThrow(/File not found/);
  });

  it('refuses what is no data', async () => {
    const { token } = await client.use({ pipeline: echo });
    await expect(client.send(token, 42 as unknown as string)).rejects.toThrow(/string or bytes/);
  });

  it('validates pipelines and components without starting them', async () => {
    const good = await client.validate(echo);
    expect(good).toMatchObject({ errors: [], warnings: [], resolved: { id: 'in', provider: 'webhook' } });
    expect(good.chain).toEqual(['in', 'out']);
    const { source: _, ...implied } = echo;
    expect((await client.validate(implied)).resolved).toMatchObject({ id: 'in' });
    expect((await client.validate({ ...echo, source: 'nobody' }, 'in')).resolved).toMatchObject({ id: 'in' });
    const bad = await client.validate({ source: 'in', components: [{ id: 'in', provider: 'nonsense', config: {} }] });
    expect(bad.errors).toEqual([expect.stringContaining('nonsense')]);
    const component = { id: 'x', provider: 'preprocessor_langchain', config: { profile: 'nonsense' } };
    expect((await client.validateComponent(component)).errors).not.toEqual([]);
    expect((await client.validateComponent({ id: 'x', provider: 'webhook', config: {} })).errors).toEqual([]);
    expect(await client.getTasks()).toEqual([]);
  });

  it('makes one task of 16 simultaneous starts with the same token', async () => {
    const start = { pipeline: echo, token: 'one-task', useExisting: true };
    const started = await Promise.all(Array.from({ length: 16 }, () => client.use(start)));
    expect(new Set(started.map(({ publicToken }) => publicToken)).size).toBe(1);
    expect(await client.getTasks()).toHaveLength(1);
    await expect(client.use({ pipeline: echo, token: 'one-task' })).rejects.toThrow('Pipeline is already running.');
  });

  it('chats with answers that stream in pieces, and with answers that are JSON', async () => {
    const model = await startScriptedModel([{ say: ['For', 'ty', '-two'] }, { say: '```json\n{"n": 42}\n```' }]);
    const { token } = await client.use({ pipeline: chatWith(model.baseUrl) });
    const pieces: unknown[] = [];
    const onEvent = (type: string, data: Record<string, unknown>) => type === 'delta' && pieces.push(data['text']);
    const question = new Question({ role: 'You are brief.' }).addContext('Answer to everything').addQuestion('What?');
    const first = await client.chat({ token, question, onEvent });
    expect(Answer.of(first).map((answer) => answer.getText())).toEqual(['Forty-two']);
    expect(pieces.join('')).toBe('Forty-two');
    const prompt = JSON.stringify(model.requests[0]?.body);
    for (const part of ['You are brief.', 'Answer to everything', 'What?']) expect(prompt).toContain(part);
    const second = await client.chat({ token, question: new Question({ expectJson: true }).addQuestion('As JSON') });
    expect(second['answers']).toEqual([{ n: 42 }]);
    expect(Answer.of(second)[0]?.getJson()).toEqual({ n: 42 });
    await model.close();
  });

  it('keeps two conversations apart whose tokens begin alike', async () => {
    const tokens = ['conversation-a', 'conversation-b'];
    const models = await Promise.all(tokens.map((token) => startScriptedModel([{ say: ['I am ', token] }])));
    for (const [at, { baseUrl }] of models.entries()) {
      await client.use({ pipeline: { ...chatWith(baseUrl), project_id: `chat ${at}` }, token: tokens[at] });
    }
    const ask = async (token: string): Promise<string> => {
      let text = '';
      const onEvent = (type: string, data: Record<string, unknown>) => {
        if (type === 'delta') text += String(data['text']);
      };
      await client.chat({ token, question: 'Who are you?', onEvent });
      return text;
    };
    const heard = await Promise.all(tokens.map(ask));
    expect(heard).toEqual(tokens.map((token) => `I am ${token}`));
    await Promise.all(models.map((model) => model.close()));
  });

  it('puts variables into a pipeline: those of the options, of .env and of the server', async () => {
    const [source, response] = echo.components;
    const laneName = '${SERVICE_FILE}, ${SERVICE_BOTH}, ${MILLRACE_SERVER_SIDE}, ${HOME}';
    const named = { ...response, config: { lanes: [{ laneId: 'text', laneName }] } };
    const pipeline = { ...echo, components: [source, named] };
    const folder = process.cwd();
    process.chdir(await temporary());
    try {
      await writeFile('.env', 'SERVICE_FILE="from .env"\nSERVICE_BOTH=hidden\nHOME=never\n');
      const own = new built.MillraceClient({ uri: client.url, auth: server.key, env: { SERVICE_BOTH: 'an option' } });
      await own.connect();
      const { token } = await own.use({ pipeline });
      const kept = JSON.stringify(await own.getPipeline(token));
      expect(kept).toContain('from .env, an option, ${MILLRACE_SERVER_SIDE}, ${HOME}');
      expect((await own.send(token, 'x')).result_types).toEqual(['from .env, an option, from the server, <REDACTED>']);
      await own.disconnect();
    } finally {
      process.chdir(folder);
    }
    expect(named.config.lanes[0]?.laneName).toBe(laneName);
  });

  it('starts a JSON5 file under its own name, and says what is wrong with a bad one', async () => {
    const folder = await temporary();
    const file = join(folder, 'greeting.pipe.json5');
    await writeFile(file, `// a comment\n${JSON.stringify(echo)}`);
    const { token } = await client.use({ filepath: file, source: 'in' });
    expect((await client.getTaskStatus(token)).name).toMatch(/^greeting\./);
    await writeFile(file, '{');
    await expect(client.use({ filepath: file })).rejects.toThrow(/greeting\.pipe\.json5/);
    await expect(client.use({ filepath: join(folder, 'none') })).rejects.toBeInstanceOf(built.FileNotFoundError);
    await expect(client.use({})).rejects.toBeInstanceOf(built.ValidationError);
  });

  it('restarts a task by its token and by its project, which keeps the token', async () => {
    const { token, publicToken } = await client.use({ pipeline: obeying, ttl: 0 });
    await client.send(token, 'before');
    const again = await client.restart({ token, pipeline: { ...obeying, project_id: 'ignored' } });
    expect(again).toMatchObject({ token, publicToken, projectId: 'obey-project' });
    expect(await client.getTaskStatus(token)).toMatchObject({ totalCount: 0, completed: false });
    const third = await client.restart({ projectId: 'obey-project', source: 'in', pipeline: obeying });
    expect(third.token).toBe(token);
    expect(await client.getToken('obey-project', 'in')).toBe(token);
    expect(await client.send(token, 'after')).toMatchObject({ text: ['after\n\n'] });
  });

  it('hears the events it subscribed to, until it leaves the loop', async () => {
    const { token } = await client.use({ pipeline: echo, pipelineTraceLevel: 'summary' });
    const seen: string[] = [];
    const sent = client.send(token, 'watched').then(() => client.send(token, 'watched again'));
    for await (const { body } of client.events({ key: { token }, types: ['flow'] })) {
      seen.push((body as { op: string }).op);
      if (seen.at(-1) === 'end') break;
    }
    await sent;
    expect(seen.at(-1)).toBe('end');
  });

  it('keeps files and deployments on the server', async () => {
    const data = Buffer.from([0, 10, 255]);
    expect(await client.store.write(`${dialect}/data.bin`, data)).toBe(3);
    expect(Buffer.from(await client.store.read(`${dialect}/data.bin`))).toEqual(data);
    await client.store.rename(`${dialect}/data.bin`, `${dialect}/moved.bin`);
    expect((await client.store.list(dialect)).map(({ name }) => name)).toEqual(['moved.bin']);
    await client.store.rmdir(dialect, true);
    expect(await client.store.stat(dialect)).toEqual({ exists: false });
    const added = await client.deployments.add({ ...echo, project_id: dialect }, '@daily');
    expect(added).toMatchObject({ schedule: '@daily', state: 'active' });
    await client.deployments.update(dialect, { schedule: 'manual' });
    expect(await client.deployments.status(dialect)).toMatchObject({ schedule: 'manual' });
    await client.deployments.remove(dialect);
    expect(await client.deployments.list()).toEqual([]);
  });

  it('describes the server and its providers', async () => {
    const info = await client.getServerInfo();
    const { version } = JSON.parse(await readFile(join(root, 'engine', 'package.json'), 'utf8')) as { version: string };
    expect(info).toMatchObject({ version, platform: process.platform });
    expect(Object.keys((await client.getServices()).services)).toEqual(expect.arrayContaining(['webhook', 'obey']));
    await expect(client.getService('nonsense')).rejects.toBeInstanceOf(built.NotFoundError);
    expect(await client.dashboard()).toMatchObject({ overview: { activeTasks: 0 } });
    await eventually('a sign of life', async () => (await client.ping()) >= 0);
  });
});
