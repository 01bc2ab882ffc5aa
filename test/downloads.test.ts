import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MillraceClient } from '../client/typescript/src/index.js';
import { capture, npm } from '../scripts/run.mjs';
import { findChromium, startChromium } from '../webview/testing/browser.js';
import { builtPackages } from './support/packages.js';
import { eventually } from './support/poll.js';
import { findPython } from './support/python.js';
import { play } from './support/transcript.js';
import { startServer, type TestServer } from './support/server.js';
import { unzip } from './support/unzip.js';

const root = path.resolve(import.meta.dirname, '..');
const python = await findPython();
const chromium = findChromium();

// Each of these starts npm, pip, a compiler or a browser.
vi.setConfig({ testTimeout: 120_000 });

let packages: string;
let server: TestServer;
let work: string;
/** What programs in a fresh folder are told of the server. */
let env: Record<string, string>;

beforeAll(async () => {
  packages = await builtPackages();
  work = await mkdtemp(path.join(tmpdir(), 'millrace downloads '));
  pages = await servePages();
  server = await startServer({ args: ['--packages', packages, '--allow-origin', originOf(pages)] });
  env = { MILLRACE_URI: server.url, MILLRACE_APIKEY: server.key, npm_config_cache: path.join(work, 'npm cache') };
}, 240_000);
afterAll(async () => {
  await server.stop();
  pages.close();
  await rm(work, { recursive: true, force: true, maxRetries: 3 });
});

let pages: Server;
const originOf = (of: Server) => `http://127.0.0.1:${(of.address() as AddressInfo).port}`;

async function freshFolder(name: string): Promise<string> {
  const folder = path.join(work, name);
  await mkdir(folder);
  await writeFile(path.join(folder, 'package.json'), '{ "name": "fresh", "private": true, "type": "module" }\n');
  return folder;
}

const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];

async function install(folder: string, address: string): Promise<void> {
  const { code, output } = await runProgram([...npm(), 'install', ...quiet, address], {
    cwd: folder,
  });
  expect([code, output]).toEqual([0, expect.any(String)]);
}

/** Runs a program that knows of no other server than the one in `env`. */
function runProgram(
  command: readonly string[],
  { cwd = work, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(MILLRACE|npm)_/i.test(name));
  return capture(command, { cwd, env: { ...Object.fromEntries(inherited), ...env } });
}

/** The first block of a language in a text; the name of its file may stand behind the language. */
function codeOf(text: string, language: string): string {
  const [, code] = new RegExp(`\`\`\`(?:${language})(?: .*)?\\n([^]*?)\`\`\``).exec(text) ?? [];
  if (code === undefined) throw new Error(`There is no block of ${language}`);
  return code;
}

describe('the downloads', () => {
  it.each([
    ['python/latest', 'millrace-0.1.0-py3-none-any.whl', 'application/zip'],
    ['python/millrace-0.1.0-py3-none-any.whl', 'millrace-0.1.0-py3-none-any.whl', 'application/zip'],
    ['typescript', 'millrace-0.1.0.tgz', 'application/gzip'],
    ['vscode', 'millrace-0.1.0.vsix', 'application/octet-stream'],
    ['shell', 'shell.tgz', 'application/gzip'],
    ['docs', 'docs.zip', 'application/zip'],
    ['typescript-init', 'typescript-init.tgz', 'application/gzip'],
  ])('have %s as %s, whole and without a key', async (route, name, type) => {
    const response = await fetch(`${server.url}/client/${route}`);
    const content = Buffer.from(await response.arrayBuffer());
    expect(content.equals(await readFile(path.join(packages, name)))).toBe(true);
    const head = await fetch(`${server.url}/client/${route}`, { method: 'HEAD' });
    for (const { status, headers } of [response, head]) {
      expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, type, 'no-cache']);
      expect(headers.get('content-length')).toBe(String(content.byteLength));
      expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    }
  });

  it('are described to programs', async () => {
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    expect(Object.keys(paths).filter((name) => name.startsWith('/client/'))).toEqual([
      '/client/python/{filename}',
      ...['typescript', 'vscode', 'shell', 'docs', 'typescript-init'].map((name) => `/client/${name}`),
    ]);
  });

  it.each([
    'python/..%2f..%2fpackage.json',
    'python/%2e%2e%2fdocs.zip',
    'python/docs.zip',
    'python/shell.tgz',
    'python/%C3%A4%E2%82%AC%F0%9F%98%80.whl',
    'python/millrace-0.1.0-py3-none-any.whl%00',
    'typescript/..%2fdocs.zip',
    'docs/manifest.json',
    'engine',
  ])('have nothing under %s', async (name) => {
    const response = await fetch(`${server.url}/client/${name}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    expect(await response.json()).toMatchObject({
      code: 'package_missing',
      hint: expect.stringMatching(/./) as string,
    });
  });

  it('have nothing under a very long name', async () => {
    expect((await fetch(`${server.url}/client/python/${'a'.repeat(8000)}`)).status).toBe(404);
    expect((await fetch(`${server.url}/client/${'a'.repeat(8000)}`)).status).toBe(404);
  });
});

describe('the TypeScript client', () => {
  it('is installed from the server, runs its own example, and has types that fit it', async () => {
    const folder = await freshFolder('typescript');
    await install(folder, `${server.url}/client/typescript`);
    const readme = await readFile(path.join(folder, 'node_modules', 'millrace', 'README.md'), 'utf8');
    await writeFile(path.join(folder, 'example.mts'), codeOf(readme, 'ts'));
    const types = { module: 'nodenext', target: 'es2022', strict: true, types: ['node'], rootDir: '.', outDir: '.' };
    const typeRoots = [path.join(root, 'node_modules', '@types')];
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...types, typeRoots }, files: ['example.mts'] }),
    );
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    expect(await runProgram([process.execPath, tsc], { cwd: folder })).toMatchObject({ code: 0, output: '' });
    const ran = await runProgram([process.execPath, 'example.mjs'], { cwd: folder, env });
    expect(ran).toMatchObject({ code: 0, output: '["Hello\\n\\n"]' });
    const start = await readFile(path.join(root, 'docs', 'agents', 'quickStart.md'), 'utf8');
    await writeFile(path.join(folder, 'masked.pipe.json'), codeOf(start, 'json'));
    await writeFile(path.join(folder, 'start.mjs'), codeOf(start, 'js|ts'));
    const started = await runProgram([process.execPath, 'start.mjs'], { cwd: folder, env });
    expect(started).toMatchObject({ code: 0, output: expect.stringMatching(/^\["█+, █+/) });
  });
});

describe('the language server of the client', () => {
  it('speaks with an editor that starts it by npx', async () => {
    const folder = await freshFolder('language');
    await install(folder, path.join(packages, 'millrace-0.1.0.tgz'));
    const dist = await readdir(path.join(folder, 'node_modules', 'millrace', 'dist'));
    expect(dist).toContain('languageServer.cjs');
    const command = [...npm(), 'exec', '--offline', '--', 'millrace', 'language-server', '--stdio'];
    const { steps, code } = await play(
      command,
      [
        { request: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } },
        { notify: 'initialized', params: {} },
        { request: 'shutdown' },
        { notify: 'exit' },
      ],
      'file:///nowhere',
      { cwd: folder },
    );
    expect(steps[0]).toMatchObject({
      result: { serverInfo: { name: 'millrace' }, capabilities: { hoverProvider: true } },
    });
    expect(code).toBe(0);
  });
});

describe.skipIf(python === undefined)('the Python client, installed from the server into a fresh environment,', () => {
  let folder: string;
  let programs: string;

  beforeAll(async () => {
    folder = path.join(work, 'python');
    programs = path.join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
    const latest = await fetch(`${server.url}/client/python/latest`, { method: 'HEAD' });
    const [, name = ''] = /filename="(.*)"/.exec(latest.headers.get('content-disposition') ?? '') ?? [];
    const made = await runProgram([python ?? '', '-m', 'venv', folder]);
    expect(made).toMatchObject({ code: 0 });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'];
    const installed = await runProgram([path.join(programs, 'python'), ...pip, `${server.url}/client/python/${name}`]);
    expect(installed).toMatchObject({ code: 0 });
  }, 120_000);

  it('sends a document', async () => {
    const start = await readFile(path.join(root, 'docs', 'agents', 'quickStart.md'), 'utf8');
    await writeFile(path.join(folder, 'masked.pipe.json'), codeOf(start, 'json'));
    await writeFile(path.join(folder, 'example.py'), codeOf(start, 'python'));
    const ran = await runProgram([path.join(programs, 'python'), 'example.py'], { cwd: folder, env });
    expect(ran).toMatchObject({ code: 0, output: expect.stringMatching(/^\['█+, █+/) });
  });

  it('finds problems, gives files their form and sets a workspace up, with the Node that is there', async () => {
    const workspace = path.join(folder, 'workspace');
    await mkdir(workspace);
    const file = path.join(workspace, 'a.pipe');
    await writeFile(file, "{source: 'in', components: [{id: 'in', provider: 'webhok', config: {}}]}\n");
    const millrace = (...args: string[]) =>
      runProgram([path.join(programs, 'millrace'), ...args], { cwd: workspace, env });
    expect(await millrace('lint', 'a.pipe')).toMatchObject({
      code: 1,
      output: expect.stringContaining('did you mean "webhook"?'),
    });
    expect(await millrace('format', 'a.pipe')).toEqual({ code: 0, output: 'a.pipe' });
    expect(await readFile(file, 'utf8')).toContain("[{ id: 'in', provider");
    expect(await millrace('init')).toMatchObject({ code: 0, output: expect.stringContaining('create  AGENTS.md') });
    expect(await readdir(workspace)).toEqual(expect.arrayContaining(['.env.example', '.millrace', 'AGENTS.md']));
    expect(await millrace('init', '--check')).toMatchObject({ code: 0, output: 'Nothing to do.' });
  });
});

describe('the engine from npm', () => {
  it('offers everything of its version, and the dashboard', async () => {
    const folder = await freshFolder('engine');
    await install(folder, path.join(packages, 'millrace-engine-0.1.0.tgz'));
    const entry = path.join(folder, 'node_modules', 'millrace-engine', 'dist', 'main.js');
    const installed = await startServer({ entry });
    try {
      for (const name of ['python/latest', 'typescript', 'vscode', 'shell', 'docs', 'typescript-init']) {
        expect((await fetch(`${installed.url}/client/${name}`, { method: 'HEAD' })).status, name).toBe(200);
      }
      expect((await fetch(`${installed.url}/dashboard/main.js`)).status).toBe(200);
    } finally {
      await installed.stop();
    }
  });
});

describe('npx with the address of the workspace init', () => {
  /** As a person runs it, with a cache that knows nothing. */
  const init = (folder: string, ...args: string[]) =>
    runProgram([...npm(), 'exec', '--yes', '--loglevel=error', '--', `${server.url}/client/typescript-init`, ...args], {
      cwd: folder,
      env: { npm_config_cache: env['npm_config_cache'] ?? '' },
    });
  const state = async (folder: string) => {
    const names = (await readdir(folder, { recursive: true })).sort();
    return Promise.all(names.map(async (name) => [name, (await stat(path.join(folder, name))).mtimeMs]));
  };

  it('sets a workspace up once, and writes nothing the second time', async () => {
    const folder = await freshFolder('workspace');
    await writeFile(path.join(folder, 'AGENTS.md'), '# Ours\n');
    const would = await init(folder, '--check');
    expect(would).toMatchObject({ code: 1, output: expect.stringContaining('update  AGENTS.md') });
    expect(await readdir(folder)).toEqual(['AGENTS.md', 'package.json']);
    expect(await init(folder)).toMatchObject({ code: 0 });
    const written = await state(folder);
    expect(written.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        '.env.example',
        'CLAUDE.md',
        path.join('.millrace', 'docs', 'components.md'),
        path.join('.millrace', 'schema', 'pipeline.schema.json'),
        path.join('.cursor', 'rules', 'millrace.mdc'),
      ]),
    );
    expect(await readFile(path.join(folder, 'AGENTS.md'), 'utf8')).toMatch(/^# Ours\n\n<!-- millrace:begin /);
    for (const args of [[], ['--check']]) {
      expect(await init(folder, ...args)).toMatchObject({ code: 0, output: expect.stringContaining('Nothing to do') });
    }
    expect(await state(folder)).toEqual(written);
  });

  it('says what is missing where the server has no packages', async () => {
    const empty = await mkdtemp(path.join(tmpdir(), 'millrace-empty-'));
    const bare = await startServer({ args: ['--packages', empty] });
    try {
      const shim = path.join(root, '.cache', 'clients', 'client', 'init', 'main.js');
      const { code, output } = await runProgram([process.execPath, shim, '--uri', bare.url], { cwd: empty });
      expect([code, output]).toEqual([1, expect.stringContaining('npm run package')]);
      expect(await readdir(empty)).toEqual([]);
    } finally {
      await bare.stop();
      await rm(empty, { recursive: true });
    }
  });
});

describe('the docs', () => {
  it('are what their manifest says', async () => {
    const folder = path.join(work, 'docs');
    const files = await unzip(path.join(packages, 'docs.zip'), folder);
    const manifest = JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8')) as {
      version: string;
      files: { path: string; sha256: string }[];
    };
    expect(manifest.version).toBe('0.1.0');
    expect(files).toHaveLength(manifest.files.length + 1);
    for (const { path: name, sha256 } of manifest.files) {
      const content = await readFile(path.join(folder, name));
      expect(createHash('sha256').update(content).digest('hex'), name).toBe(sha256);
    }
  });
});

/** A site of somebody else's: it serves what is installed in the folder `shell`, and the sample of its README. */
async function servePages(): Promise<Server> {
  const html = `<!doctype html><title>Ours</title><style>body { margin: 40px } h1 { color: rgb(1, 2, 3) }</style>
    <h1>Our page</h1><div id="dashboard" style="height: 500px"></div>
    <script>const showSample = () => void import('/sample.js')</script>`;
  const installed = (name: string) => readFile(path.join(work, 'shell', 'node_modules', 'millrace-shell', name));
  /** Goes on behind its comment when `globalThis.later` is called. */
  const sample = async () => {
    const shown = codeOf((await installed('README.md')).toString(), 'ts')
      .replace("'millrace-shell'", "'/shell.js'")
      .replace('http://127.0.0.1:5565', server.url)
      .replace('// later', 'await new Promise((later) => Object.assign(globalThis, { later }));');
    return (await transform(shown, { loader: 'ts' })).code;
  };
  const site = createServer(({ url }, response) => {
    const content = url === '/shell.js' ? installed('index.js') : url === '/sample.js' ? sample() : html;
    void Promise.resolve(content).then((body) => {
      response.setHeader('content-type', url?.endsWith('.js') === true ? 'text/javascript' : 'text/html');
      response.end(body);
    });
  });
  return new Promise((done) => site.listen(0, '127.0.0.1', () => done(site)));
}

describe.skipIf(chromium === undefined)('the dashboard in a page of somebody else', () => {
  it('is installed from the server, shows a task, leaves the page around it alone, and goes', async () => {
    const folder = await freshFolder('shell');
    await install(folder, `${server.url}/client/shell`);
    const client = new MillraceClient({ uri: server.url, auth: server.key });
    await client.connect();
    const browser = await startChromium(chromium ?? '');
    try {
      const filepath = path.join(root, 'examples', 'pipelines', 'echo.pipe.json');
      const { token } = await client.use({ filepath, ttl: 0, pipelineTraceLevel: 'summary' });
      const page = await browser.newPage();
      page.setDefaultTimeout(10_000);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(originOf(pages));
      const outside = () =>
        page.evaluate(() => [
          document.adoptedStyleSheets.length,
          getComputedStyle(document.body).margin,
          getComputedStyle(document.querySelector('h1') as Element).color,
          sessionStorage.length,
        ]);
      const before = await outside();
      await page.evaluate('showSample()');
      await page.getByLabel('API key of this server').fill(server.key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Echo' }).click();
      await page.getByRole('tab', { name: 'Trace' }).click();
      await client.send(token, 'hello', { name: 'greeting.txt' });
      await page.getByText('greeting.txt').first().waitFor();
      if (process.env['MILLRACE_SCREENSHOTS'] !== undefined) {
        await page.screenshot({ path: path.join(root, '.cache', 'screenshots', 'shell.png') });
      }
      expect(await outside()).toEqual(before);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key of this server').waitFor();
      await page.evaluate('later()');
      await eventually('nothing of it is left', async () => (await page.locator('#dashboard').innerHTML()) === '');
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      await client.disconnect();
    }
  });
});
