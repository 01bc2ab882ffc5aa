import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findDashboard } from './dashboard.js';
import { startTestServer, type TestServer } from './testing.js';

const page = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', authorization: '' } };

let folder: string;
let server: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-dashboard-'));
  const view = path.join(folder, 'webview');
  await mkdir(path.join(view, 'chunks'), { recursive: true });
  await writeFile(path.join(view, 'main.js'), 'import "./chunks/part-ABC.js";');
  await writeFile(path.join(view, 'main.css'), 'body{}');
  await writeFile(path.join(view, 'chunks', 'part-ABC.js'), 'export {};');
  await writeFile(path.join(view, 'notes.txt'), 'not for browsers');
  await writeFile(path.join(folder, 'secret.js'), 'secret');
  server = await startTestServer({ dashboard: findDashboard([path.join(folder, 'nowhere'), view]) });
});

afterAll(async () => {
  await server.app.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the dashboard', () => {
  it('is a page that runs and shows nothing but what the server itself has', async () => {
    const answer = await server.fetch('/', page);
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/<style|style=|<script>| on\w+=|https?:/);
    const assets = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, url]) => url ?? '');
    expect(assets).toEqual(['/dashboard/main.css', '/dashboard/main.js']);
    for (const url of assets) expect((await server.fetch(url, page)).status).toBe(200);
  });

  it('has files of the right type, of which those named after their content are kept', async () => {
    const headers = async (url: string) => {
      const answer = await server.fetch(url, { headers: { authorization: '' } });
      return [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')];
    };
    expect(await headers('/dashboard/main.js')).toEqual([200, 'text/javascript; charset=utf-8', 'no-cache']);
    expect(await headers('/dashboard/main.css')).toEqual([200, 'text/css; charset=utf-8', 'no-cache']);
    const kept = [200, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'];
    expect(await headers('/dashboard/chunks/part-ABC.js')).toEqual(kept);
  });

  it.each([
    '/dashboard/',
    '/dashboard/notes.txt',
    '/dashboard/chunks',
    '/dashboard/../secret.js',
    '/dashboard/%2e%2e/secret.js',
    '/dashboard/..%2fsecret.js',
    '/dashboard/chunks/..%5c..%5c..%5csecret.js',
    '/dashboard//main.js',
    '/dashboard/__proto__',
  ])('has no %s', async (url) => {
    const answer = await server.raw(
      `GET ${url} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 40[14] /);
    expect(answer).not.toContain('secret');
  });

  it('is not given to pages of others', async () => {
    const headers = { ...page.headers, origin: 'https://elsewhere.example' };
    expect((await server.fetch('/dashboard/main.js', { headers })).status).toBe(403);
  });

  it('leaves programs the description of the server', async () => {
    const { data } = (await (await server.fetch('/', { headers: { authorization: '' } })).json()) as { data: object };
    expect(data).toMatchObject({ name: 'millrace', version: '1.2.3' });
  });

  it('says what to do when it was not built', async () => {
    const bare = await startTestServer({ dashboard: findDashboard([path.join(folder, 'nowhere')]) });
    const answer = await bare.fetch('/', page);
    await bare.app.close();
    expect(answer.status).toBe(404);
    const { error } = (await answer.json()) as { error: Record<string, string> };
    expect(error).toMatchObject({ message: 'This server has no dashboard', code: 'not_found' });
    expect(error.hint).toContain('npm run build');
  });

  it('says that a file is gone that was there at the start', async () => {
    await rm(path.join(folder, 'webview', 'main.css'));
    expect((await server.fetch('/dashboard/main.css')).status).toBe(404);
  });
});
