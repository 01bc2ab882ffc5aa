import { beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../support/rawClient.js';
import { echo, obeying } from '../support/pipelines.js';
import { downloads, offering, packages, specSession } from './session.js';

const session = specSession(offering());

async function json(response: Promise<Response> | Response): Promise<Record<string, unknown>> {
  return (await (await response).json()) as Record<string, unknown>;
}

beforeAll(async () => {
  for (const token of ['posted', 'other']) {
    await session.client.use({ pipeline: { ...echo, project_id: token }, token, ttl: 0 });
  }
});

describe('Endpoints', () => {
  it('`POST /task`: the configuration with the parameters and the key gives `{status, data: {token}}`', async () => {
    const key = { apikey: session.server.key };
    const parameters = { threads: 2, ttl: 60, args: ['--fast', 'two'], pipelineTraceLevel: 'metadata', source: 'in' };
    const flat = { ...obeying, ...parameters, ...key, project_id: 'flat', token: 'flat' };
    const nested = { pipeline: { ...obeying, project_id: 'nested' }, ...parameters, ...key, token: 'nested' };
    for (const body of [flat, nested]) {
      const { token } = body;
      expect(await json(session.post('/task', body))).toMatchObject({ status: 'OK', data: { token } });
      expect(await session.client.send(token, 'args')).toMatchObject({ text: ['--fast two\n\n'] });
      expect((await session.client.getTaskStatus(token)).componentStats).toHaveProperty('obey');
    }
  });

  it('`use`: the client returns the `data` object', async () => {
    const { token, ...data } = await session.client.use({ pipeline: echo, token: 'posted', useExisting: true });
    const body = { pipeline: echo, token: 'posted', useExisting: true, apikey: session.server.key };
    expect((await json(session.post('/task', body)))['data']).toEqual({ token, ...data });
  });

  it('`GET /task`: the status', async () => {
    const { status, data } = await json(session.http('/task?token=posted'));
    const expected = await session.client.getTaskStatus('posted');
    expect([status, Object.keys(data as object).sort()]).toEqual(['OK', Object.keys(expected).sort()]);
    const { state, name, project_id, source, startTime } = expected;
    expect(data).toMatchObject({ state, name, project_id, source, startTime });
  });

  it.each(['/task/data', '/webhook'])('`POST %s`: the data gives the result', async (path) => {
    const init = { method: 'POST', body: 'hello', headers: { 'content-type': 'text/plain' } };
    expect(await json(session.http(`${path}?token=posted`, init))).toMatchObject({ data: { text: ['hello\n\n'] } });
  });

  it('`POST /pipe/validate`: a pipeline, with a source or without, or a component', async () => {
    const valid = { status: 'OK', data: { errors: [], resolved: { id: 'in' } } };
    expect(await json(session.post('/pipe/validate', { pipeline: echo }))).toMatchObject(valid);
    const second = { id: 'second', provider: 'webhook', config: {} };
    const pipeline = { ...echo, components: [...echo.components, second] };
    expect(await json(session.post('/pipe/validate', { pipeline, source: 'second' }))).toMatchObject({
      status: 'OK',
      data: { errors: [], resolved: { id: 'second' } },
    });
    const [component] = echo.components;
    expect(await json(session.post('/pipe/validate', { component }))).toMatchObject({ data: { errors: [] } });
    const bad = { component: { ...component, config: 'none' } };
    expect(await json(session.post('/pipe/validate', bad))).toMatchObject({
      data: { errors: [expect.stringContaining('config')] },
    });
  });

  it('terminate: `terminate(token)`, whose endpoint is `DELETE /task`', async () => {
    expect(await json(session.http('/task?token=other', { method: 'DELETE' }))).toEqual({ status: 'OK' });
    expect(await session.client.getTaskStatus('other')).toMatchObject({ completed: true });
  });

  it('each operation exists on the socket too', async () => {
    const raw = await RawClient.login(session.server.url, session.server.key);
    const { token } = await raw.body('execute', { pipeline: { ...echo, project_id: 'raw' }, token: 'raw' });
    const send = { subcommand: 'send', token, object: {}, mimeType: 'text/plain' };
    expect(await raw.body('mrext_process', send, 'x')).toMatchObject({ text: ['x\n\n'] });
    expect(await raw.body('mrext_get_task_status', { token })).toMatchObject({ state: 3 });
    expect(await raw.body('mrext_validate', { pipeline: echo })).toMatchObject({ errors: [] });
    expect(await raw.body('mrext_validate', { component: echo.components[0] })).toMatchObject({ errors: [] });
    await raw.body('terminate', { token });
    await raw.close();
  });

  it.each(downloads)('`GET /client/%s`: %s, public and not cached', async (path, name) => {
    const response = await fetch(`${session.server.url}/client/${path}`);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    expect(await response.text()).toBe(packages[name]);
  });

  it('`/client/*`: a package that is not there is 404 with a JSON error', async () => {
    for (const path of ['/client/python/millrace-9.9.9-py3-none-any.whl', '/client/nothing', '/client/python/..%2fx']) {
      const response = await fetch(session.server.url + path);
      expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-cache']);
      expect(JSON.stringify(await response.json())).toMatch(/error/);
    }
  });

  it('`http` and `https` become `ws` and `wss`; all four are accepted', async () => {
    for (const scheme of ['http', 'ws']) {
      const client = session.another({ uri: session.server.url.replace(/^http/, scheme) });
      await client.connect();
      expect([client.url.split(':')[0], client.connected]).toEqual(['ws', true]);
    }
    const addresses = ['http', 'https', 'ws', 'wss'].map(
      (scheme) => session.another({ uri: `${scheme}://host:1` }).url,
    );
    expect(addresses.map((url) => url.split(':')[0])).toEqual(['ws', 'wss', 'ws', 'wss']);
  });
});
