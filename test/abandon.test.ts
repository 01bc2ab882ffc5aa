import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MillraceClient, UploadProgress } from '../client/typescript/src/index.js';
import { built } from './support/builtClient.js';
import { eventually } from './support/poll.js';
import { findPython, pythonEnvironment } from './support/python.js';
import { startServer, type TestServer } from './support/server.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';

/** What the Python client needs. */
const requirements = ['websockets==15.0.1', 'json5==0.9.25', 'python-dotenv==1.0.1'];
const sources = resolve(import.meta.dirname, '..', 'client', 'python', 'src');
const mib = 1024 * 1024;
const python = await findPython();
const temporary = temporaryDirectories();
let server: TestServer;
let client: MillraceClient;

beforeAll(async () => {
  server = await startServer();
  client = new built.MillraceClient({ uri: server.url, auth: server.key });
  await client.connect();
});

afterAll(async () => {
  await client.disconnect();
  await server.stop();
});

/** A task with one pipe that writes the text of every object it completes into a folder. */
async function writing(): Promise<{ token: string; folder: string; written: () => Promise<string[]> }> {
  const folder = await temporary();
  const storePath = join(folder, 'out');
  const pipeline = {
    source: 'in',
    components: [
      { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
      {
        id: 'out',
        provider: 'local_text_output',
        config: { parameters: { storePath } },
        input: [{ from: 'in', lane: 'text' }],
      },
    ],
  };
  const { token } = await client.use({ pipeline, threads: 1 });
  return { token, folder, written: async () => (await readdir(storePath)).sort() };
}

interface Counts {
  completed: number;
  failed: number;
  errors: string[];
}

async function counts(token: string): Promise<Counts> {
  const { completedCount, failedCount, errors } = await client.getTaskStatus(token);
  return { completed: completedCount, failed: failedCount, errors };
}

/** The one pipe of the task is free, because this comes through it; the target takes what is whole. */
async function sendsWhole(token: string): Promise<void> {
  expect(await client.send(token, 'all of it', { name: 'whole.log' })).not.toHaveProperty('error');
}

describe('an object that is given up', () => {
  it('fails for its reason, and the target writes nothing of it', async () => {
    const { token, written } = await writing();
    const pipe = await client.pipe(token, { name: 'half.log' }, 'text/plain').open();
    await pipe.write('half of it');
    await pipe.abandon('the other half is missing');
    // The answer comes when it has counted.
    expect(await counts(token)).toEqual({
      completed: 0,
      failed: 1,
      errors: ['half.log: the other half is missing'],
    });
    await sendsWhole(token);
    expect(await written()).toEqual(['whole.txt']);
  });

  it('fails when the signal of its pipe fires', async () => {
    const { token, written } = await writing();
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const pipe = await client.pipe(token, { name: 'half.log' }, 'text/plain', undefined, options).open();
    await pipe.write('half of it');
    controller.abort();
    await expect(pipe.close()).rejects.toMatchObject({ code: 'cancelled' });
    await sendsWhole(token);
    expect(await counts(token)).toMatchObject({ completed: 1, failed: 1 });
    expect(await written()).toEqual(['whole.txt']);
  });

  it('fails when an upload is cancelled, and when its file changes meanwhile', async () => {
    const { token, folder, written } = await writing();
    const file = join(folder, 'large.log');
    await writeFile(file, Buffer.alloc(6 * mib, 'line\n'));
    const controller = new AbortController();
    let then: (() => unknown) | undefined = () => controller.abort();
    const stop = client.listen(({ event, body }) => {
      if (event !== 'apaevt_status_upload' || (body as UploadProgress).action !== 'write') return;
      void then?.();
      then = undefined;
    });
    const [cancelled] = await client.sendFiles([file], token, { signal: controller.signal });
    expect(cancelled).toMatchObject({ action: 'error', error: 'The request was cancelled' });
    then = () => appendFile(file, 'one more\n');
    const [changed] = await client.sendFiles([file], token);
    expect(changed).toMatchObject({ action: 'error', error: `The file changed while it was sent: ${file}` });
    stop();
    await sendsWhole(token);
    const { errors, ...counted } = await counts(token);
    expect(counted).toEqual({ completed: 1, failed: 2 });
    expect(errors).toContain(`large.log: The file changed while it was sent: ${file}`);
    expect(await written()).toEqual(['whole.txt']);
  });
});

/** Leaves a block by an exception, is cancelled in a block, and uploads a file that changes meanwhile. */
const program = `
import asyncio, json, sys
from millrace import MillraceClient

async def main(uri, key, token, file):
    async with MillraceClient(uri, key) as client:
        try:
            async with client.pipe(token, {'name': 'raised.log'}, 'text/plain') as pipe:
                await pipe.write('half of it')
                raise ValueError('the other half is missing')
        except ValueError:
            pass

        async def forever():
            async with client.pipe(token, {'name': 'left.log'}, 'text/plain') as pipe:
                await pipe.write('half of it')
                begun.set()
                await asyncio.Event().wait()

        begun = asyncio.Event()
        work = asyncio.ensure_future(forever())
        await begun.wait()
        work.cancel()
        await asyncio.wait({work})

        def hear(event):
            if event['event'] == 'apaevt_status_upload' and event['body']['action'] == 'write' and changes:
                with open(file, 'ab') as log:
                    log.write(changes.pop())

        changes = [b'one more']
        client.listen(hear)
        (result,) = await client.send_files([file], token)
        print(json.dumps(result))

asyncio.run(main(*sys.argv[1:]))
`;

describe.runIf(python !== undefined)('an object that the Python client gives up', () => {
  it('fails for its reason, and the target writes nothing of it', async () => {
    const environment = await pythonEnvironment(python ?? '', requirements);
    const { token, folder, written } = await writing();
    const file = join(folder, 'large.log');
    await writeFile(file, Buffer.alloc(6 * mib, 'line\n'));
    const { code, stdout, stderr } = await environment.python(['-c', program, server.url, server.key, token, file], {
      env: { PYTHONPATH: sources },
      timeoutMs: 60_000,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const changed = `The file changed while it was sent: ${file}`;
    expect(JSON.parse(stdout)).toMatchObject({ action: 'error', error: changed });
    await sendsWhole(token);
    const { errors, ...counted } = await counts(token);
    expect(counted).toEqual({ completed: 1, failed: 3 });
    expect(errors).toEqual([
      'raised.log: the other half is missing',
      'left.log: The client gave the object up',
      `large.log: ${changed}`,
    ]);
    expect(await written()).toEqual(['whole.txt']);
  }, 120_000);
});

it('is free for others as soon as its sender is interrupted', async () => {
  const { token } = await writing();
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const first = await client.pipe(token, { name: 'a' }, 'text/plain', undefined, options).open();
  await first.write('half');
  const next = client.send(token, 'next', { name: 'b' });
  controller.abort();
  expect(await next).not.toHaveProperty('error');
  await eventually('both are counted', async () => {
    const { completed, failed } = await counts(token);
    return completed === 1 && failed === 1;
  });
});
