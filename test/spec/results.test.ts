import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { echo, obeying } from '../support/pipelines.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { itWithPython, pythonDoor } from './python.js';
import { documents, specSession } from './session.js';

const temporary = temporaryDirectories();
const session = specSession();
const python = pythonDoor(session);

async function task(pipeline: Record<string, unknown> = echo): Promise<string> {
  return (await session.client.use({ pipeline: { ...pipeline, project_id: crypto.randomUUID() } })).token;
}

describe('Pipeline result (`PIPELINE_RESULT`)', () => {
  it('`name`, `path`, `objectId`, `result_types`, `text`', async () => {
    const token = await task();
    const expected = {
      name: 'folder/a.txt',
      path: 'folder',
      objectId: expect.stringMatching(/./) as string,
      result_types: ['text'],
      text: ['x\n\n'],
    };
    expect(await session.client.send(token, 'x', { name: 'folder/a.txt' })).toEqual(expected);
    const pipe = await session.client.pipe(token, { name: 'folder/a.txt' }, 'text/plain').open();
    await pipe.write('x');
    expect(await pipe.close()).toEqual(expected);
    const http = await session.http(`/task/data?token=${token}`, {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="folder/a.txt"' },
    });
    expect(((await http.json()) as { data: unknown }).data).toMatchObject(expected);
  });

  it('`metadata`: what a document says about itself', async () => {
    const [source] = echo.components;
    const parse = { id: 'parse', provider: 'parse', config: {}, input: [{ from: 'in', lane: 'tags' }] };
    const out = { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'parse', lane: 'text' }] };
    const token = await task({ source: 'in', components: [source, parse, out] });
    const [uploaded] = await session.client.sendFiles([join(documents, 'minutes.docx')], token);
    expect(uploaded?.result).toMatchObject({
      name: 'minutes.docx',
      text: [expect.stringMatching(/./)],
      metadata: { contentType: expect.stringContaining('wordprocessingml') as string },
    });
  });

  itWithPython('Python: `send` and `close` of a pipe return it', async () => {
    const body = `
sent = await client.send(token, 'x', {'name': 'folder/a.txt'})
pipe = await client.pipe(token, {'name': 'folder/a.txt'}, 'text/plain').open()
await pipe.write(b'x')
return [sent, await pipe.close()]
`;
    const expected = { name: 'folder/a.txt', path: 'folder', result_types: ['text'], text: ['x\n\n'] };
    const results = await python.coroutine(body, { token: await task() });
    expect(results).toMatchObject([expected, expected]);
  });

  it('its structure depends on the pipeline', async () => {
    const [source, out] = echo.components;
    const answer = { ...out, id: 'other', provider: 'response_text', config: { laneName: 'mine' } };
    const { token } = await session.client.use({ pipeline: { source: 'in', components: [source, answer] } });
    expect(await session.client.send(token, 'x')).toMatchObject({ result_types: ['mine'], mine: ['x\n\n'] });
  });
});

describe('Upload result (`UPLOAD_RESULT`), one per file', () => {
  it('`action` complete: `filepath`, `bytes_sent`, `file_size`, `upload_time`, `result`', async () => {
    const file = join(await temporary(), 'good.txt');
    await writeFile(file, 'wait 300');
    const token = await task(obeying);
    const started = performance.now();
    const [result, ...others] = await session.client.sendFiles([file], token);
    const seconds = (performance.now() - started) / 1000;
    expect(others).toEqual([]);
    expect(result).toEqual({
      action: 'complete',
      filepath: file,
      bytes_sent: 8,
      file_size: 8,
      upload_time: expect.any(Number) as number,
      result: expect.objectContaining({ name: 'good.txt' }) as unknown,
    });
    expect(result?.upload_time).toBeGreaterThan(0.29);
    expect(result?.upload_time).toBeLessThanOrEqual(seconds);
  });

  it('`action` error: `error`', async () => {
    const file = join(await temporary(), 'bad.txt');
    await writeFile(file, 'fail for a reason');
    const [result] = await session.client.sendFiles([file], await task(obeying));
    expect(result).toMatchObject({ action: 'error', filepath: file, file_size: 17, error: 'for a reason' });
    expect(result).toHaveProperty('bytes_sent');
  });

  itWithPython('Python: the same fields', async () => {
    const folder = await temporary();
    for (const [name, text] of Object.entries({ good: 'good', bad: 'fail for a reason' })) {
      await writeFile(join(folder, `${name}.txt`), text);
    }
    const files = ['good', 'bad'].map((name) => join(folder, `${name}.txt`));
    const results = await python.coroutine('return await client.send_files(files, token)', {
      files,
      token: await task(obeying),
    });
    const [good, bad] = files;
    expect(results).toMatchObject([
      { action: 'complete', filepath: good, bytes_sent: 4, file_size: 4, result: { text: ['good\n\n'] } },
      { action: 'error', filepath: bad, file_size: 17, error: 'for a reason' },
    ]);
    expect((results as { upload_time: number }[])[0]?.upload_time).toBeGreaterThan(0);
  });
});

describe('Validation result', () => {
  it('`errors`: empty when the structure is valid, else messages', async () => {
    expect((await session.client.validate(echo)).errors).toEqual([]);
    const { errors } = await session.client.validate({ ...echo, source: 'nobody' });
    expect(errors).toEqual([expect.stringContaining('nobody')]);
  });

  it('`warnings`: a list', async () => {
    expect((await session.client.validate(echo)).warnings).toEqual([]);
  });

  it('`resolved`: the source component', async () => {
    expect((await session.client.validate(echo)).resolved).toEqual({ id: 'in', provider: 'webhook' });
  });

  it('`chain`: what runs, in order', async () => {
    expect((await session.client.validate(echo)).chain).toEqual(['in', 'out']);
  });
});
