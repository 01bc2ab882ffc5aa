import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './testing.js';

describe('the client packages', () => {
  const files = ['millrace-2.0.0-py3-none-any.whl', 'millrace-1.0.0-py3-none-any.whl'];
  let folder: string;
  let shop: TestServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-'));
    for (const name of [...files, 'millrace-2.0.0.tgz', 'secret.txt'])
      await writeFile(join(folder, name), `content of ${name}`);
    const entry = (kind: 'python' | 'typescript', fileName: string) => ({
      kind,
      fileName,
      file: join(folder, fileName),
    });
    shop = await startTestServer({
      packages: [...files.map((name) => entry('python', name)), entry('typescript', 'millrace-2.0.0.tgz')],
    });
  });
  afterAll(async () => {
    await shop.app.close();
    await rm(folder, { recursive: true });
  });

  it('are served without a key and never from a cache', async () => {
    const latest = await fetch(`${shop.base}/client/python/latest`);
    expect(await latest.text()).toBe(`content of ${files[0]}`);
    expect(latest.headers.get('content-disposition')).toBe(`attachment; filename="${files[0]}"`);
    expect(latest.headers.get('cache-control')).toBe('no-cache');
    expect(await (await fetch(`${shop.base}/client/python/${files[1]}`)).text()).toBe(`content of ${files[1]}`);
    const typescript = await fetch(`${shop.base}/client/typescript`);
    expect(typescript.headers.get('content-type')).toBe('application/gzip');
    expect(await typescript.text()).toContain('2.0.0.tgz');
  });

  it('tell their size and name without their content', async () => {
    const response = await fetch(`${shop.base}/client/python/latest`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(`content of ${files[0]}`.length));
    expect(response.headers.get('content-disposition')).toContain(files[0]);
    expect(await response.text()).toBe('');
  });

  it('are whole when one was packed anew after the start, and said to be gone when it was removed', async () => {
    const file = join(folder, 'shell.tgz');
    await writeFile(file, 'short');
    const other = await startTestServer({ packages: [{ kind: 'shell', fileName: 'shell.tgz', file }] });
    try {
      await writeFile(file, 'longer than before');
      expect(await (await fetch(`${other.base}/client/shell`)).text()).toBe('longer than before');
      await rm(file);
      const response = await fetch(`${other.base}/client/shell`);
      expect([response.status, await response.json()]).toMatchObject([404, { code: 'package_missing' }]);
    } finally {
      await other.app.close();
    }
  });

  it.each([
    ['/client/python/none.whl', 'There is no Python client package of that name', files[0]],
    ['/client/python/', 'There is no Python client package of that name', '/client/python/latest'],
    ['/client/typescript/latest', 'There is no TypeScript client package of that name', 'without a name'],
    ['/client/vscode', 'This server does not have the VS Code extension package', 'npm run package'],
    ['/client/shell', 'This server does not have the dashboard package', 'npm run package'],
    ['/client/docs', 'This server does not have the agent docs package', 'npm run package'],
    ['/client/typescript-init', 'This server does not have the workspace init package', 'npm run package'],
    ['/client/nothing', 'There is no such download', '/client/typescript-init'],
  ])('say for %s what is missing and what to do', async (path, message, hint) => {
    const response = await fetch(shop.base + path);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.json()).toEqual({
      error: expect.stringMatching(/ package not found$/) as string,
      message,
      code: 'package_missing',
      hint: expect.stringContaining(hint ?? '') as string,
    });
  });

  it('refuse other methods, also without a cache', async () => {
    const response = await fetch(`${shop.base}/client/typescript`, { method: 'POST', body: 'x' });
    const { status, headers } = response;
    expect([status, headers.get('allow'), headers.get('cache-control')]).toEqual([405, 'GET, HEAD', 'no-cache']);
    expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
  });

  it.each([
    '/client/python/secret.txt',
    '/client/python/../secret.txt',
    '/client/python/..%2fsecret.txt',
    '/client/python/%2e%2e/secret.txt',
    '/client/python/%2e%2e%2fsecret.txt',
    '/client/python/..\\secret.txt',
    '/client/python/..%5csecret.txt',
    '/client/python/%252e%252e%252fsecret.txt',
    '/client/python/secret.txt%00.whl',
    '/client/python/C:%5csecret.txt',
    '/client/python/%5c%5cserver%5cshare%5csecret.txt',
    '/client/python//etc/passwd',
    '/client/../../../../etc/passwd',
    '/client/%2e%2e/%2e%2e/etc/passwd',
    '/client/python/.secret',
    '/client/python/%E0%A4%A',
    `/client/python/${'a'.repeat(500)}`,
    '/client/typescript/millrace-2.0.0.tgz',
    '/client/python/millrace-2.0.0%2dpy3-none-any.whl',
  ])('give nothing away for %s', async (path) => {
    const answer = await shop.raw(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${shop.port}\r\nConnection: close\r\n\r\n`);
    expect(answer.slice(9, 12)).toMatch(/^40[04]$/);
    expect(answer).not.toMatch(/content of|root:/);
    expect(answer).toContain('application/json');
    expect(answer).toContain('cache-control: no-cache');
  });
});
