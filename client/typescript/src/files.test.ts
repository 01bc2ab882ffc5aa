import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rechunk } from './chunks.js';
import { FakeEngine } from '../testing/fakeEngine.js';
import { FakeServer, type FakeServerOptions } from '../testing/fakeServer.js';
import { type EventMessage, MillraceClient, type UploadProgress } from './index.js';

const mib = 1024 * 1024;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-files-'));
});
afterAll(() => rm(folder, { recursive: true }));

const start = async (options: FakeServerOptions = {}) => {
  const server = new FakeServer(options);
  const engine = new FakeEngine(server);
  const events: UploadProgress[] = [];
  const client = new MillraceClient({
    auth: 'key',
    transport: server.transport,
    onEvent: ({ event, body }: EventMessage) => {
      if (event === 'apaevt_status_upload') events.push(body as UploadProgress);
    },
  });
  await client.connect();
  const { token } = await client.use({ pipeline: { components: [] }, token: 'T1' });
  return { server, engine, client, token, events };
};

describe.each(['spec', 'peer'] as const)('sendFiles, with a server of the %s dialect', (dialect) => {
  it('returns one result for each file, in the order given', async () => {
    const { client, token } = await start({ dialect });
    const names = Array.from({ length: 30 }, (_, i) => `file ${i}.txt `);
    const results = await client.sendFiles(
      names.map((name) => ({ file: new File([`text of ${name}`], name, { type: 'text/plain' }) })),
      token,
    );
    expect(results.map(({ filepath }) => filepath)).toEqual(names);
    expect(results[7]).toMatchObject({
      action: 'complete',
      bytes_sent: 'text of file 7.txt '.length,
      file_size: 'text of file 7.txt '.length,
      result: { name: 'file 7.txt ', text: ['text of file 7.txt '], result_types: ['text'] },
    });
    expect(results[7]?.upload_time).toBeGreaterThanOrEqual(0);
  });

  it('turns a failed file into a result and goes on with the others', async () => {
    const { client, token } = await start({ dialect });
    const unreadable = {
      name: 'unreadable',
      size: 5,
      stream: async function* (): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(1);
        throw new Error('disk on fire');
      },
    };
    const results = await client.sendFiles(
      [{ file: unreadable }, { file: new File(['x'], 'bad.txt') }, { file: new File(['x'], 'good.txt') }],
      token,
    );
    expect(results).toMatchObject([
      { action: 'error', error: 'disk on fire' },
      { action: 'error', error: 'bad.txt is broken', result: { error: { code: 'component_failed' } } },
      { action: 'complete' },
    ]);
  });

  it('reports each step of a file', async () => {
    const { client, token, events } = await start({ dialect });
    await client.sendFiles([{ file: new File([new Uint8Array(2.5 * mib)], 'big.bin') }], token);
    const actions = events.map(({ action }) => action);
    expect(actions[0]).toBe('open');
    expect(actions.filter((action) => action === 'write').length).toBeGreaterThan(0);
    expect(actions.at(-1)).toBe('complete');
    expect(actions).toContain('close');
    const sent = events.map(({ bytes_sent }) => bytes_sent);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
    expect(events.at(-1)).toMatchObject({ bytes_sent: 2.5 * mib, file_size: 2.5 * mib, filepath: 'big.bin' });
  });

  it('has at most five pipes open', async () => {
    const { client, token, engine } = await start({ dialect });
    const files = Array.from({ length: 20 }, (_, i) => ({ file: new File([new Uint8Array(mib + 1)], `f${i}`) }));
    await client.sendFiles(files, token);
    expect(engine.mostPipes).toBe(5);
    expect(engine.pipes.size).toBe(0);
  });

  it('frees the pipes of files that are cancelled', async () => {
    const { client, token, engine } = await start({ dialect });
    const controller = new AbortController();
    const endless = {
      name: 'endless',
      stream: async function* (): AsyncGenerator<Uint8Array> {
        for (let i = 0; ; i += 1) {
          if (i === 3) controller.abort();
          yield new Uint8Array(mib);
        }
      },
    };
    const [result] = await client.sendFiles([{ file: endless }], token, { signal: controller.signal });
    expect(result).toMatchObject({ action: 'error', error: 'The request was cancelled' });
    expect(engine.pipes.size).toBe(0);
  });
});

describe('sendFiles', () => {
  it('gives a file up that cannot be read to its end, and says why', async () => {
    const { client, token, engine, server } = await start();
    const torn = {
      name: 'torn.bin',
      stream: async function* (): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(new Uint8Array(mib));
        throw new Error('the disk is gone');
      },
    };
    const [result] = await client.sendFiles([{ file: torn }], token);
    expect(result).toMatchObject({ action: 'error', error: 'the disk is gone' });
    expect(result).not.toHaveProperty('result');
    expect(engine.abandoned).toMatchObject([{ object: { name: 'torn.bin' }, reason: 'the disk is gone' }]);
    expect(server.calls('process').filter((call) => call.arguments?.subcommand === 'close')).toEqual([]);
  });

  it('takes one message for a small file on our servers', async () => {
    const { client, token, server, events } = await start();
    await client.sendFiles([{ file: new File(['x'], 'a.txt') }], token);
    expect(server.calls('process').map((call) => call.arguments?.subcommand)).toEqual(['send']);
    expect(events.map(({ action }) => action)).toEqual(['open', 'close', 'write', 'complete']);
  });

  it('sends name, size and type, and what the caller adds', async () => {
    const { client, token, server } = await start();
    await client.sendFiles(
      [
        { file: new File(['xy'], 'a.csv'), objinfo: { tag: 1 } },
        { file: new File(['xy'], 'a.csv', { type: 'text/x' }), objinfo: { name: 'other' }, mimetype: 'text/y' },
        { file: new Blob([]) },
      ],
      token,
      { concurrency: 1 },
    );
    expect(server.calls('process').map((call) => call.arguments)).toMatchObject([
      { object: { name: 'a.csv', size: 2, tag: 1 }, mimeType: 'text/csv' },
      { object: { name: 'other', size: 2 }, mimeType: 'text/y' },
      { object: { size: 1 }, mimeType: 'application/octet-stream' },
    ]);
  });

  it('takes paths, and refuses before anything is sent when one does not exist', async () => {
    const { client, token, server } = await start();
    const file = path.join(folder, 'note.txt');
    await writeFile(file, 'hello');
    const [result] = await client.sendFiles([file], token);
    expect(result).toMatchObject({ filepath: file, result: { name: 'note.txt', text: ['hello'] } });
    const before = server.requests.length;
    await expect(client.sendFiles([file, path.join(folder, 'missing')], token)).rejects.toMatchObject({
      name: 'FileNotFoundError',
      code: 'file_not_found',
    });
    await expect(client.sendFiles([{ file: folder }], token)).rejects.toMatchObject({ code: 'file_not_found' });
    expect(server.requests).toHaveLength(before);
  });

  it('refuses what is no file', async () => {
    const { client, token } = await start();
    await expect(client.sendFiles([{} as never], token)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await client.sendFiles([], token)).toEqual([]);
  });
});

describe('rechunk', () => {
  const read = async (parts: Uint8Array[], size: number, atLines: boolean) => {
    const out: Uint8Array[] = [];
    const stream = (async function* () {
      yield* parts;
    })();
    for await (const chunk of rechunk(stream, size, atLines)) out.push(chunk.slice());
    return out;
  };

  it('keeps every byte and never exceeds the size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 40 })),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        async (parts, size, atLines) => {
          const out = await read(parts, size, atLines);
          expect(Buffer.concat(out)).toEqual(Buffer.concat(parts));
          expect(out.every(({ length }) => length > 0 && length <= size)).toBe(true);
          if (!atLines) expect(out.slice(0, -1).every(({ length }) => length === size)).toBe(true);
        },
      ),
    );
  });

  it('cuts text behind its lines', async () => {
    const out = await read([Buffer.from('one\ntwo\nthr'), Buffer.from('ee\nfour')], 9, true);
    expect(out.map((chunk) => Buffer.from(chunk).toString())).toEqual(['one\ntwo\n', 'three\n', 'four']);
  });
});
