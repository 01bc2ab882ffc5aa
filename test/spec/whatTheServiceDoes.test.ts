import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { built } from '../support/builtClient.js';
import { startCuttingProxy } from '../support/cuttingProxy.js';
import { chatWith, echo, obeying } from '../support/pipelines.js';
import { startScriptedModel } from '../support/scriptedModel.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { itWithPython, pythonDoor } from './python.js';
import { downloads, offering, packages, repository, specSession } from './session.js';

const temporary = temporaryDirectories();
const offered = offering();
// A proxy in between has another port.
const session = specSession(async () => ({ args: [...(await offered()).args, '--allow-host', '127.0.0.1'] }));
const python = pythonDoor(session);
const echoFile = join(repository, 'examples', 'pipelines', 'echo.pipe.json');

describe('What the service does', () => {
  it('1. starts a pipeline from a JSON or JSON5 file, or from an object', async () => {
    const file = join(await temporary(), 'echo.pipe');
    await writeFile(file, `// JSON5\n${JSON.stringify({ ...echo, project_id: 'json5' })}`);
    for (const options of [
      { filepath: echoFile },
      { filepath: file },
      { pipeline: { ...echo, project_id: 'object' } },
    ]) {
      const { token } = await session.client.use(options);
      expect(await session.client.send(token, 'x')).toMatchObject({ text: ['x\n\n'] });
    }
  });

  it('2. gives a token that every later operation needs', async () => {
    const { client } = session;
    const { token } = await client.use({ pipeline: { ...echo, project_id: 'token' } });
    expect(token).toEqual(expect.stringMatching(/./));
    for (const failing of [client.send('', 'x'), client.getTaskStatus(''), client.terminate('')]) {
      await expect(failing).rejects.toMatchObject({ code: 'token_required' });
    }
    await client.terminate(token);
  });

  it('3. takes data in three ways: an item, several files, a stream', async () => {
    const { client } = session;
    const { token } = await client.use({ pipeline: { ...echo, project_id: 'ways' } });
    const file = join(await temporary(), 'a.txt');
    await writeFile(file, 'file');
    expect(await client.send(token, 'item')).toMatchObject({ text: ['item\n\n'] });
    expect(await client.sendFiles([file], token)).toMatchObject([{ result: { text: ['file\n\n'] } }]);
    const pipe = await client.pipe(token, {}, 'text/plain').open();
    await pipe.write('stream');
    expect(await pipe.close()).toMatchObject({ text: ['stream\n\n'] });
  });

  it('4. tells status and metrics at any time, also when the task has ended', async () => {
    const { client } = session;
    const { token } = await client.use({ pipeline: { ...echo, project_id: 'status' } });
    expect(await client.getTaskStatus(token)).toMatchObject({ completed: false, metrics: {} });
    await client.terminate(token);
    expect(await client.getTaskStatus(token)).toMatchObject({ completed: true, metrics: {} });
  });

  it('5. checks a configuration without starting it and without authentication', async () => {
    const before = await session.client.getTasks();
    const response = await session.post('/pipe/validate', { pipeline: { ...echo, project_id: 'only checked' } });
    expect(await response.json()).toMatchObject({ status: 'OK', data: { errors: [] } });
    expect(await session.client.getTasks()).toEqual(before);
  });

  it.each(downloads)('6. serves %s from a public route', async (path, name) => {
    const response = await fetch(`${session.server.url}/client/${path}`);
    expect([response.status, await response.text()]).toEqual([200, packages[name]]);
  });

  it('7. connects with a key and calls back: `onConnected`, `onEvent`, `onDisconnected`', async () => {
    const told: string[] = [];
    const client = session.another({
      onConnected: () => told.push('connected'),
      onDisconnected: () => told.push('disconnected'),
      onEvent: ({ event }) => told.push(event),
    });
    await client.connect();
    const { token } = await client.use({ pipeline: { ...echo, project_id: 'calls back' } });
    await client.subscribe({ token }, ['task']);
    await client.terminate(token);
    await client.disconnect();
    expect(told[0]).toBe('connected');
    expect(told).toContain('apaevt_task');
    expect(told.at(-1)).toBe('disconnected');
  });

  it('7. reconnects by itself in persist mode, and only there', async () => {
    const { token } = await session.client.use({ pipeline: { ...echo, project_id: 'lost' } });
    const proxy = await startCuttingProxy(session.server.url);
    proxy.cutAfter('toServer', 20_000);
    const connect = async (persist: boolean) => {
      const told: string[] = [];
      const client = session.another({
        uri: proxy.url,
        persist,
        onConnected: () => told.push('connected'),
        onDisconnected: () => told.push('disconnected'),
      });
      await client.connect();
      return { client, told, lose: () => client.send(token, 'x'.repeat(100_000)) };
    };
    const once = await connect(false);
    const lasting = await connect(true);
    await expect(once.lose()).rejects.toMatchObject({ code: 'connection_lost' });
    await expect(lasting.lose()).rejects.toMatchObject({ code: 'connection_lost' });
    await expect.poll(() => lasting.told).toEqual(['connected', 'disconnected', 'connected']);
    // Twice, so that the other has had the time for it too.
    proxy.cutAfter('toServer', Infinity);
    await expect(lasting.lose()).rejects.toMatchObject({ code: 'connection_lost' });
    await expect.poll(() => lasting.told.filter((each) => each === 'connected')).toHaveLength(3);
    expect(await lasting.client.send(token, 'again')).toMatchObject({ text: ['again\n\n'] });
    await expect(once.client.send(token, 'again')).rejects.toBeInstanceOf(built.ConnectionError);
    expect(once.told).toEqual(['connected', 'disconnected']);
    for (const { client } of [once, lasting]) await client.disconnect();
    await session.client.terminate(token);
    await proxy.close();
  });

  it('7. tells each attempt that fails to `onConnectError`, and ends after the maximum retry time', async () => {
    const failed: string[] = [];
    const nowhere = session.another({
      uri: 'http://127.0.0.1:9',
      persist: true,
      maxRetryTime: 300,
      onConnectError: ({ code }) => failed.push(code),
    });
    await expect(nowhere.connect()).rejects.toBeInstanceOf(built.ConnectionError);
    expect(failed.length).toBeGreaterThan(1);
  });

  it('7. limits the time of each request', async () => {
    const { token } = await session.client.use({ pipeline: { ...obeying, project_id: 'limited' } });
    const client = session.another({ requestTimeout: 300 });
    await client.connect();
    await expect(client.send(token, 'hang')).rejects.toBeInstanceOf(built.TimeoutError);
    expect(client.connected).toBe(true);
    await session.client.terminate(token);
  });

  it('7. chats with a Question', async () => {
    const model = await startScriptedModel([{ say: 'Yes.' }]);
    const { token } = await session.client.use({ pipeline: chatWith(model.baseUrl) });
    const question = new built.Question().addQuestion('Is it?');
    expect(await session.client.chat({ token, question })).toMatchObject({ answers: ['Yes.'] });
    expect(model.requests[0]?.prompt).toContain('Is it?');
    await session.client.terminate(token);
    await model.close();
  });

  itWithPython('7. Python: the callbacks, persist mode, both limits of time, and chat', async () => {
    const { client } = session;
    const { token } = await client.use({ pipeline: { ...obeying, project_id: 'python' }, ttl: 0 });
    const model = await startScriptedModel([{ say: 'Yes.' }]);
    const { token: chat } = await client.use({ pipeline: chatWith(model.baseUrl) });
    const proxy = await startCuttingProxy(session.server.url);
    proxy.cutAfter('toServer', 20_000);
    const body = `
told, failed = [], []
lost = MillraceClient(
    proxy,
    persist=True,
    on_connected=lambda _: told.append('connected'),
    on_disconnected=lambda *_: told.append('disconnected'),
    on_event=lambda message: told.append(message['event']),
)
await lost.connect()
while not os.path.exists(go):
    await asyncio.sleep(0.01)
first = await classes(lost.send(token, 'x' * 100_000))
for _ in range(1000):
    if len(told) > 2:
        break
    await asyncio.sleep(0.01)
second = await classes(lost.send(token, 'x' * 100_000))
nowhere = MillraceClient(
    'http://127.0.0.1:9', persist=True, max_retry_time=0.3, on_connect_error=lambda error: failed.append(error.code)
)
ended = await classes(nowhere.connect())
async with MillraceClient(request_timeout=0.3) as hurried:
    late = await classes(hurried.send(token, 'hang'))
answer = await client.chat(token=chat, question=Question().add_question('Is it?'))
await lost.disconnect()
return {'told': told, 'failed': failed, 'first': first, 'second': second, 'ended': ended, 'late': late, 'answer': answer}
`;
    const go = join(await temporary(), 'go');
    const cut = python.coroutine(body, { token, chat, proxy: proxy.url, go });
    // The first connection alone is cut.
    await expect.poll(() => proxy.carried.toServer).toBeGreaterThan(0);
    proxy.cutAfter('toServer', Infinity);
    await writeFile(go, '');
    expect(await cut).toEqual({
      told: ['connected', 'disconnected', 'connected', 'disconnected'],
      failed: expect.arrayContaining(['connection_failed', 'connection_failed']) as string[],
      first: expect.arrayContaining(['ConnectionError']) as string[],
      second: [],
      ended: expect.arrayContaining(['ConnectionError']) as string[],
      late: expect.arrayContaining(['TimeoutError']) as string[],
      answer: expect.objectContaining({ answers: ['Yes.'] }) as unknown,
    });
    for (const each of [token, chat]) await client.terminate(each);
    await model.close();
    await proxy.close();
  });

  describe.each(['npm', 'Python'] as const)('7. the command line of the %s package', (kind) => {
    const test = kind === 'npm' ? it : itWithPython;
    const door = kind === 'npm' ? session : python;

    test('starts, sends, uploads, streams, tells the status, validates and stops', async () => {
      const task = ['--token', `command of ${kind}`];
      const file = join(await temporary(), 'a.txt');
      await writeFile(file, 'a file');
      const run = async (args: readonly string[], input?: string) => {
        const { code, stdout, stderr } = await door.millrace(args, input);
        expect([code, stderr], args[0]).toEqual([0, expect.any(String)]);
        return stdout;
      };
      expect(await run(['start', echoFile, ...task])).toBe(`${task[1]}\n`);
      expect(await run(['send', 'x', ...task])).toBe('x\n');
      expect(JSON.parse(await run(['upload', file, '--json', ...task]))).toMatchObject([{ action: 'complete' }]);
      expect(await run(['pipe', '--mime', 'text/plain', ...task], 'piped')).toContain('piped');
      expect(JSON.parse(await run(['status', '--once', '--json', ...task]))).toMatchObject({ completedCount: 3 });
      expect(JSON.parse(await run(['validate', echoFile, '--json']))).toMatchObject({ errors: [] });
      await run(['stop', ...task]);
      expect(await session.client.getTaskStatus(`command of ${kind}`)).toMatchObject({ completed: true });
    });

    test('chats', async () => {
      const model = await startScriptedModel([{ say: 'Yes.' }]);
      const { token } = await session.client.use({ pipeline: { ...chatWith(model.baseUrl), project_id: kind } });
      const { code, stdout } = await door.millrace(['chat', 'Is it?', '--token', token]);
      expect([code, stdout]).toEqual([0, expect.stringContaining('Yes.')]);
      await model.close();
    });
  });
});
