import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { built } from '../support/builtClient.js';
import { chatWith, echo } from '../support/pipelines.js';
import { startScriptedModel } from '../support/scriptedModel.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { repository, specSession } from './session.js';

const temporary = temporaryDirectories();
const session = specSession();
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
    const response = await session.post('/pipe/validate', { pipeline: echo });
    expect(await response.json()).toMatchObject({ status: 'OK', data: { errors: [] } });
  });

  it('6. serves the packages and the agent docs from public routes', async () => {
    for (const kind of ['python/latest', 'typescript', 'vscode', 'shell', 'docs', 'typescript-init']) {
      // Whether this server has them is not asked here: nobody is asked for a key.
      expect([200, 404]).toContain((await fetch(`${session.server.url}/client/${kind}`)).status);
    }
  });

  it('7. connects with a key, calls back, chats, limits requests, reconnects for a limited time', async () => {
    const model = await startScriptedModel([{ say: 'Yes.' }]);
    const told: string[] = [];
    const client = session.another({
      persist: true,
      maxRetryTime: 300,
      requestTimeout: 10_000,
      onConnected: () => told.push('connected'),
      onDisconnected: () => told.push('disconnected'),
      onEvent: ({ event }) => told.push(event),
    });
    await client.connect();
    const { token } = await client.use({ pipeline: chatWith(model.baseUrl) });
    const question = new built.Question().addQuestion('Is it?');
    expect(await client.chat({ token, question })).toMatchObject({ answers: ['Yes.'] });
    await client.subscribe({ token }, ['task']);
    await client.terminate(token);
    await client.disconnect();
    expect(told[0]).toBe('connected');
    expect(told).toContain('apaevt_task');
    expect(told.at(-1)).toBe('disconnected');
    await model.close();
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

  it('7. offers the operations on the command line', async () => {
    const started = await session.millrace('start', echoFile, '--token', 'cli', '--use-existing');
    expect(started).toEqual({ code: 0, stdout: 'cli\n', stderr: '' });
    expect(await session.millrace('send', 'x', '--token', 'cli')).toMatchObject({ code: 0, stdout: 'x\n' });
    expect(await session.millrace('stop', '--token', 'cli')).toMatchObject({ code: 0 });
  });
});
