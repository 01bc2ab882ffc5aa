import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { rm } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { RawClient } from '../support/rawClient.js';
import { echo } from '../support/pipelines.js';
import { specSession } from './session.js';

const packages = {
  'millrace-1.2.3-py3-none-any.whl': 'an older wheel',
  'millrace-1.10.0-py3-none-any.whl': 'a wheel',
  'millrace-1.10.0.tgz': 'a tarball',
  'millrace-1.10.0.vsix': 'an extension',
  'shell.tgz': 'a shell',
  'docs.zip': 'docs',
  'typescript-init.tgz': 'init',
};
let folder = '';
const session = specSession(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-spec-'));
  for (const [name, content] of Object.entries(packages)) await writeFile(join(folder, name), content);
  return { args: ['--packages', folder] };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function json(response: Promise<Response> | Response): Promise<Record<string, unknown>> {
  return (await (await response).json()) as Record<string, unknown>;
}

describe('Endpoints', () => {
  it('`POST /task`: the configuration with the parameters and the key gives `{status, data: {token}}`', async () => {
    const body = { ...echo, project_id: 'posted', token: 'posted', ttl: 60, threads: 2, apikey: session.server.key };
    expect(await json(session.post('/task', body))).toMatchObject({ status: 'OK', data: { token: 'posted' } });
    const nested = { pipeline: { ...echo, project_id: 'nested' }, token: 'nested', apikey: session.server.key };
    expect(await json(session.post('/task', nested))).toMatchObject({ status: 'OK', data: { token: 'nested' } });
  });

  it('`use`: the client returns the `data` object', async () => {
    const { token, ...data } = await session.client.use({ pipeline: echo, token: 'posted', useExisting: true });
    const body = { pipeline: echo, token: 'posted', useExisting: true, apikey: session.server.key };
    expect((await json(session.post('/task', body)))['data']).toEqual({ token, ...data });
  });

  it('`GET /task`: the status', async () => {
    const { status, data } = await json(session.http('/task?token=posted'));
    expect([status, Object.keys(data as object).sort()]).toEqual([
      'OK',
      Object.keys(await session.client.getTaskStatus('posted')).sort(),
    ]);
  });

  it.each(['/task/data', '/webhook'])('`POST %s`: the data gives the result', async (path) => {
    const init = { method: 'POST', body: 'hello', headers: { 'content-type': 'text/plain' } };
    expect(await json(session.http(`${path}?token=posted`, init))).toMatchObject({ data: { text: ['hello\n\n'] } });
  });

  it('`POST /pipe/validate`: a pipeline, with a source or without, or a component', async () => {
    const valid = { status: 'OK', data: { errors: [], resolved: { id: 'in' } } };
    expect(await json(session.post('/pipe/validate', { pipeline: echo }))).toMatchObject(valid);
    expect(await json(session.post('/pipe/validate', { pipeline: echo, source: 'in' }))).toMatchObject(valid);
    const [component] = echo.components;
    expect(await json(session.post('/pipe/validate', { component }))).toMatchObject({ data: { errors: [] } });
  });

  it('terminate: `terminate(token)`, whose endpoint is `DELETE /task`', async () => {
    expect(await json(session.http('/task?token=nested', { method: 'DELETE' }))).toEqual({ status: 'OK' });
    expect(await session.client.getTaskStatus('nested')).toMatchObject({ completed: true });
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

  it.each([
    ['/client/python/millrace-1.2.3-py3-none-any.whl', 'millrace-1.2.3-py3-none-any.whl'],
    ['/client/python/latest', 'millrace-1.10.0-py3-none-any.whl'],
    ['/client/typescript', 'millrace-1.10.0.tgz'],
    ['/client/vscode', 'millrace-1.10.0.vsix'],
    ['/client/shell', 'shell.tgz'],
    ['/client/docs', 'docs.zip'],
    ['/client/typescript-init', 'typescript-init.tgz'],
  ] as const)('`GET %s`: %s, public and not cached', async (path, name) => {
    const response = await fetch(session.server.url + path);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(response.headers.get('content-disposition')).toContain(name);
    expect(await response.text()).toBe(packages[name]);
  });

  it('`/client/*`: a package that is not there is 404 with a JSON error', async () => {
    for (const path of ['/client/python/millrace-9.9.9-py3-none-any.whl', '/client/nothing', '/client/python/..%2fx']) {
      const response = await fetch(session.server.url + path);
      expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-cache']);
      expect(JSON.stringify(await response.json())).toMatch(/error/);
    }
  });

  it('`http` and `https` become `ws` and `wss`; all four are accepted', () => {
    const addresses = ['http', 'https', 'ws', 'wss'].map(
      (scheme) => session.another({ uri: `${scheme}://host:1` }).url,
    );
    expect(addresses.map((url) => url.split(':')[0])).toEqual(['ws', 'wss', 'ws', 'wss']);
  });
});
