import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NodeFileEntry } from '../../client/typescript/src/index.js';
import { built } from '../support/builtClient.js';
import { RawClient } from '../support/rawClient.js';
import { chatWith, echo, swallow } from '../support/pipelines.js';
import { startScriptedModel } from '../support/scriptedModel.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { itWithPython, pythonDoor } from './python.js';
import { specSession } from './session.js';

const temporary = temporaryDirectories();
const session = specSession();
const python = pythonDoor(session);
const [source, out] = echo.components;

beforeAll(async () => {
  await session.client.use({ pipeline: echo, token: 'echo', ttl: 0 });
  await session.client.use({ pipeline: swallow, token: 'swallow', ttl: 0 });
});

describe('`send(token, data, objinfo?, mimetype?)`', () => {
  it('`token`: required', async () => {
    await expect(session.client.send('', 'x')).rejects.toMatchObject({ code: 'token_required' });
  });

  it('`data`: a text or bytes', async () => {
    expect(await session.client.send('echo', 'text')).toMatchObject({ text: ['text\n\n'] });
    const bytes = new TextEncoder().encode('bytes');
    expect(await session.client.send('echo', bytes, {}, 'text/plain')).toMatchObject({ text: ['bytes\n\n'] });
  });

  it('`data`: any other type is an error', async () => {
    for (const data of [1, null, undefined, {}, []]) {
      await expect(session.client.send('echo', data as string)).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    }
  });

  it('`objinfo`: about the data', async () => {
    expect(await session.client.send('echo', 'x', { name: 'a/b.txt' })).toMatchObject({ name: 'a/b.txt', path: 'a' });
  });

  it('`mimetype`: chooses the lane; found by itself when absent', async () => {
    const bytes = new TextEncoder().encode('by name');
    expect(await session.client.send('echo', bytes, { name: 'a.txt' })).toMatchObject({ text: ['by name\n\n'] });
    expect(await session.client.send('echo', bytes, { name: 'a.txt' }, 'application/octet-stream')).not.toHaveProperty(
      'text',
    );
  });

  itWithPython('Python: the same parameters', async () => {
    const body = `
results = [
    await client.send('echo', 'text'),
    await client.send('echo', b'bytes', {'name': 'a/b.bin'}, 'text/plain'),
    await client.send(token='echo', data=b'by name', objinfo={'name': 'a.txt'}),
]
refused = [await classes(client.send('echo', data)) for data in (1, None, {}, [])]
return [results, refused]
`;
    const [results, refused] = (await python.coroutine(body)) as [unknown, unknown[]];
    expect(results).toMatchObject([
      { text: ['text\n\n'] },
      { name: 'a/b.bin', path: 'a', text: ['bytes\n\n'] },
      { name: 'a.txt', text: ['by name\n\n'] },
    ]);
    expect(refused).toHaveLength(4);
    for (const each of refused) expect(each).toContain('ValueError');
  });
});

describe('`send_files(files, token)` / `sendFiles(files, token)`', () => {
  it('several files, with progress, one result each in their order', async () => {
    const folder = await temporary();
    const files = Array.from({ length: 8 }, (_, at) => join(folder, `${at}.txt`));
    for (const [at, file] of files.entries()) await writeFile(file, `text ${at}`);
    const seen: string[] = [];
    const stop = session.client.listen(({ event, body }) => {
      if (event === 'apaevt_status_upload') seen.push((body as { action: string }).action);
    });
    const results = await session.client.sendFiles(files, 'echo');
    stop();
    expect(results.map(({ result }) => (result?.text as string[])[0])).toEqual(files.map((_, at) => `text ${at}\n\n`));
    expect(seen.filter((action) => action === 'complete')).toHaveLength(8);
    expect(seen.indexOf('complete')).toBeGreaterThan(seen.indexOf('open', 1));
  });

  it('an entry: `file`, optional `objinfo`, optional `mimetype`', async () => {
    const entries: NodeFileEntry[] = [
      { file: new File(['one'], 'one.txt') },
      { file: new File(['two'], 'two.txt'), objinfo: { name: 'renamed.txt' } },
      { file: new File(['three'], 'three.bin'), mimetype: 'text/plain' },
    ];
    expect(await session.client.sendFiles(entries, 'echo')).toMatchObject([
      { filepath: 'one.txt', result: { name: 'one.txt', text: ['one\n\n'] } },
      { filepath: 'two.txt', result: { name: 'renamed.txt' } },
      { filepath: 'three.bin', result: { text: ['three\n\n'] } },
    ]);
  });

  itWithPython('Python: an entry is a path, a pair or a triple; several at a time, with progress', async () => {
    const folder = await temporary();
    const names = ['one.txt', 'two.txt', 'three.bin', 'four.txt'];
    for (const name of names) await writeFile(join(folder, name), name);
    const body = `
seen = []
client.listen(lambda message: seen.append(message['body'].get('action')) if message['event'] == 'apaevt_status_upload' else None)
files = [paths[0], (paths[1], {'name': 'renamed.txt'}), (paths[2], {}, 'text/plain'), paths[3]]
return [await client.send_files(files, 'echo'), seen]
`;
    const paths = names.map((name) => join(folder, name));
    const [results, seen] = (await python.coroutine(body, { paths })) as [unknown, string[]];
    expect(results).toMatchObject([
      { action: 'complete', filepath: paths[0], result: { name: 'one.txt', text: ['one.txt\n\n'] } },
      { action: 'complete', filepath: paths[1], result: { name: 'renamed.txt', text: ['two.txt\n\n'] } },
      { action: 'complete', filepath: paths[2], result: { name: 'three.bin', text: ['three.bin\n\n'] } },
      { action: 'complete', filepath: paths[3], result: { name: 'four.txt' } },
    ]);
    expect(seen.filter((action) => action === 'write')).toHaveLength(4);
    // The second is opened before the first is done.
    expect(seen.indexOf('complete')).toBeGreaterThan(seen.indexOf('open', 1));
  });
});

describe('`pipe(token, objinfo?, mime_type?, provider?)`', () => {
  it('`token`: required; `objinfo`, `mime_type` / `mimeType` and `provider` are not', async () => {
    expect(() => session.client.pipe('')).toThrow(/token/);
    const pipe = await session.client.pipe('swallow').open();
    await pipe.write(new Uint8Array([1, 2, 3]));
    expect(await pipe.close()).toMatchObject({ objectId: expect.any(String) as string });
  });

  it('`provider`: that of the source', async () => {
    await (await session.client.pipe('echo', {}, 'text/plain', 'webhook').open()).close();
    await expect(session.client.pipe('echo', {}, 'text/plain', 'chat').open()).rejects.toBeInstanceOf(built.PipeError);
  });

  it('`open()`: before `write`', async () => {
    const pipe = session.client.pipe('echo', {}, 'text/plain');
    await expect(pipe.write(new Uint8Array(1))).rejects.toBeInstanceOf(built.PipeError);
    await pipe.open();
    await pipe.close();
  });

  it('`write(buffer)`: one chunk', async () => {
    const pipe = await session.client.pipe('echo', { name: 'p' }, 'text/plain').open();
    for (const chunk of ['one', 'two']) await pipe.write(new TextEncoder().encode(chunk));
    expect(await pipe.close()).toMatchObject({ text: ['one\n\ntwo\n\n'] });
  });

  it('`close()`: the result, once', async () => {
    const pipe = await session.client.pipe('echo', { name: 'p' }, 'text/plain').open();
    expect(await pipe.close()).toMatchObject({ name: 'p' });
    await expect(pipe.close()).rejects.toBeInstanceOf(built.PipeError);
  });

  itWithPython('Python: is opened by hand, or by a context manager', async () => {
    const body = `
closed = client.pipe('echo', mime_type='text/plain')
early = await classes(closed.write(b'early'))
opened = client.pipe('echo', objinfo={'name': 'p'}, mime_type='text/plain', provider='webhook')
await opened.open()
for chunk in (b'one', b'two'):
    await opened.write(chunk)
by_hand = await opened.close()
async with client.pipe('echo', {'name': 'block'}, 'text/plain') as block:
    await block.write(b'three')
    by_block = await block.close()
left = client.pipe('echo', {'name': 'left'}, 'text/plain')
async with left:
    await left.write(b'four')
late = await classes(left.write(b'late'))
other = await classes(client.pipe('echo', None, 'text/plain', 'chat').open())
return {'early': early, 'results': [by_hand, by_block], 'late': late, 'other': other}
`;
    expect(await python.coroutine(body)).toMatchObject({
      early: expect.arrayContaining(['PipeError', 'RuntimeError']) as unknown,
      results: [
        { name: 'p', text: ['one\n\ntwo\n\n'] },
        { name: 'block', text: ['three\n\n'] },
      ],
      // The end of the block closed it.
      late: expect.arrayContaining(['PipeError', 'RuntimeError']) as unknown,
      other: expect.arrayContaining(['PipeError', 'RuntimeError']) as unknown,
    });
  });
});

describe('`validate(pipeline, source?)`', () => {
  const second = { id: 'second', provider: 'webhook', config: {} };

  it('the source: 1. the `source` parameter', async () => {
    const pipeline = { source: 'in', components: [source, second, out] };
    expect((await session.client.validate(pipeline, 'second')).resolved).toMatchObject({ id: 'second' });
  });

  it('the source: 2. the `source` field of the pipeline', async () => {
    const pipeline = { source: 'second', components: [source, second, out] };
    expect((await session.client.validate(pipeline)).resolved).toMatchObject({ id: 'second' });
  });

  it('the source: 3. the single component whose `config.mode` is `Source`', async () => {
    expect((await session.client.validate({ components: [source, second, out] })).resolved).toMatchObject({ id: 'in' });
  });

  itWithPython('Python: the same order', async () => {
    const body = `
components = [a, second, out]
given = await client.validate({'source': 'in', 'components': components}, 'second')
field = await client.validate({'source': 'second', 'components': components})
implied = await client.validate({'components': components})
return [each['resolved']['id'] for each in (given, field, implied)]
`;
    expect(await python.coroutine(body, { a: source, second, out })).toEqual(['second', 'second', 'in']);
  });

  it('required fields and references to components are checked', async () => {
    const unlinked = { ...out, input: [{ from: 'nobody', lane: 'text' }] };
    for (const [broken, said] of [
      [{ ...out, provider: undefined }, 'provider'],
      [{ ...out, config: undefined }, 'config'],
      [unlinked, 'nobody'],
    ] as const) {
      const { errors } = await session.client.validate({ source: 'in', components: [source, broken] });
      expect(errors).toEqual([expect.stringContaining(said)]);
    }
  });

  it('lanes that do not fit and circles are no matter of validation', async () => {
    const unfit = { ...out, input: [{ from: 'in', lane: 'answers' }] };
    expect((await session.client.validate({ source: 'in', components: [source, unfit] })).errors).toEqual([]);
    const hash = (id: string, from: string) => ({ id, provider: 'hash', config: {}, input: [{ from, lane: 'text' }] });
    const circle = { source: 'in', components: [source, hash('a', 'b'), hash('b', 'a')] };
    expect((await session.client.validate(circle)).errors).toEqual([]);
  });

  it('`component`: its own check, over HTTP and as the operation that ends in `ext_validate`', async () => {
    const component = { id: 'x', provider: 'preprocessor_langchain', config: { profile: 'nonsense' } };
    const response = await session.post('/pipe/validate', { component });
    const { data } = (await response.json()) as { data: { errors: unknown[] } };
    expect(JSON.stringify(data.errors)).toContain('nonsense');
    const raw = await RawClient.login(session.server.url, session.server.key);
    for (const command of ['mrext_validate', 'rrext_validate']) {
      expect((await raw.body(command, { component }))['errors']).toHaveLength(data.errors.length);
    }
    await raw.close();
  });
});

describe('`terminate(token)` and `chat()`', () => {
  it('`terminate(token)`: stops a running pipeline', async () => {
    const { token } = await session.client.use({ pipeline: { ...echo, project_id: 'terminate' } });
    await session.client.terminate(token);
    await expect(session.client.send(token, 'late')).rejects.toBeInstanceOf(built.TaskError);
    expect(await session.client.getTaskStatus(token)).toMatchObject({ completed: true });
  });

  it('`chat()`: a Question', async () => {
    const model = await startScriptedModel([{ say: 'Two.' }]);
    const { token } = await session.client.use({ pipeline: chatWith(model.baseUrl) });
    const question = new built.Question({ role: 'A counter' }).addQuestion('How many?').addContext('There are two.');
    expect(built.Answer.of(await session.client.chat({ token, question }))[0]?.getText()).toBe('Two.');
    expect(JSON.stringify(model.requests[0]?.body)).toContain('There are two.');
    await model.close();
  });
});
