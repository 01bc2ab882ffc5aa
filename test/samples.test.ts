import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { builtPackages } from './support/packages.js';
import { findPython } from './support/python.js';
import { startServer, type TestServer } from './support/server.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';

const root = path.join(import.meta.dirname, '..');
const python = await findPython();

interface Sample {
  /** `sh` runs, anything else with a name is written to that file. */
  readonly language: string;
  readonly name: string | undefined;
  readonly text: string;
}

const temporaryDirectory = temporaryDirectories();
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ args: ['--packages', await builtPackages()] });
}, 240_000);
afterAll(() => server.stop());

vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(process.platform === 'win32')('the samples of the documentation', () => {
  it.each(['docs/quickStart/curl.md', 'docs/quickStart/typescript.md'])('%s does what it says', async (page) => {
    const folder = await readersFolder();
    await follow(page, folder, surroundings(folder));
  });

  it.each([
    ['uploadFolder.mjs', /^invoice\.pdf +[\d.]+ s {2}3 pieces$/m],
    ['watch.mjs', /^mask: text$[^]*^1 done, 0 failed$/m],
    ['stream.mjs < README.md', /^\d{4,} characters came back$/m],
  ])('examples/node/%s works', async (line, printed) => {
    const env = surroundings(await readersFolder());
    expect(await run(`node examples/node/${line}`, root, env)).toMatch(printed);
  });

  it.skipIf(python === undefined)(
    'docs/quickStart/python.md does what it says, and so do examples/python and README.md',
    async () => {
      const folder = await readersFolder();
      const env = surroundings(folder);
      await run(`${python ?? ''} -m venv environment`, folder, env);
      // Behind the command of Node: this one brings a `millrace` too.
      env.PATH = ['bin', path.join('environment', 'bin')]
        .map((name) => path.join(folder, name))
        .concat(env.PATH ?? '')
        .join(path.delimiter);
      await follow('docs/quickStart/python.md', folder, env);
      await mkdir(path.join(folder, 'node_modules'), { recursive: true });
      await symlink(path.join(root, 'client', 'typescript'), path.join(folder, 'node_modules', 'millrace'));
      await follow('README.md', folder, env);
      expect(await run('node hello.mjs', folder, env)).toContain('"text":["Hello\\n\\n"]');
      expect(await run('python hello.py', folder, env)).toContain("'text': ['Hello\\n\\n']");
      const printed = (line: string): Promise<string> => run(`python examples/python/${line}`, folder, env);
      expect(await printed('upload_folder.py')).toMatch(/^invoice\.pdf +[\d.]+ s {2}3 pieces$/m);
      expect(await printed('watch.py')).toMatch(/^mask: text$[^]*^1 done, 0 failed$/m);
      expect(await printed('stream.py < examples/documents/release-notes.md')).toMatch(
        /^\d{3,} characters came back$/m,
      );
    },
  );
});

/** A folder with the examples in it, as the pages assume, and the command. */
async function readersFolder(): Promise<string> {
  const folder = await temporaryDirectory();
  await cp(path.join(root, 'examples'), path.join(folder, 'examples'), { recursive: true });
  const cli = path.join(root, 'client', 'typescript', 'dist', 'cli.js');
  await mkdir(path.join(folder, 'bin'));
  await writeFile(path.join(folder, 'bin', 'millrace'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  await chmod(path.join(folder, 'bin', 'millrace'), 0o755);
  return folder;
}

/** What a reader has set: the address and the key. */
function surroundings(folder: string): NodeJS.ProcessEnv {
  const PATH = [path.join(folder, 'bin'), path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(MILLRACE|npm)_/i.test(name));
  return { ...Object.fromEntries(inherited), PATH, MILLRACE_URI: server.url, MILLRACE_APIKEY: server.key };
}

/** Does what a page says, in its order: writes its files, runs its lines, and looks at what they print. */
async function follow(page: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  let printed = '';
  for (const { language, name, text } of samplesOf(await readFile(path.join(root, page), 'utf8'))) {
    if (name === 'output') expect(meets(printed, text) ? text : printed).toBe(text);
    else if (name !== undefined) await writeFile(path.join(folder, name), text);
    else if (language === 'sh') printed = await run(text, folder, env);
    else expect(language, `${page} has a sample that nothing runs:\n${text}`).toBe('text');
  }
}

function samplesOf(page: string): Sample[] {
  return [...page.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language = '', name, text = '']) => ({
    language,
    name,
    text,
  }));
}

/** Whether that was printed; `…` stands for anything. */
function meets(printed: string, expected: string): boolean {
  const parts = expected.trim().split('…');
  if (parts.length === 1) return printed.trim() === parts[0];
  let at = 0;
  return parts.every((part) => {
    const found = printed.indexOf(part, at);
    at = found + part.length;
    return found >= 0;
  });
}

/** Resolves with what the lines print; rejects with their errors. */
function run(lines: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-euc', lines], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`exit code ${code}: ${lines}\n${out}${complaints}`));
    });
  });
}
