import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPeerProxy } from '../../test/support/peerProxy.js';
import { echo, obeying } from '../../test/support/pipelines.js';
import { eventually } from '../../test/support/poll.js';
import { startServer, type TestServer } from '../../test/support/server.js';
import { componentsFolder } from '../../test/support/worker.js';
import { type RunEnd, RunService } from './runService.js';
import { FakeConnection, FakeHost, fakeUri, silentLog } from './testing/fakes.js';

const args = ['--components', componentsFolder];
const otherKey = 'another-key-of-the-same-server-0123456789';
const file = fakeUri('/project/letters.pipe');

let server: TestServer;
let connection: FakeConnection;
let host: FakeHost;
let runs: RunService;
let ends: RunEnd[];

function makeRuns(graceMs = 60_000): RunService {
  const service = new RunService({ host, currentConnection: () => connection, log: silentLog, graceMs });
  service.onDidEnd((end) => ends.push(end));
  return service;
}

function endOfRun(): Promise<RunEnd> {
  return eventually('the run has ended', () => ends[0]);
}

beforeAll(async () => {
  server = await startServer({ args, keys: ['the-key-of-these-tests-0123456789-abcdef', otherKey] });
});

afterAll(() => server.stop());

beforeEach(() => {
  host = new FakeHost();
  ends = [];
  connection = new FakeConnection(server.url, server.key);
  runs = makeRuns();
});

afterEach(async () => {
  await Promise.all(runs.all.map((run) => runs.stop(run).catch(() => undefined)));
  runs.dispose();
  await connection.close();
});

describe('starting a pipeline file', () => {
  it('starts it with the settings of the file and lists it until it is stopped', async () => {
    host.write(file, echo);
    let changes = 0;
    runs.onDidChange(() => changes++);
    const run = await runs.start(file);
    expect(runs.of(file)).toBe(run);
    expect(changes).toBe(1);
    const client = await connection.client();
    expect((await client.send(run.info.token, 'hello')).text).toEqual(['hello\n\n']);
    expect((await client.getTaskStatus(run.info.token)).name).toContain('letters');
    await runs.stop(run);
    expect(runs.all).toEqual([]);
    expect(changes).toBe(2);
    expect(await client.getTasks()).toEqual([]);
  });

  it('gives the run that is there when it is started again, also while it starts', async () => {
    host.write(file, echo);
    const [first, second] = await Promise.all([runs.start(file), runs.start(file)]);
    expect(second).toBe(first);
    expect(await runs.start(file)).toBe(first);
    expect(runs.all).toHaveLength(1);
  });

  it('gives a pipeline without a project id the same one each time, and another one than other files have', async () => {
    const { project_id: _none, ...nameless } = echo;
    const other = host.write(fakeUri('/project/other.pipe'), nameless);
    host.write(file, nameless);
    const first = await runs.start(file);
    await runs.stop(first);
    const again = await runs.start(file);
    expect(again.info.projectId).toBe(first.info.projectId);
    expect((await runs.start(other)).info.projectId).not.toBe(first.info.projectId);
    expect(host.files.get(file.toString())).not.toContain('project_id');
  });

  it('asks for the source when several are possible, and runs each of them once', async () => {
    const { source: _none, ...open } = echo;
    const second = { id: 'ask', provider: 'chat', config: { mode: 'Source' } };
    host.write(file, { ...open, components: [...echo.components, second] });
    await expect(runs.start(file)).rejects.toMatchObject({ code: 'cancelled' });
    host.answer = 'in';
    const run = await runs.start(file);
    expect(host.asked).toEqual([
      ['in', 'ask'],
      ['in', 'ask'],
    ]);
    expect(run).toMatchObject({ info: { source: 'in' }, isChat: false });
    const chat = await runs.start(file, { source: 'ask' });
    expect(chat.isChat).toBe(true);
    expect(runs.of(file)).toBe(chat);
    expect(runs.all).toHaveLength(2);
  });

  it('puts in variables of the .env files and those given, the nearer one winning', async () => {
    host.folder = fakeUri('/project');
    host.write(fakeUri('/project/.env'), 'MILLRACE_A=folder\nMILLRACE_B=folder\nMILLRACE_C=folder\nSECRET=no');
    host.write(fakeUri('/project/deep/.env'), 'MILLRACE_B=beside\nMILLRACE_C=beside');
    const deep = fakeUri('/project/deep/a.pipe');
    host.write(deep, { ...echo, description: '${MILLRACE_A} ${MILLRACE_B} ${MILLRACE_C}' });
    const run = await runs.start(deep, { env: { MILLRACE_C: 'given' } });
    const pipeline = await (await connection.client()).getPipeline(run.info.token);
    expect(pipeline.description).toBe('folder beside given');
  });

  it('says what is wrong with a broken, empty or missing file, and starts nothing', async () => {
    host.write(file, '{ components: [');
    await expect(runs.start(file)).rejects.toMatchObject({ code: 'pipeline_syntax' });
    host.write(file, '');
    await expect(runs.start(file)).rejects.toThrow(/empty/);
    host.files.clear();
    await expect(runs.start(file)).rejects.toMatchObject({ code: 'file_not_found' });
    expect(runs.all).toEqual([]);
  });

  it('passes on why a server refuses a pipeline', async () => {
    host.write(file, { components: [] });
    await expect(runs.start(file)).rejects.toMatchObject({ code: 'source_missing' });
    host.write(file, { ...echo, components: [{ id: 'in', provider: 'webhok', config: {} }] });
    await expect(runs.start(file)).rejects.toThrow(/webhok/);
  });
});

describe('following a run', () => {
  it('tells once why a run has failed', async () => {
    host.write(file, obeying);
    const run = await runs.start(file);
    const client = await connection.client();
    await client.send(run.info.token, 'exit').catch(() => undefined);
    const end = await endOfRun();
    expect(end).toMatchObject({ run, kind: 'failed' });
    expect(end.message).not.toBe('');
    expect(runs.all).toEqual([]);
    expect(ends).toHaveLength(1);
  });

  it('notices that somebody else has ended the task', async () => {
    host.write(file, echo);
    const run = await runs.start(file);
    await (await connection.client()).terminate(run.info.token);
    expect(await endOfRun()).toMatchObject({ run, kind: 'ended', message: '' });
  });

  it('keeps a run under the new name of its file, and under the old one when it is deleted', async () => {
    host.write(file, echo);
    const run = await runs.start(file);
    const renamed = fakeUri('/moved/letters.pipe');
    host.renames.fire([{ oldUri: fakeUri('/project'), newUri: fakeUri('/moved') }]);
    expect(runs.of(renamed)).toBe(run);
    expect(runs.of(file)).toBeUndefined();
    host.files.clear();
    await runs.stop(run);
    expect(runs.all).toEqual([]);
  });

  it('ends the runs of the local engine when it is gone, with its reason, once', async () => {
    connection = new FakeConnection(server.url, server.key, 'local');
    host.write(file, echo);
    await runs.start(file);
    connection.become({ kind: 'waiting', reason: 'The engine has crashed.' });
    connection.become({ kind: 'connecting' });
    expect(ends.map(({ kind, message }) => [kind, message])).toEqual([['lost', 'The engine has crashed.']]);
  });

  it('keeps a run of a remote server that comes back', async () => {
    host.write(file, echo);
    const run = await runs.start(file);
    connection.become({ kind: 'waiting', reason: 'network' });
    connection.become({ kind: 'connected', url: server.url, serverVersion: '' });
    expect(runs.of(file)).toBe(run);
    await (await connection.client()).send(run.info.token, 'still there');
    expect(ends).toEqual([]);
  });

  it('ends a run that a server does not know any more when it comes back', async () => {
    host.write(file, echo);
    const run = await runs.start(file);
    const other = new FakeConnection(server.url, otherKey);
    connection.client = () => other.client();
    connection.become({ kind: 'connected', url: server.url, serverVersion: '' });
    expect(await endOfRun()).toMatchObject({ run, kind: 'lost' });
    await other.close();
  });

  it('ends a run when its remote server dies and does not come back', async () => {
    runs.dispose();
    runs = makeRuns(1);
    const mortal = await startServer();
    const own = new FakeConnection(mortal.url, mortal.key);
    host.write(file, echo);
    const run = await runs.start(file, { connection: own });
    await mortal.stop();
    expect(await endOfRun()).toMatchObject({ run, kind: 'lost', message: 'Test cannot be reached.' });
    await own.close();
    expect(ends).toHaveLength(1);
  });

  it('runs, follows and stops on a server of the older dialect', async () => {
    const proxy = await startPeerProxy(server.url);
    const old = new FakeConnection(proxy.url, server.key);
    host.write(file, echo);
    const run = await runs.start(file, { connection: old });
    const client = await old.client();
    expect((await client.send(run.info.token, 'hello')).text).toEqual(['hello\n\n']);
    await (await connection.client()).terminate(run.info.token);
    expect((await endOfRun()).kind).toBe('ended');
    const second = await runs.start(file, { connection: old });
    await runs.stop(second);
    expect(ends.at(-1)).toMatchObject({ run: second, kind: 'stopped' });
    await old.close();
    await proxy.close();
  });
});
