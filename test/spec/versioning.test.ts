import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, describe, expect, it } from 'vitest';
import { agentDocs } from '../../scripts/agentDocs.mjs';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { specSession } from './session.js';

const temporary = temporaryDirectories();
let folder = '';
const session = specSession(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-spec-'));
  await writeFile(join(folder, 'docs.zip'), await agentDocs('1.2.3'));
  for (const version of ['1.2.3', '1.2.10']) {
    await writeFile(join(folder, `millrace-${version}-py3-none-any.whl`), `wheel ${version}`);
    await writeFile(join(folder, `millrace-${version}.tgz`), `tarball ${version}`);
  }
  return { args: ['--packages', folder] };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const get = (path: string): Promise<Response> => fetch(`${session.server.url}/client/${path}`);

describe('Versioning', () => {
  it('1. the routes serve the latest packages, under names with their version', async () => {
    const wheel = await get('python/latest');
    expect(wheel.headers.get('content-disposition')).toContain('millrace-1.2.10-py3-none-any.whl');
    expect(await wheel.text()).toBe('wheel 1.2.10');
    const tarball = await get('typescript');
    expect(tarball.headers.get('content-disposition')).toContain('millrace-1.2.10.tgz');
    expect(await tarball.text()).toBe('tarball 1.2.10');
  });

  it('2. the docs have a manifest with a hash of the content; installing them unchanged changes nothing', async () => {
    const hashes = await Promise.all(['1.2.3', '1.2.4'].map(async (version) => hashOf(await agentDocs(version))));
    expect(hashes[0]).toMatch(/^(sha256[-:])?[0-9a-f]{32,}$/);
    expect(hashes[1]).toBe(hashes[0]);
    const workspace = await temporary();
    expect(await session.millrace('init', workspace)).toMatchObject({ code: 0 });
    const before = await readFile(join(workspace, 'AGENTS.md'), 'utf8');
    const check = await session.millrace('init', workspace, '--check');
    expect(check).toMatchObject({ code: 0 });
    expect(await readFile(join(workspace, 'AGENTS.md'), 'utf8')).toBe(before);
  });

  it('3. the Python route gives a wheel by its concrete name', async () => {
    expect(await (await get('python/millrace-1.2.3-py3-none-any.whl')).text()).toBe('wheel 1.2.3');
    expect((await get('python/millrace-1.2.4-py3-none-any.whl')).status).toBe(404);
  });
});

function hashOf(archive: Uint8Array): string {
  const { 'manifest.json': manifest = new Uint8Array() } = unzipSync(archive);
  return (JSON.parse(strFromU8(manifest)) as { hash: string }).hash;
}
