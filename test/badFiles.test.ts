import { appendFile, mkdir, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MillraceClient, UploadProgress, UploadResult } from '../client/typescript/src/index.js';
import { built } from './support/builtClient.js';
import { echo, swallow } from './support/pipelines.js';
import { processTree, residentMb } from './support/processes.js';
import { startServer, type TestServer } from './support/server.js';

const mega = 1024 * 1024;
let folder = '';
let server: TestServer;
let client: MillraceClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-files-'));
  server = await startServer();
  client = new built.MillraceClient({ uri: server.url, auth: server.key });
  await client.connect();
  await client.use({ pipeline: swallow, token: 'swallow', ttl: 0 });
  await client.use({ pipeline: echo, token: 'echo', ttl: 0 });
});

afterAll(async () => {
  await client.disconnect();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Uploads one file and does something when its first chunk has arrived. */
async function upload(file: string, atFirstChunk: () => Promise<unknown>, signal?: AbortSignal): Promise<UploadResult> {
  let meanwhile: Promise<unknown> | undefined;
  const stop = client.listen(({ event, body }) => {
    if (event === 'apaevt_status_upload' && (body as UploadProgress).action === 'write') meanwhile ??= atFirstChunk();
  });
  const [result] = await client.sendFiles([file], 'swallow', signal === undefined ? {} : { signal });
  stop();
  await meanwhile;
  if (result === undefined) throw new Error('There is no result');
  return result;
}

/** Files that this process holds open below the folder (Linux). */
function held(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return [];
    }
  });
}

async function large(name: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, Buffer.alloc(24 * mega, 0x61));
  return file;
}

describe('a file that changes while it is uploaded', () => {
  it.each([
    ['grows', (file: string) => appendFile(file, 'more')],
    ['shrinks', (file: string) => truncate(file, 2 * mega)],
    ['becomes empty', (file: string) => truncate(file, 0)],
    ['is written anew', (file: string) => writeFile(file, Buffer.alloc(24 * mega, 0x62))],
  ])('and %s is an error that says so', async (what, change) => {
    const file = await large(what);
    const result = await upload(file, () => change(file));
    expect(result).toMatchObject({
      action: 'error',
      filepath: file,
      error: `The file changed while it was sent: ${file}`,
    });
    expect(result.bytes_sent).toBeLessThanOrEqual(result.file_size);
    expect(held()).toEqual([]);
  });

  it('and grows without end does not go on without end', async () => {
    const file = await large('endless');
    const writer = await open(file, 'a');
    let writing = true;
    const result = await upload(file, async () => {
      while (writing && (await writer.stat()).size < 200 * mega) await writer.appendFile(Buffer.alloc(mega));
    }).finally(() => (writing = false));
    await writer.close();
    expect(result.action).toBe('error');
    expect(result.bytes_sent).toBeLessThanOrEqual(24 * mega);
  });

  it('and goes away before its turn is an error, and the others are sent', async () => {
    const files = await Promise.all(['first', 'second', 'third'].map((name) => large(`gone ${name}`)));
    const [first = '', second = '', third = ''] = files;
    let gone: Promise<unknown> | undefined;
    const stop = client.listen(({ event }) => {
      if (event === 'apaevt_status_upload') gone ??= rm(second);
    });
    const results = await client.sendFiles([first, second, third], 'swallow', { concurrency: 1 });
    stop();
    await gone;
    expect(results.map(({ action }) => action)).toEqual(['complete', 'error', 'complete']);
    expect(results[1]).toMatchObject({ error: `File not found: ${second}`, bytes_sent: 0 });
  });

  it('and the client goes on', async () => {
    const file = join(folder, 'fine.txt');
    await writeFile(file, 'fine');
    expect(await client.sendFiles([file], 'echo')).toMatchObject([
      { action: 'complete', result: { text: ['fine\n\n'] } },
    ]);
  });
});

describe('a file of 5 GB', () => {
  const size = 5_000_000_000;
  /** Sending all of it takes a minute; `MILLRACE_LARGE=1` does so. */
  const whole = process.env['MILLRACE_LARGE'] === '1';

  it(
    whole ? 'is sent without being kept' : 'can be given up, and nothing of it is kept',
    async () => {
      const file = join(folder, 'sparse.bin');
      await writeFile(file, '');
      await truncate(file, size);
      const memory = (): number =>
        residentMb(process.pid) + processTree(server.pid).reduce((sum, pid) => sum + residentMb(pid), 0);
      const before = memory();
      let peak = 0;
      let sent = 0;
      const controller = new AbortController();
      const stop = client.listen(({ event, body }) => {
        if (event !== 'apaevt_status_upload') return;
        sent = (body as UploadProgress).bytes_sent;
        if (sent % (64 * mega) === 0) peak = Math.max(peak, memory() - before);
        if (!whole && sent >= 256 * mega) controller.abort();
      });
      const [result] = await client.sendFiles([file], 'swallow', { signal: controller.signal });
      stop();
      if (whole) expect(result).toMatchObject({ action: 'complete', bytes_sent: size, file_size: size });
      else expect(result).toMatchObject({ action: 'error', error: 'The request was cancelled', file_size: size });
      expect(sent).toBeLessThanOrEqual(whole ? size : 300 * mega);
      expect(peak).toBeLessThan(400);
      expect(held()).toEqual([]);
      expect(await client.send('echo', 'still here')).toMatchObject({ text: ['still here\n\n'] });
    },
    300_000,
  );
});

describe('ten thousand files', () => {
  it('are sent, a few at a time, and told one by one', async () => {
    const many = join(folder, 'many');
    await mkdir(many);
    const files = Array.from({ length: 10_000 }, (_, at) => join(many, `${at}.txt`));
    for (let at = 0; at < files.length; at += 500) {
      await Promise.all(files.slice(at, at + 500).map((file, index) => writeFile(file, `text ${at + index}`)));
    }
    let underWay = 0;
    let most = 0;
    const stop = client.listen(({ event, body }) => {
      if (event !== 'apaevt_status_upload') return;
      const { action } = body as UploadProgress;
      if (action === 'open') most = Math.max(most, ++underWay);
      if (action === 'complete' || action === 'error') underWay--;
    });
    const results = await client.sendFiles(files, 'echo');
    stop();
    expect(results.filter(({ action }) => action !== 'complete')).toEqual([]);
    expect(results.map(({ filepath }) => filepath)).toEqual(files);
    expect(results[7777]?.result).toMatchObject({ name: '7777.txt', text: ['text 7777\n\n'] });
    expect(most).toBeLessThanOrEqual(5);
    expect(held()).toEqual([]);
    expect(await client.getTaskStatus('echo')).toMatchObject({ failedCount: 0 });
  }, 120_000);
});
