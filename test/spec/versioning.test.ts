import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { agentDocs } from '../../scripts/agentDocs.mjs';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { offering, packages, specSession } from './session.js';

const temporary = temporaryDirectories();
const offered = offering();
const session = specSession(async () => {
  const docs = await agentDocs('1.2.3');
  return offered({ ...packages, 'docs.zip': docs });
});

const get = (path: string): Promise<Response> => fetch(`${session.server.url}/client/${path}`);

describe('Versioning', () => {
  it('1. the routes serve the latest packages, under names with their version', async () => {
    const wheel = await get('python/latest');
    expect(wheel.headers.get('content-disposition')).toContain('"millrace-1.10.0-py3-none-any.whl"');
    expect(await wheel.text()).toBe(packages['millrace-1.10.0-py3-none-any.whl']);
    const tarball = await get('typescript');
    expect(tarball.headers.get('content-disposition')).toContain('"millrace-1.10.0.tgz"');
    expect(await tarball.text()).toBe(packages['millrace-1.10.0.tgz']);
  });

  it('2. the manifest of the docs has a hash of their content, and of nothing else', async () => {
    const manifests = [await agentDocs('1.2.3'), await agentDocs('1.2.4')].map(manifestOf);
    expect(manifests.map(({ version }) => version)).toEqual(['1.2.3', '1.2.4']);
    expect(manifests[1]?.hash).toBe(manifests[0]?.hash);
    const served = new Uint8Array(await (await get('docs')).arrayBuffer());
    const { hash, files } = manifestOf(served);
    const contents = unzipSync(served);
    for (const { path, sha256 } of files) expect(digest(contents[path] ?? ''), path).toBe(sha256);
    // Whatever changes in a file changes its hash, and so this one.
    expect(hash).toBe(digest(files.map((file) => `${JSON.stringify(file)}\n`).join('')));
  });

  it('2. installing docs that have not changed changes nothing', async () => {
    const workspace = await temporary();
    const state = async () => {
      const names = (await readdir(workspace, { recursive: true })).sort();
      return Promise.all(names.map(async (name) => [name, (await stat(join(workspace, name))).mtimeMs]));
    };
    expect(await session.millrace(['init', workspace])).toMatchObject({ code: 0 });
    const written = await state();
    expect(written.map(([name]) => name)).toContain('AGENTS.md');
    for (const args of [[], ['--check']]) {
      expect(await session.millrace(['init', workspace, ...args])).toMatchObject({ code: 0 });
      expect(await state()).toEqual(written);
    }
  });

  it('3. the Python route gives a wheel by its concrete name', async () => {
    const name = 'millrace-1.2.3-py3-none-any.whl';
    const response = await get(`python/${name}`);
    // Installers look at the last part of the address, which `latest` does not satisfy.
    expect(response.url.endsWith(name)).toBe(true);
    expect(await response.text()).toBe(packages[name]);
    expect((await get('python/millrace-1.2.4-py3-none-any.whl')).status).toBe(404);
  });
});

interface Manifest {
  version: string;
  hash: string;
  files: { path: string; sha256: string }[];
}

function manifestOf(archive: Uint8Array): Manifest {
  const { 'manifest.json': manifest = new Uint8Array() } = unzipSync(archive);
  return JSON.parse(strFromU8(manifest)) as Manifest;
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
