import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { echo, obeying, swallow } from './support/pipelines.js';
import { processTree, residentMb } from './support/processes.js';
import { startServer, type TestServer } from './support/server.js';
import { componentsFolder } from './support/worker.js';

const root = resolve(import.meta.dirname, '..');
const json = { 'content-type': 'application/json' };
let server: TestServer;
let publicToken: string;

beforeAll(async () => {
  server = await startServer({ args: ['--components', componentsFolder] });
  const documents = JSON.parse(
    await readFile(join(root, 'examples', 'pipelines', 'documents.pipe.json'), 'utf8'),
  ) as object;
  const started = await start({ pipeline: echo, token: 'echo-task', ttl: 0 });
  publicToken = started.publicToken;
  await start({ pipeline: documents, token: 'documents-task', ttl: 0 });
  await start({ pipeline: swallow, token: 'swallow-task', ttl: 0 });
  await start({ pipeline: obeying, token: 'obey-task', ttl: 0 });
});

afterAll(() => server.stop());

interface Answer<T> {
  status: string;
  data: T;
  error?: { message: string; error: string; code: string; hint: string };
}

interface Data {
  objectsRequested: number;
  objectsCompleted: number;
  resultTypes: Record<string, string>;
  objects: Record<string, Record<string, unknown>>;
  [key: string]: unknown;
}

interface Started {
  token: string;
  publicToken: string;
}

/** A request with the key, unless it has a credential of its own. */
function call(path: string, init: RequestInit = {}, credential: string | undefined = server.key): Promise<Response> {
  const headers = new Headers(init.headers);
  if (credential !== '') headers.set('authorization', `Bearer ${credential}`);
  return fetch(`${server.url}${path}`, { ...init, headers });
}

async function read<T>(response: Response): Promise<Answer<T>> {
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  return (await response.json()) as Answer<T>;
}

async function start(body: object): Promise<Started> {
  const response = await call('/task', { method: 'POST', headers: json, body: JSON.stringify(body) });
  const { status, data } = await read<Started>(response);
  expect(status).toBe('OK');
  return data;
}

async function send(token: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Data> {
  const response = await call(`/task/data?token=${token}`, { method: 'POST', headers, body });
  const { status, data } = await read<Data>(response);
  expect([response.status, status]).toEqual([200, 'OK']);
  return data;
}

async function refusal(response: Response): Promise<{ status: number; code: string | undefined; text: string }> {
  const { status, error } = await read<undefined>(response);
  expect(status).toBe('Error');
  expect(error?.hint).toEqual(expect.any(String));
  return { status: response.status, code: error?.code, text: error?.message ?? '' };
}

describe('the life of a task', () => {
  it('goes from POST to DELETE', async () => {
    const { token } = await start({ ...echo, project_id: 'life', pipelineTraceLevel: 'metadata', ttl: 60 });
    expect(token).toMatch(/^tk_/);
    const sent = await send(token, 'hello', { 'content-type': 'text/plain' });
    expect(sent).toMatchObject({ text: ['hello\n\n'], result_types: ['text'], objectsCompleted: 1 });
    const { data } = await read<Record<string, unknown>>(await call(`/task?token=${token}`));
    expect(data).toMatchObject({ state: 3, completedCount: 1, project_id: 'life', componentStats: { in: {} } });
    expect(await read(await call(`/task?token=${token}`, { method: 'DELETE' }))).toEqual({ status: 'OK' });
    const ended = await read<Record<string, unknown>>(await call(`/task?token=${token}`));
    expect(ended.data).toMatchObject({ state: 6, completed: true });
    const late = await refusal(await call(`/task/data?token=${token}`, { method: 'POST', body: 'late' }));
    expect(late).toMatchObject({ status: 400, code: 'task_failed' });
  });

  it('accepts the key in the body, in the query and without Bearer', async () => {
    const body = JSON.stringify({ pipeline: echo, apikey: server.key });
    const inBody = await call('/task', { method: 'POST', headers: json, body }, '');
    const { data } = await read<Started>(inBody);
    expect((await call(`/task?token=${data.token}&auth=${server.key}`, {}, '')).status).toBe(200);
    const plain = { headers: { authorization: server.key }, method: 'DELETE' };
    expect((await fetch(`${server.url}/task?token=${data.token}`, plain)).status).toBe(200);
  });

  it('says why a pipeline cannot start', async () => {
    const pipeline = { source: 'in', components: [{ id: 'in', provider: 'nonsense', config: {} }] };
    const bad = await call('/task', { method: 'POST', headers: json, body: JSON.stringify({ pipeline }) });
    expect(await refusal(bad)).toMatchObject({ status: 400, text: expect.stringContaining('nonsense') as string });
    const again = JSON.stringify({ pipeline: echo, token: 'echo-task' });
    const taken = await call('/task', { method: 'POST', headers: json, body: again });
    expect(await refusal(taken)).toMatchObject({ status: 409, code: 'task_exists' });
    expect(await start({ pipeline: echo, token: 'echo-task', use_existing: true })).toMatchObject({
      token: 'echo-task',
    });
  });
});

describe('data', () => {
  it('of any type goes through the documents pipeline as it is', async () => {
    const body = await readFile(join(root, 'examples', 'documents', 'minutes.docx'));
    const headers = {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="m.docx"',
    };
    const data = await send('documents-task', body, headers);
    expect(data.resultTypes).toEqual({ documents: 'documents', table: 'table' });
    expect(data['name']).toBe('m.docx');
    expect(JSON.stringify(data['documents'])).toContain('Visitors sign in at the gate');
    expect(data.objects['body']).toMatchObject({ status: 'OK', name: 'm.docx' });
  });

  it('of a form becomes one object for each field', async () => {
    const form = new FormData();
    form.append('note', 'hi');
    form.append('file', new File(['one'], 'one.txt', { type: 'text/plain' }));
    form.append('file', new File(['two'], 'two.txt', { type: 'text/plain' }));
    const data = await send('echo-task', form);
    expect(data).toMatchObject({ objectsRequested: 3, objectsCompleted: 3, resultTypes: { text: 'text' } });
    expect(Object.keys(data.objects)).toEqual(['note', 'file_0', 'file_1']);
    expect(data.objects['note']).toMatchObject({ text: ['hi\n\n'], status: 'OK' });
    expect(data.objects['file_1']).toMatchObject({ name: 'two.txt', text: ['two\n\n'] });
  });

  it('of one field that fails does not spoil the others', async () => {
    const form = new FormData();
    form.append('good', 'fine');
    form.append('bad', 'fail on purpose');
    const data = await send('obey-task', form);
    expect(data).toMatchObject({ objectsRequested: 2, objectsCompleted: 1 });
    expect(data.objects['good']).toMatchObject({ text: ['fine\n\n'], status: 'OK' });
    expect(data.objects['bad']).toMatchObject({ status: 'Error', error: { message: 'on purpose', component: 'obey' } });
  });

  it('comes in through /webhook with the public key of the task alone', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'knock' };
    const { data } = await read<Data>(await call('/webhook', init, publicToken));
    expect(data['text']).toEqual(['knock\n\n']);
    expect((await read<Data>(await call(`/webhook?auth=${publicToken}`, init, ''))).data['text']).toEqual([
      'knock\n\n',
    ]);
    expect((await refusal(await call('/task?token=echo-task', {}, publicToken))).status).toBe(403);
    expect((await refusal(await call('/webhook?token=obey-task', init, publicToken))).status).toBe(403);
  });

  it('of 600 MB streams through without being kept', async () => {
    const memory = (): number => processTree(server.pid).reduce((sum, pid) => sum + residentMb(pid), 0);
    const before = memory();
    let peak = before;
    const chunk = randomBytes(1_000_000);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent % 10 === 0) peak = Math.max(peak, memory());
        if (sent++ < 600) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const { data } = await read<Data>(await call('/task/data?token=swallow-task', init));
    expect(data.objectsCompleted).toBe(1);
    const status = await read<Record<string, unknown>>(await call('/task?token=swallow-task'));
    expect(status.data['completedSize']).toBe(600_000_000);
    // What Node leaves to its garbage collector does not depend on the size of the body.
    expect(peak - before).toBeLessThan(200);
  });
});

describe('validation', () => {
  const validate = async (body: object): Promise<Record<string, unknown>> => {
    const init = { method: 'POST', headers: json, body: JSON.stringify(body) };
    return (await read<Record<string, unknown>>(await call('/pipe/validate', init, ''))).data;
  };

  it('needs no key and tells the source and the chain', async () => {
    const answer = { errors: [], warnings: [], resolved: { id: 'in', provider: 'webhook' }, chain: ['in', 'out'] };
    expect(await validate({ pipeline: echo })).toMatchObject(answer);
    expect(await validate(echo)).toMatchObject(answer);
    expect(await validate({ pipeline: { ...echo, source: 'nobody' }, source: 'in' })).toMatchObject(answer);
  });

  it('lists what is wrong as texts', async () => {
    const [source, out] = echo.components;
    const components = [source, { ...out, input: [{ from: 'nobody', lane: 'text' }] }];
    const { errors } = await validate({ pipeline: { ...echo, components } });
    expect(errors).toEqual([expect.stringContaining('nobody')]);
  });

  it('checks the configuration of a single component', async () => {
    const component = { id: 'x', provider: 'preprocessor_langchain', config: { profile: 'nonsense' } };
    expect((await validate({ component })).errors).not.toEqual([]);
    expect((await validate({ component: { id: 'x', provider: 'webhook', config: {} } })).errors).toEqual([]);
  });
});

describe('routes about the server', () => {
  it('are open to anybody, save the status', async () => {
    expect(await read(await call('/ping', {}, ''))).toEqual({ status: 'OK' });
    const { data } = await read<{ version: string }>(await call('/version', {}, ''));
    expect(data.version).toMatch(/^\d+\.\d+\.\d+/);
    const { data: list } = await read<{ services: object }>(await call('/services', {}, ''));
    expect(Object.keys(list.services)).toEqual(expect.arrayContaining(['webhook', 'obey', 'response_text']));
    const { data: one } = await read<{ title: string }>(await call('/services?service=webhook', {}, ''));
    expect(one.title).not.toBe('');
    expect((await call('/status', {}, '')).status).toBe(401);
    expect((await read<{ server: object }>(await call('/status'))).data.server).toMatchObject({ version: data });
  });

  it('describe every route that answers here', async () => {
    const response = await call('/openapi.json', {}, '');
    const document = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
    const documented = ['/task', '/task/data', '/webhook', '/pipe/validate', '/services', '/version', '/ping'];
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(documented));
    const page = await call('/docs', {}, '');
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await page.text()).toContain('/task/data');
  });

  it.each(['/client/python/latest', '/client/typescript', '/client/vscode', '/client/shell', '/client/docs'])(
    '%s needs no key, is never cached, and is a package or a JSON error',
    async (path) => {
      const response = await call(path, {}, '');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      if (response.status === 200) return expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: expect.stringContaining('not found') as string });
    },
  );
});

describe('refusals', () => {
  it.each([
    ['no key', 'GET', '/task?token=echo-task', '', 401],
    ['a wrong key', 'POST', '/task/data?token=echo-task', 'wrong', 401],
    ['a path that does not exist, with a key', 'GET', '/nothing', undefined, 404],
    ['a path that does not exist, without a key', 'GET', '/nothing', '', 401],
    ['a method that is not allowed', 'DELETE', '/task/data', undefined, 405],
    ['a missing token', 'GET', '/task', undefined, 400],
    ['an unknown task', 'GET', '/task?token=nobody', undefined, 400],
  ])('of %s have their status', async (_, method, path, credential, status) => {
    const response = await call(path, { method }, credential);
    expect((await refusal(response)).status).toBe(status);
    if (status === 405) expect(response.headers.get('allow')).toBe('POST');
  });

  it('of a start that is not JSON say so', async () => {
    const text = await call('/task', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' });
    expect((await refusal(text)).status).toBe(415);
    const broken = await call('/task', { method: 'POST', headers: json, body: '{' });
    expect((await refusal(broken)).status).toBe(400);
  });

  it.each([
    ['a foreign host', { host: 'evil.example' }, 421],
    ['a foreign origin', { origin: 'https://evil.example' }, 403],
    ['the origin of a file', { origin: 'null' }, 403],
    ['another site without an origin', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('of %s come before everything else, on HTTP and on the socket', async (_, headers, status) => {
    expect(await statusOf('/ping', headers)).toBe(status);
    expect(await statusOf(`/task?token=echo-task&auth=${server.key}`, headers)).toBe(status);
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/task/service`, { headers });
    const refused = await new Promise<number | undefined>((done) => {
      socket.once('unexpected-response', (_request, response) => done(response.statusCode));
      socket.once('open', () => done(101));
      socket.on('error', () => undefined);
    });
    socket.terminate();
    expect(refused).toBe(status);
  });

  it('of pages do not concern the own origin', async () => {
    expect(await statusOf('/ping', { origin: server.url })).toBe(200);
  });
});

/** `fetch` does not let one choose these headers. */
function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((done, fail) => {
    const asked = request(`${server.url}${path}`, { headers }, (response) => {
      response.resume().once('end', () => done(response.statusCode));
    });
    asked.once('error', fail).end();
  });
}
