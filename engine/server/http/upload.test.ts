import type { Cancellation } from '../../tasks/service.js';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MillraceError } from '../../../protocol/errors.js';
import type { FakeTask } from '../testing.js';
import { keyIdOf } from '../auth.js';
import { apiKey, eventually, startTestServer, type TestServer } from './testing.js';
import { uploadWindow } from './pump.js';

let server: TestServer;
let task: FakeTask;

beforeEach(async () => {
  server = await startTestServer();
  const owner = { kind: 'key', keyId: keyIdOf(apiKey) } as const;
  await server.tasks.start(owner, { pipeline: {}, token: 'tk_work' });
  task = server.tasks.find(owner, 'tk_work');
});
afterEach(() => server.app.close());

const partsTooMany = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'.repeat(1100);

interface Answer {
  status: string;
  data: Record<string, unknown> & {
    objectsRequested: number;
    objectsCompleted: number;
    objects: Record<string, Record<string, unknown>>;
  };
}

async function send(
  body: BodyInit,
  headers: Record<string, string> = {},
  path = '/task/data?token=tk_work',
): Promise<Answer> {
  const response = await server.fetch(path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

describe('sending one object', () => {
  it.each([
    ['POST', '/task/data'],
    ['POST', '/webhook'],
    ['PUT', '/task/process'],
  ])('works with %s %s', async (method, path) => {
    const response = await server.fetch(`${path}?token=tk_work`, {
      method,
      body: 'Hi',
      headers: { 'content-type': 'text/plain' },
    });
    expect(await response.json()).toMatchObject({
      status: 'OK',
      data: {
        objectsRequested: 1,
        objectsCompleted: 1,
        text: ['Hi\n\n'],
        result_types: ['text'],
        resultTypes: { text: 'text' },
      },
    });
  });

  it('passes a small one as a single message with its type, name and size', async () => {
    await send('{"a":1}', {
      'content-type': 'Application/JSON; charset=utf-8',
      'content-disposition': 'attachment; filename="a \\"b\\".json"',
    });
    expect(task.seen[0]).toMatchObject({
      way: 'send',
      bytes: 7,
      request: { mimeType: 'application/json', object: { name: 'a "b".json', size: 7 }, dialect: 'peer' },
    });
  });

  it('names one that has no name and assumes plain bytes without a type', async () => {
    await send(new Uint8Array([0, 255, 10]));
    expect(task.seen[0]?.request).toMatchObject({
      mimeType: 'application/octet-stream',
      object: { name: expect.stringMatching(/^stream-[0-9a-f-]{36}$/) },
    });
    expect([...(task.seen[0]?.data ?? [])]).toEqual([0, 255, 10]);
  });

  it.each([
    ["attachment; filename*=UTF-8''M%C3%BChle%20%E2%82%AC.pdf; filename=x.pdf", 'Mühle €.pdf'],
    ['attachment; filename=plain.pdf; size=3', 'plain.pdf'],
    ["attachment; filename*=UTF-8''%zz; filename=fallback.pdf", 'fallback.pdf'],
    [Buffer.from('attachment; filename="Mühle.pdf"').toString('latin1'), 'Mühle.pdf'],
  ])('reads the name from %s', async (header, name) => {
    await send('x', { 'content-disposition': header });
    expect(task.seen[0]?.request.object['name']).toBe(name);
  });

  it('accepts an empty body without claiming a size of nothing', async () => {
    await send('', { 'content-type': 'text/plain' });
    expect(task.seen[0]?.bytes).toBe(0);
    expect(task.seen[0]?.request.object).not.toHaveProperty('size');
  });

  it('needs no token with a credential of the task', async () => {
    for (const authorization of ['tk_work', 'Bearer pk_tk_work']) await send('x', { authorization }, '/webhook');
    await send('x', { authorization: 'pk_tk_work' }, '/webhook?token=pk_tk_work');
    expect(task.seen).toHaveLength(3);
  });

  it('accepts the token as a header', async () => {
    await send('x', { 'millrace-token': 'tk_work' }, '/task/data');
    expect(task.seen).toHaveLength(1);
  });

  it('refuses a token of another task with the credential of this one', async () => {
    const response = await server.fetch('/webhook?token=tk_other', {
      method: 'POST',
      body: 'x',
      headers: { authorization: 'pk_tk_work' },
    });
    expect(response.status).toBe(403);
  });

  it('tells a failed object from a failed request', async () => {
    task.behaviour = { takeIn: () => Promise.reject(new MillraceError('component_failed', 'no luck')) };
    const small = await send('x');
    expect(small.data).toMatchObject({ objectsRequested: 1, objectsCompleted: 0 });
    expect(small.data.objects['body']).toMatchObject({
      status: 'Error',
      error: { message: 'no luck', error: 'no luck' },
    });
    await task.terminate();
    const response = await server.fetch('/task/data?token=tk_work', { method: 'POST', body: 'x' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ status: 'Error', error: { code: 'task_ended' } });
  });

  it('refuses a compressed body, which the pipeline would take for the data', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const response = await server.fetch('/task/data?token=tk_work', { method: 'POST', body: 'x', headers });
    expect(response.status).toBe(415);
  });

  it('takes file metadata from no JSON body', async () => {
    await send(JSON.stringify({ files: [{ filepath: '/etc/passwd' }] }), { 'content-type': 'application/json' });
    expect(task.seen[0]?.data.toString()).toContain('/etc/passwd');
    expect(JSON.stringify(task.seen[0]?.request)).not.toContain('passwd');
  });

  it('waits as long as the pipeline needs, longer than the idle limit', async () => {
    // Far above what a loaded machine needs between two packets, far below what the pipeline takes.
    const strict = await startTestServer({ idleMs: 1000 });
    try {
      const owner = { kind: 'key', keyId: keyIdOf(apiKey) } as const;
      const longer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2200));
      strict.tasks.behaviour = { admit: longer, takeIn: (_data, seen) => (seen.chunks > 0 ? undefined : longer()) };
      await strict.tasks.start(owner, { pipeline: {}, token: 'tk_slow' });
      const bodies = ['x', 'y'.repeat(3 * uploadWindow)];
      const sent = bodies.map((body) => strict.fetch('/webhook?token=tk_slow', { method: 'POST', body }));
      for (const response of await Promise.all(sent)) expect(response.status).toBe(200);
    } finally {
      await strict.app.close();
    }
  });
});

describe('streaming', () => {
  it('passes 256 MB on as they arrive and keeps next to nothing of them', async () => {
    const total = 256 * 1024 * 1024;
    task.keepBytes = 0;
    let most = 0;
    task.behaviour = {
      takeIn: (_data, seen) => {
        if (seen.chunks % 64 === 0) most = Math.max(most, process.memoryUsage().arrayBuffers);
        return new Promise((resolve) => setImmediate(resolve));
      },
    };
    const before = process.memoryUsage().arrayBuffers;
    const { port } = server;
    const headers = { authorization: apiKey, 'content-length': total, 'content-type': 'application/x-big' };
    const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/task/data?token=tk_work', headers });
    const answered = once(request, 'response');
    const chunk = Buffer.alloc(256 * 1024);
    for (let sent = 0; sent < total; sent += chunk.length) {
      if (!request.write(chunk)) await once(request, 'drain');
    }
    request.end();
    const [response] = (await answered) as [NodeJS.ReadableStream & { statusCode: number }];
    expect(response.statusCode).toBe(200);
    response.resume();
    const [seen] = task.seen;
    expect(seen).toMatchObject({ way: 'pipe', bytes: total, state: 'closed', request: { object: { size: total } } });
    expect(seen?.chunks).toBeGreaterThan(100);
    expect(seen?.mostPending).toBeLessThanOrEqual(uploadWindow + 64 * 1024);
    expect(most - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('stops reading while the pipe takes nothing in', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    task.behaviour = { takeIn: () => gate };
    const size = 64 * 1024 * 1024;
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /webhook?token=tk_work HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${apiKey}\r\n` +
        `Content-Length: ${size}\r\nConnection: close\r\n\r\n`,
    );
    const chunk = Buffer.alloc(1024 * 1024);
    let sent = 0;
    while (sent < size && socket.write(chunk)) sent += chunk.length;
    await eventually(() => (task.seen[0]?.mostPending ?? 0) >= uploadWindow, 'the window is full');
    expect(task.seen[0]?.mostPending).toBeLessThanOrEqual(uploadWindow + 64 * 1024);
    release();
    socket.destroy();
    await eventually(() => task.seen[0]?.state === 'abandoned', 'the pipe is abandoned');
  });

  it('passes the first bytes of a body without a length on before the rest has come', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /webhook?token=tk_work HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${apiKey}\r\n` +
        `Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n`,
    );
    await eventually(() => task.seen[0]?.bytes === 3, 'the first chunk arrives');
    socket.write('2\r\nde\r\n0\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('abcde');
    socket.destroy();
  });

  it('takes a body of very many one-byte chunks in a bounded number of parts at a time', async () => {
    const { port } = server;
    const count = 300_000;
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /webhook?token=tk_work HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${apiKey}\r\n` +
        `Content-Type: application/x-odd\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
    );
    socket.write(`${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200/);
    expect(task.seen[0]).toMatchObject({ bytes: count, state: 'closed' });
    expect(task.seen[0]?.chunks).toBeLessThan(count / 10);
    expect(task.seen[0]?.chunks).toBeGreaterThan(count / 100);
    socket.destroy();
  });

  it('abandons the pipe when the client goes away in the middle', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /webhook?token=tk_work HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${apiKey}\r\n` +
        `Content-Length: 1000000\r\n\r\n${'x'.repeat(100_000)}`,
    );
    await eventually(() => (task.seen[0]?.bytes ?? 0) > 0, 'the upload begins');
    socket.destroy();
    await eventually(() => task.seen[0]?.state === 'abandoned', 'the pipe is abandoned');
  });

  it('gives up waiting for a pipe when the client goes away', async () => {
    let cancellation: Cancellation | undefined;
    task.open = (_request: unknown, given?: Cancellation): Promise<never> => {
      cancellation = given;
      return new Promise<never>(() => undefined);
    };
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /webhook?token=tk_work HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${apiKey}\r\n` +
        `Content-Length: 1000000\r\n\r\n`,
    );
    await eventually(() => cancellation !== undefined, 'a pipe is asked for');
    socket.destroy();
    await eventually(() => cancellation?.cancelled === true, 'the wait is given up');
  });

  it('reports a component that fails in the middle and can be used again', async () => {
    task.behaviour = {
      takeIn: async (_data, seen) => {
        if (seen.bytes <= 200_000) return;
        await eventually(() => seen.mostPending >= uploadWindow, 'the reading is stopped');
        throw new MillraceError('component_failed', 'too much');
      },
    };
    const answer = await send('x'.repeat(5_000_000));
    expect(answer.data).toMatchObject({ objectsCompleted: 0 });
    expect(answer.data.objects['body']).toMatchObject({ status: 'Error', error: { message: 'too much' } });
    expect(task.seen[0]?.state).toBe('closed');
    const head = `Host: 127.0.0.1:${server.port}\r\nAuthorization: ${apiKey}\r\n`;
    const answers = await server.raw(
      `POST /webhook?token=tk_work HTTP/1.1\r\n${head}Content-Length: 5000000\r\n\r\n${'x'.repeat(5_000_000)}` +
        `GET /ping HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  it('prefers the error in the result of a failed pipe, which names the component', async () => {
    task.behaviour = {
      takeIn: () => Promise.reject(new MillraceError('component_failed', 'short')),
      result: () => '{"objectId":"o","error":{"message":"long","code":"component_failed","component":"c"}}',
    };
    const answer = await send('x'.repeat(100_000));
    expect(answer.data.objects['body']).toMatchObject({ error: { message: 'long', component: 'c' } });
  });
});

describe('forms', () => {
  it('make every field an object, in order', async () => {
    const form = new FormData();
    form.append('note', 'hi');
    form.append('file', new Blob(['{"a":1}'], { type: 'application/json' }), 'a.json');
    const answer = await send(form);
    expect(answer.data).toMatchObject({ objectsRequested: 2, objectsCompleted: 2, resultTypes: { text: 'text' } });
    expect(Object.keys(answer.data.objects)).toEqual(['note', 'file']);
    expect(answer.data.objects['file']).toMatchObject({ name: 'a.json', status: 'OK', text: ['{"a":1}\n\n'] });
    expect(answer.data.objects['note']).not.toHaveProperty('result_types');
    expect(answer.data).not.toHaveProperty('text');
    expect(task.seen.map((seen) => seen.request.mimeType)).toEqual(['text/plain', 'application/json']);
    expect(task.seen[0]?.request.object['name']).toMatch(/^note-[0-9a-f-]{36}$/);
  });

  it('copy the result of a single field', async () => {
    const form = new FormData();
    form.append('only', 'hi');
    expect((await send(form)).data).toMatchObject({ text: ['hi\n\n'], result_types: ['text'] });
  });

  it('number repeated names', async () => {
    const form = new FormData();
    for (const [name, value] of [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
      ['a_0', '4'],
    ] as const)
      form.append(name, value);
    const { objects } = (await send(form)).data;
    expect(Object.keys(objects).sort()).toEqual(['a_0', 'a_1', 'a_2', 'b']);
    expect(Object.values(objects).map((item) => item['text'])).toEqual([['1\n\n'], ['2\n\n'], ['3\n\n'], ['4\n\n']]);
    expect(objects['a_0']).toMatchObject({ text: ['4\n\n'] });
  });

  it('keep a field named like a prototype a field', async () => {
    const form = new FormData();
    form.append('__proto__', 'x');
    const text = await (await server.fetch('/task/data?token=tk_work', { method: 'POST', body: form })).text();
    expect(text).toContain('"objects":{"__proto__":{');
    expect(({} as Record<string, unknown>)['text']).toBeUndefined();
  });

  it('answer an empty form with zeros', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    expect((await send('--b--\r\n', headers)).data).toEqual({
      objectsRequested: 0,
      objectsCompleted: 0,
      resultTypes: {},
      objects: {},
    });
  });

  it('report a failed field beside the good ones', async () => {
    task.behaviour = {
      takeIn: (data) => {
        if (Buffer.from(data).toString() === 'bad') throw new MillraceError('component_failed', 'bad');
      },
    };
    const form = new FormData();
    for (const value of ['good', 'bad', 'fine']) form.append(value, value);
    const { objects, objectsCompleted } = (await send(form)).data;
    expect(objectsCompleted).toBe(2);
    expect(Object.values(objects).map((item) => item['status'])).toEqual(['OK', 'Error', 'OK']);
  });

  it('stream large parts without keeping them', async () => {
    const form = new FormData();
    const part = new Blob([Buffer.alloc(16 * 1024 * 1024)]);
    form.append('one', part, 'one.bin');
    form.append('text', 'x'.repeat(3 * 1024 * 1024));
    form.append('two', part, 'two.bin');
    expect((await send(form)).data.objectsCompleted).toBe(3);
    expect(task.seen.map((seen) => [seen.way, seen.bytes])).toEqual([
      ['pipe', 16 * 1024 * 1024],
      ['pipe', 3 * 1024 * 1024],
      ['pipe', 16 * 1024 * 1024],
    ]);
    for (const seen of task.seen) expect(seen.mostPending).toBeLessThanOrEqual(uploadWindow + 256 * 1024);
  });

  it.each([
    ['no boundary', 'multipart/form-data', 'x'],
    [
      'a part without end',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
    ],
    [
      'a long part without end',
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(300_000)}`,
    ],
    ['nothing at all', 'multipart/form-data; boundary=b', 'nothing'],
  ])('are refused with %s', async (_what, type, body) => {
    const response = await server.fetch('/task/data?token=tk_work', {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ status: 'Error', error: { code: 'invalid_message' } });
    await eventually(() => task.seen.every((seen) => seen.state !== 'open'), 'no pipe stays open');
  });

  it('leave the connection usable when they are refused in the middle', async () => {
    const body = 'x'.repeat(3_000_000);
    const answers = await server.raw(
      `POST /webhook?token=tk_work HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${apiKey}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length + 900_000}\r\n\r\n` +
        `${partsTooMany}${'x'.repeat(900_000 - partsTooMany.length)}${body}` +
        `GET /ping HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('are refused with more fields than a form has', async () => {
    const form = new FormData();
    for (let index = 0; index < 1100; index++) form.append('a', 'x');
    const response = await server.fetch('/task/data?token=tk_work', { method: 'POST', body: form });
    expect(response.status).toBe(413);
  });

  it('abandon the open pipe when the client goes away', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /webhook?token=tk_work HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${apiKey}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n` +
        `--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n${'x'.repeat(200_000)}`,
    );
    await eventually(() => (task.seen[0]?.bytes ?? 0) > 0, 'the upload begins');
    socket.destroy();
    await eventually(() => task.seen[0]?.state === 'abandoned', 'the pipe is abandoned');
  });
});
