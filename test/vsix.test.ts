import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MillraceClient } from '../client/typescript/src/index.js';
import type { Doc } from '../protocol/data.js';
import { builtExtension } from './support/packages.js';
import { startServer } from './support/server.js';
import { unzip, type ZipFile } from './support/unzip.js';

const root = path.resolve(import.meta.dirname, '..');

/** Everything that the package may contain; the rest of the archive belongs to its format. */
const allowed = [
  /^package\.json$/,
  /^(readme|changelog)\.md$/,
  /^(LICENSE|THIRD-PARTY-NOTICES)\.txt$/,
  /^dist\/(extension|languageClient|languageServer)\.cjs$/,
  /^dist\/webview\/.*\.(js|css)$/,
  /^engine\/dist\/.*\.(js|json|wasm)$/,
  /^engine\/dist\/packages\/[\w.-]+\.(tgz|zip|whl)$/,
  /^extension\/language\/[a-z.]+\.json$/i,
  /^extension\/starters\/[a-z-]+\.pipe\.json5$/,
  /^extension\/walkthrough\/[\w-]+\.(md|svg|png)$/,
  /^docs\/(providers|problems\/\w+)\.md$/i,
  /^docs\/images\/((icon|live-view)\.png|activity\.svg|pipeline-(light|dark)\.svg)$/,
];
/** Megabytes; the goal of P20. */
const ceiling = 5;

let folder: string;
let archive: ZipFile[];
let packed: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace vsix '));
  archive = await unzip(await builtExtension(), folder);
  packed = path.join(folder, 'extension');
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

const names = () => archive.map(({ name }) => name);

describe('the package of the extension', () => {
  it('contains what it needs and nothing else', () => {
    const ours = names().filter((name) => !/^(extension\.vsixmanifest|\[Content_Types\]\.xml)$/.test(name));
    const unexpected = ours
      .map((name) => name.replace(/^extension\//, ''))
      .filter((name) => !allowed.some((pattern) => pattern.test(name)));
    expect(unexpected).toEqual([]);
    for (const name of [
      'dist/extension.cjs',
      'dist/languageClient.cjs',
      'dist/languageServer.cjs',
      'dist/webview/main.js',
      'engine/dist/main.js',
      'engine/dist/worker.js',
      'docs/images/icon.png',
    ])
      expect(names()).toContain(`extension/${name}`);
  });

  it('has a page with pictures from public addresses alone, because the editor shows no others', async () => {
    const page = await readFile(path.join(packed, 'readme.md'), 'utf8');
    expect(page).toContain('In under a minute');
    const sources = [...page.matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)].map(([, source]) => source ?? '');
    expect(sources.filter((source) => !source.startsWith('https://'))).toEqual([]);
  });

  it('has every file that its manifest names', async () => {
    const text = await readFile(path.join(packed, 'package.json'), 'utf8');
    const named = [...text.matchAll(/"(?:\.\/)?((?:dist|docs|extension|engine)\/[^"\s]+\.\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !names().includes(`extension/${name}`))).toEqual([]);
  });

  it('has a manifest without what only a checkout needs', async () => {
    const manifest = JSON.parse(await readFile(path.join(packed, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(manifest)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(scripts|workspaces|devDependencies|overrides|private)$/)]),
    );
    expect(manifest).toMatchObject({ type: 'module', main: './dist/extension.cjs', extensionKind: ['workspace'] });
  });

  it('has no source maps, not even inside its files', async () => {
    expect(names().filter((name) => name.endsWith('.map'))).toEqual([]);
    const scripts = names().filter((name) => /\.(js|cjs|css)$/.test(name));
    const texts = await Promise.all(scripts.map((name) => readFile(path.join(folder, name), 'utf8')));
    expect(scripts.filter((_, at) => /^\/[/*][#@] sourceMappingURL=/m.test(texts[at] ?? ''))).toEqual([]);
  });

  it('has the licences of the packages whose code it contains', async () => {
    const notices = await readFile(path.join(packed, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    // Of the engine, the live view, the extension and the language server, and two that come without a licence file.
    const some = ['fastify', 'react-dom', 'ws', 'vscode-languageserver', 'abstract-logging', '@ai-sdk/provider-utils'];
    for (const name of some) expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, 'm'));
    // Tools that build and test are not inside.
    expect(notices).not.toMatch(/^(esbuild|vitest|typescript|playwright-core) \d/m);
    for (const words of ['Permission is hereby granted', 'Apache License', 'Redistribution and use'])
      expect(notices).toContain(words);
  });

  it(`is not larger than ${ceiling} MB`, () => {
    expect(archive.reduce((sum, { packed }) => sum + packed, 0) / 1e6).toBeLessThan(ceiling);
  });

  it('holds an engine that reads documents where it is unpacked', async () => {
    const server = await startServer({ entry: path.join(packed, 'engine', 'dist', 'main.js') });
    const client = new MillraceClient({ uri: server.url, auth: server.key });
    try {
      await client.connect();
      const { token } = await client.use({ filepath: path.join(root, 'examples', 'pipelines', 'documents.pipe.json') });
      const files = ['invoice.pdf', 'minutes.docx', 'price-list.xlsx', 'archive.zip'].map((name) => ({
        file: path.join(root, 'examples', 'documents', name),
      }));
      const results = await client.sendFiles(files, token);
      expect(results.map(({ error }) => error)).toEqual(files.map(() => undefined));
      for (const { result } of results) expect((result?.['documents'] as Doc[]).length).toBeGreaterThan(0);
    } finally {
      await client.disconnect();
      await server.stop();
    }
  });

  it('holds an engine that offers the packages of its version', async () => {
    const server = await startServer({ entry: path.join(packed, 'engine', 'dist', 'main.js') });
    try {
      for (const name of ['python/latest', 'typescript', 'vscode', 'shell', 'docs', 'typescript-init']) {
        expect((await fetch(`${server.url}/client/${name}`, { method: 'HEAD' })).status, name).toBe(200);
      }
    } finally {
      await server.stop();
    }
  });

  it('is packed again by its engine as it was, without what the editor or somebody else has added', async () => {
    const installed = path.join(folder, 'installed');
    await cp(packed, installed, { recursive: true });
    const manifest = JSON.parse(await readFile(path.join(packed, 'package.json'), 'utf8')) as object;
    const metadata = { __metadata: { installedTimestamp: 1, source: 'vsix' } };
    await writeFile(
      path.join(installed, 'package.json'),
      JSON.stringify({ ...manifest, ...metadata }, undefined, '\t'),
    );
    await writeFile(path.join(installed, '.env'), 'SECRET=1');
    const again = path.join(folder, 'again.vsix');
    const server = await startServer({ entry: path.join(installed, 'engine', 'dist', 'main.js') });
    try {
      const response = await fetch(`${server.url}/client/vscode`);
      expect(response.headers.get('content-disposition')).toMatch(/"millrace-\d+\.\d+\.\d+\.vsix"/);
      await writeFile(again, Buffer.from(await response.arrayBuffer()));
      await rm(path.join(installed, 'dist', 'extension.cjs'));
      const refused = await fetch(`${server.url}/client/vscode`);
      expect([refused.status, await refused.json()]).toMatchObject([
        404,
        { code: 'package_missing', hint: expect.stringContaining('install it again') },
      ]);
    } finally {
      await server.stop();
    }
    const into = path.join(folder, 'again');
    expect((await unzip(again, into)).map(({ name }) => name).sort()).toEqual(names().sort());
    for (const name of names())
      expect((await readFile(path.join(into, name))).equals(await readFile(path.join(folder, name))), name).toBe(true);
  });
});
