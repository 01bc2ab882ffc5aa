import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiKey, startTestServer, type TestServer } from './testing.js';

let server: TestServer;
const json = { 'content-type': 'application/json' };
const pipeline = { components: [{ id: 'in', provider: 'webhook', config: {} }] };

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.app.close());
beforeEach(() => server.tasks.tasks.clear());

const post = (path: string, body: unknown, headers: object = {}): Promise<Response> =>
  server.fetch(path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });

describe('the routes about the server', () => {
  it('answers a ping and tells its version to anybody', async () => {
    const ping = await fetch(`${server.base}/ping`);
    expect(await ping.json()).toEqual({ status: 'OK' });
    const version = await fetch(`${server.base}/version`);
    expect(await version.json()).toEqual({ status: 'OK', data: { version: '1.2.3', hash: 'abc', stamp: 'today' } });
    expect((await fetch(`${server.base}/`)).status).toBe(200);
  });

  it('tells its uptime to those with a key', async () => {
    expect((await fetch(`${server.base}/status`)).status).toBe(401);
    const { data } = (await (await server.fetch('/status')).json()) as { data: { server: Record<string, unknown> } };
    expect(data.server['version']).toMatchObject({ version: '1.2.3' });
    expect(data.server['uptime']).toBeTypeOf('number');
    expect(data.server['startTime']).toBeGreaterThan(1e9);
  });

  it('lists the services and describes one', async () => {
    const list = (await (await fetch(`${server.base}/services`)).json()) as { data: { services: object } };
    expect(Object.keys(list.data.services)).toEqual(['webhook']);
    const one = (await (await fetch(`${server.base}/services?service=webhook`)).json()) as { data: object };
    expect(one.data).toMatchObject({ title: 'Webhook', protocol: 'webhook://', capabilities: 8 });
    const none = await fetch(`${server.base}/services?service=nothing`);
    expect(none.status).toBe(400);
    expect(await none.json()).toMatchObject({
      status: 'Error',
      error: { error: expect.stringContaining("'nothing' not found") },
    });
  });

  it('describes every route, and only with schemas that say what is public', async () => {
    const document = (await (await fetch(`${server.base}/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, Record<string, { security: object[] }>>;
    };
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/task',
        '/task/data',
        '/webhook',
        '/pipe/validate',
        '/client/python/{filename}',
        '/docs',
      ]),
    );
    expect(Object.keys(document.paths['/task'] ?? {}).sort()).toEqual(['delete', 'get', 'post', 'put']);
    expect(document.paths['/task']?.['get']?.security).not.toEqual([]);
    expect(document.paths['/pipe/validate']?.['post']?.security).toEqual([]);
  });

  it('shows the description as a page that runs nothing and loads nothing', async () => {
    const page = await fetch(`${server.base}/docs`);
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(html).toContain('/pipe/validate');
    expect(html).not.toMatch(/<script|https?:\/\/|\son\w+=/);
  });
});

describe('starting a task', () => {
  const started = () => [...server.tasks.tasks.values()].map((task) => task.request);

  it('accepts a flat pipeline and answers with the token', async () => {
    const response = await post('/task', { ...pipeline, name: 'mine', source: 'in' });
    expect(await response.json()).toMatchObject({ status: 'OK', data: { token: 'tk_0' } });
    expect(started()[0]).toMatchObject({ pipeline: { ...pipeline, name: 'mine', source: 'in' } });
  });

  it('accepts a wrapped pipeline with parameters beside it', async () => {
    const env = { SERVICE_X: '1' };
    await post('/task', {
      pipeline,
      token: 'own',
      source: 'in',
      threads: 4,
      use_existing: true,
      args: ['-v'],
      ttl: 0,
      pipelineTraceLevel: 'full',
      name: 'n',
      env,
    });
    expect(started()[0]).toEqual({
      pipeline,
      token: 'own',
      source: 'in',
      threads: 4,
      useExisting: true,
      args: ['-v'],
      ttl: 0,
      traceLevel: 'full',
      name: 'n',
      env,
    });
  });

  it('takes the parameters out of a flat pipeline and lets the query win', async () => {
    await post('/task?threads=2&trace=debug&token=q', { ...pipeline, threads: 8, token: 'b', ttl: 5, args: ['a'] });
    expect(started()[0]).toMatchObject({ pipeline, threads: 2, token: 'q', ttl: 5, args: ['a', '--trace=debug'] });
  });

  it.each(['auth', 'apikey', 'apiKey', 'api_key'])(
    'accepts the key as %s of the body and never stores it',
    async (name) => {
      const bodies = [
        { ...pipeline, [name]: apiKey },
        { pipeline, [name]: apiKey },
      ];
      for (const body of bodies) {
        const init = { method: 'POST', headers: json, body: JSON.stringify(body) };
        expect((await fetch(`${server.base}/task`, init)).status).toBe(200);
      }
      expect(started()).toHaveLength(2);
      expect(JSON.stringify(started())).not.toContain(apiKey);
    },
  );

  it('does not store a key of the body when the header has one too', async () => {
    await post('/task', { ...pipeline, auth: 'another-secret' });
    expect(started()).toHaveLength(1);
    expect(JSON.stringify(started())).not.toContain('another-secret');
  });

  it('has PUT as a twin', async () => {
    const response = await server.fetch('/task', { method: 'PUT', headers: json, body: JSON.stringify(pipeline) });
    expect(response.status).toBe(200);
  });

  it.each([
    [{ pipeline, threads: 0 }, 'threads'],
    [{ pipeline, threads: 65 }, 'threads'],
    [{ pipeline, threads: 'many' }, 'threads'],
    [{ pipeline, ttl: -1 }, 'ttl'],
    [{ pipeline, ttl: 1.5 }, 'ttl'],
    [{ pipeline, token: 7 }, 'token'],
    [{ pipeline, token: ['a'] }, 'token'],
    [{ pipeline, args: 'x' }, 'args'],
    [{ pipeline, env: { a: 1 } }, 'env'],
    [{ pipeline, useExisting: 'perhaps' }, 'useExisting'],
    [{ pipeline, pipelineTraceLevel: 'all' }, 'pipelineTraceLevel'],
    [{ nothing: 1 }, 'components'],
  ])('refuses %j and names what is wrong', async (body, name) => {
    const response = await post('/task', body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: { message: string } }).error.message).toContain(`\`${name}\``);
    expect(started()).toHaveLength(0);
  });

  it('answers a token in use with a conflict', async () => {
    await post('/task?token=same', pipeline);
    const again = await post('/task?token=same', pipeline);
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({
      status: 'Error',
      error: { code: 'task_exists', message: 'Pipeline is already running.', error: 'Pipeline is already running.' },
    });
  });
});

describe('status and end of a task', () => {
  it('answers with the status in the envelope', async () => {
    await post('/task?token=one', pipeline);
    const response = await server.fetch('/task?token=one');
    expect(await response.json()).toMatchObject({ status: 'OK', data: { state: 3, project_id: 'project' } });
    const byHeader = await server.fetch('/task', { headers: { 'millrace-token': 'one' } });
    expect(byHeader.status).toBe(200);
  });

  it('terminates a task', async () => {
    await post('/task?token=one', pipeline);
    const response = await server.fetch('/task?token=one', { method: 'DELETE' });
    expect(await response.json()).toEqual({ status: 'OK' });
    expect(server.tasks.tasks.get('one')?.terminated).toBe(true);
  });

  it('asks for a missing token, once', async () => {
    expect(await (await server.fetch('/task')).json()).toMatchObject({ error: { code: 'token_required' } });
    expect((await server.fetch('/task?token=a&token=b')).status).toBe(400);
  });

  it('does not tell an unknown task from a foreign one', async () => {
    const foreign = { kind: 'key', keyId: 'someone else' } as const;
    await server.tasks.start(foreign, { pipeline, token: 'theirs' });
    const answers = [];
    for (const token of ['theirs', 'nobody']) {
      const response = await server.fetch(`/task?token=${token}`);
      answers.push([response.status, await response.text()]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(400);
  });

  it('lets a task credential end its own task and no other, and a public key none', async () => {
    await post('/task?token=tk_own', pipeline);
    await post('/task?token=tk_other', pipeline);
    const end = (path: string, credential: string): Promise<Response> =>
      server.fetch(path, { method: 'DELETE', headers: { authorization: credential } });
    expect((await end('/task?token=tk_other', 'tk_own')).status).toBe(403);
    expect((await end('/task', 'pk_tk_own')).status).toBe(403);
    expect((await end('/task', 'tk_own')).status).toBe(200);
    expect(server.tasks.tasks.get('tk_other')?.terminated).toBe(false);
    const start = await post('/task', pipeline, { authorization: 'tk_own' });
    expect(start.status).toBe(403);
  });
});

describe('validation', () => {
  const validate = (body: unknown, query = ''): Promise<Response> =>
    fetch(`${server.base}/pipe/validate${query}`, { method: 'POST', headers: json, body: JSON.stringify(body) });

  it('needs no key and answers in the form of the specification', async () => {
    const response = await validate({ pipeline, source: 'in' });
    expect(await response.json()).toEqual({
      status: 'OK',
      data: {
        errors: ['bad'],
        warnings: [],
        diagnostics: [{ severity: 'error', code: 'test', message: 'bad', component: 'a' }],
        resolved: { id: 'in', provider: 'webhook' },
        chain: ['a'],
        pipeline,
      },
    });
  });

  it('accepts a flat pipeline, a component, and a component inside `pipeline`', async () => {
    const component = { id: 'a', provider: 'webhook', config: {} };
    expect(await (await validate(pipeline, '?source=x')).json()).toMatchObject({ data: { resolved: { id: 'x' } } });
    expect(await (await validate({ component })).json()).toMatchObject({ data: { component, errors: [] } });
    const nested = await validate({ pipeline: { version: 1, component } });
    expect(await nested.json()).toMatchObject({ data: { component } });
  });

  it.each([[{ pipeline, code: 'x' }], [{ component: {}, run: true }], [{}], [[]], ['text'], [null]])(
    'refuses %j',
    async (body) => {
      const response = await validate(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ status: 'Error', error: { hint: expect.any(String) } });
    },
  );
});

describe('authentication', () => {
  const routes: [string, string][] = [
    ['POST', '/task'],
    ['PUT', '/task'],
    ['GET', '/task?token=x'],
    ['DELETE', '/task?token=x'],
    ['POST', '/task/data?token=x'],
    ['POST', '/webhook?token=x'],
    ['PUT', '/task/process?token=x'],
    ['GET', '/status'],
    ['GET', '/no/such/path'],
    ['POST', '/no/such/path'],
    ['PATCH', '/task'],
  ];

  it.each(routes)('%s %s is closed without a key and with a wrong one', async (method, path) => {
    const init = { method, ...(method === 'GET' ? {} : { body: '{}', headers: json }) };
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: '' },
      { authorization: 'Bearer ' },
    ]) {
      const response = await fetch(server.base + path, { ...init, headers: { ...json, ...headers } });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ status: 'Error', error: { error: 'Access denied' } });
    }
  });

  it('accepts the key as header, with and without Bearer, and in the query', async () => {
    for (const authorization of [apiKey, `Bearer ${apiKey}`]) {
      expect((await fetch(`${server.base}/status`, { headers: { authorization } })).status).toBe(200);
    }
    expect((await fetch(`${server.base}/status?auth=${apiKey}`)).status).toBe(200);
    expect((await fetch(`${server.base}/status?auth=${apiKey}&auth=x`)).status).toBe(401);
    expect((await fetch(`${server.base}/status?auth[]=${apiKey}`)).status).toBe(401);
  });

  it('ignores cookies', async () => {
    const cookie = `auth=${apiKey}; Authorization=${apiKey}`;
    expect((await fetch(`${server.base}/status`, { headers: { cookie } })).status).toBe(401);
  });

  it('answers a refusal in the form the caller reads', async () => {
    const ask = async (headers: Record<string, string>): Promise<[string | null, string]> => {
      const response = await fetch(`${server.base}/status`, { headers });
      return [response.headers.get('content-type'), await response.text()];
    };
    expect((await ask({ accept: 'text/html,*/*' }))[0]).toContain('text/html');
    expect(await ask({ accept: 'text/plain' })).toEqual(['text/plain; charset=utf-8', 'Access denied']);
    expect((await ask({ accept: '*/*' }))[0]).toContain('application/json');
    const upload = await fetch(`${server.base}/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(await upload.text()).toBe('Access denied');
  });

  it('answers the credential of a task that does not exist with a bad request', async () => {
    for (const credential of ['tk_gone', 'pk_gone']) {
      const response = await fetch(`${server.base}/task`, { headers: { authorization: credential } });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { error: 'Bad request' } });
    }
  });

  it('never logs keys, tokens or bodies', async () => {
    await server.fetch(`/task?token=canary-token&auth=${apiKey}`);
    await post(`/task?token=canary-token`, { auth: apiKey, secret: 'canary-body' });
    await fetch(`${server.base}/canary?auth=${apiKey}`, { headers: { authorization: 'canary-wrong' } });
    expect(server.log.join('\n')).not.toMatch(/canary-(?:key|token|body|wrong)/);
  });
});

describe('requests of browsers', () => {
  const request = (path: string, headers: string): Promise<string> =>
    server.raw(`GET ${path} HTTP/1.1\r\n${headers}Authorization: ${apiKey}\r\nConnection: close\r\n\r\n`);
  const status = (answer: string): string => answer.slice(9, 12);

  it('refuses a name that was rebound to this address, before anything else', async () => {
    for (const path of ['/status', '/ping', '/client/docs', '/nothing', '/openapi.json', '/%zz']) {
      const answer = await request(path, `Host: evil.example:${server.port}\r\n`);
      expect(status(answer)).toBe('421');
      expect(answer).toContain('host_refused');
    }
  });

  it('refuses pages of other origins, also for public routes', async () => {
    const host = `Host: 127.0.0.1:${server.port}\r\n`;
    for (const headers of [
      'Origin: https://evil.example\r\n',
      'Origin: null\r\n',
      'Origin: http://127.0.0.1:1\r\n',
      'Sec-Fetch-Site: cross-site\r\n',
    ]) {
      expect(status(await request('/status', host + headers))).toBe('403');
      expect(status(await request('/version', host + headers))).toBe('403');
    }
    expect(status(await request('/status', `${host}Origin: http://127.0.0.1:${server.port}\r\n`))).toBe('200');
  });

  it('never sends a CORS header and always the protective ones', async () => {
    for (const path of ['/ping', '/status', '/nothing', '/client/docs', '/docs', '/task?token=x', '/%zz']) {
      for (const method of ['GET', 'OPTIONS']) {
        const response = await server.fetch(path, { method });
        expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        expect(response.headers.get('referrer-policy')).toBe('no-referrer');
        expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
        expect(response.headers.get('set-cookie')).toBeNull();
      }
    }
  });

  it('refuses an absolute request target', async () => {
    const answer = await request(`http://evil.example/status`, `Host: 127.0.0.1:${server.port}\r\n`);
    expect(status(answer)).toBe('400');
  });
});

describe('wrong requests', () => {
  it('answers an unknown path with 404 and a wrong method with 405 to those with a key', async () => {
    const unknown = await server.fetch('/no/such/path');
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ status: 'Error', error: { code: 'not_found' } });
    const method = await server.fetch('/task', { method: 'PATCH' });
    expect(method.status).toBe(405);
    expect(method.headers.get('allow')).toBe('POST, PUT, GET, HEAD, DELETE');
    expect((await fetch(`${server.base}/ping`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${server.base}/client/docs`, { method: 'DELETE' })).status).toBe(405);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
  ])('refuses %s where JSON is due', async (type) => {
    for (const path of ['/task', '/pipe/validate']) {
      const init = { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(pipeline) };
      const response = await server.fetch(path, init);
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({ error: { code: 'media_type_refused' } });
    }
  });

  it.each([
    '{',
    '',
    'nul',
    '{"a":1}}',
    '{"__proto__":{"polluted":1},"components":[]}',
    '{"components":[],"x":{"constructor":{"prototype":{"polluted":1}}}}',
    `{"components":${'['.repeat(100)}${']'.repeat(100)}}`,
    `{"components":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
  ])('answers the JSON %# with 400', async (body) => {
    for (const path of ['/task', '/pipe/validate']) {
      const response = await server.fetch(path, { method: 'POST', headers: json, body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ status: 'Error', error: { hint: expect.any(String) } });
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(server.tasks.tasks.size).toBe(0);
  });

  it('refuses a JSON body of more than 10 MB', async () => {
    const body = JSON.stringify({ ...pipeline, pad: 'x'.repeat(11 * 1024 * 1024) });
    const response = await server.fetch('/task', { method: 'POST', headers: json, body });
    expect(response.status).toBe(413);
  });

  it('refuses headers of more than 16 kB and goes on serving', async () => {
    for (const size of [20_000, 10_000_000]) {
      const answer = await server.raw(
        `GET /ping HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-Big: ${'x'.repeat(size)}`,
      );
      // When much more is on its way the answer may be lost with the connection.
      if (size < 100_000) expect(answer.slice(9, 12)).toBe('431');
    }
    expect((await fetch(`${server.base}/ping`)).status).toBe(200);
  });

  it('answers what is not HTTP with 400', async () => {
    expect((await server.raw('GARBAGE\r\n\r\n')).slice(9, 12)).toBe('400');
    expect((await server.raw('GET /ping HTTP/1.1\r\n\r\n')).slice(9, 12)).toBe('400');
  });

  it('survives headers named like parts of a prototype', async () => {
    const head = `Host: 127.0.0.1:${server.port}\r\nConnection: close\r\n`;
    for (const name of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString']) {
      const answer = await server.raw(
        `GET /status HTTP/1.1\r\n${head}${name}: x\r\n${name}: y\r\nAuthorization: ${apiKey}\r\n\r\n`,
      );
      expect(answer.slice(9, 12)).toBe('200');
    }
  });

  it('survives query parameters named like parts of a prototype', async () => {
    const response = await server.fetch('/task?__proto__=x&constructor=y&token=nobody');
    expect(response.status).toBe(400);
    expect((await fetch(`${server.base}/status?__proto__[auth]=${apiKey}`)).status).toBe(401);
  });

  it('keeps the text of an internal error to the log', async () => {
    await server.tasks.start({ kind: 'key', keyId: 'x' }, { pipeline });
    const find = server.tasks.find.bind(server.tasks);
    server.tasks.find = () => {
      throw new TypeError('secret detail');
    };
    try {
      const response = await server.fetch('/task?token=x');
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain('secret detail');
      expect(server.log.at(-1)).toContain('Request failed');
    } finally {
      server.tasks.find = find;
    }
  });
});

describe('a body that stays away', () => {
  it('is given up after the idle limit', async () => {
    const strict = await startTestServer({ idleMs: 100 });
    try {
      const head = `Host: 127.0.0.1:${strict.port}\r\nAuthorization: ${apiKey}\r\nContent-Length: 10\r\n`;
      await strict.raw(`POST /task HTTP/1.1\r\n${head}Content-Type: application/json\r\n\r\n{`);
      await strict.tasks.start({ kind: 'key', keyId: 'x' }, { pipeline });
      await strict.raw(`POST /pipe/validate HTTP/1.1\r\n${head}Content-Type: application/json\r\n\r\n`);
    } finally {
      await strict.app.close();
    }
  });
});
