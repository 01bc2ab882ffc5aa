import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './support/server.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';

const root = path.join(import.meta.dirname, '..');
const pages = ['docs/quickStart/curl.md', 'docs/quickStart/typescript.md', 'docs/quickStart/python.md'];

interface Sample {
  /** `sh` runs, anything else with a name is written to that file. */
  readonly language: string;
  readonly name: string | undefined;
  readonly text: string;
}

const temporaryDirectory = temporaryDirectories();
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
}, 60_000);
afterAll(() => server.stop());

describe.skipIf(process.platform === 'win32')('the samples of the documentation', () => {
  it.each(pages)('%s does what it says', { timeout: 120_000 }, async (page) => {
    const folder = await temporaryDirectory();
    await cp(path.join(root, 'examples'), path.join(folder, 'examples'), { recursive: true });
    const env = await surroundings(folder);
    let printed = '';
    for (const { language, name, text } of samplesOf(await readFile(path.join(root, page), 'utf8'))) {
      if (name === 'output') expect(meets(printed, text) ? text : printed).toBe(text);
      else if (name !== undefined) await writeFile(path.join(folder, name), text);
      else if (language === 'sh') printed = await run(text, folder, env);
      else expect(language, `${page} has a sample that nothing runs:\n${text}`).toBe('text');
    }
  });
});

describe.skipIf(process.platform === 'win32')('the example programs', () => {
  it.each([
    ['uploadFolder.mjs', /^invoice\.pdf +[\d.]+ s {2}3 pieces$/m],
    ['watch.mjs', /^mask: text$[\s\S]*^1 done, 0 failed$/m],
    ['stream.mjs < README.md', /^\d{4,} characters came back$/m],
  ])('examples/node/%s', { timeout: 60_000 }, async (line, printed) => {
    const env = await surroundings(await temporaryDirectory());
    expect(await run(`node examples/node/${line}`, root, env)).toMatch(printed);
  });
});

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

/** What a reader has: the address, the key, and the command. */
async function surroundings(folder: string): Promise<NodeJS.ProcessEnv> {
  const programs = path.join(folder, 'bin');
  const cli = path.join(root, 'client', 'typescript', 'dist', 'cli.js');
  await mkdir(programs);
  await writeFile(path.join(programs, 'millrace'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  await chmod(path.join(programs, 'millrace'), 0o755);
  const PATH = [programs, path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  return { ...process.env, PATH, MILLRACE_URI: server.url, MILLRACE_APIKEY: server.key };
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
