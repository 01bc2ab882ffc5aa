import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node.js';
import { exitCodes } from '../../client/cli/exitCodes.js';
import { agentDocs } from '../../scripts/agentDocs.mjs';
import { type Finished, startProgram } from '../support/command.js';
import { findPython, pythonEnvironment } from '../support/python.js';
import { installPythonClient, requirements } from '../support/pythonClient.js';
import { startServer, type TestServer } from '../support/server.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { play, type Step } from '../support/transcript.js';
import { type CommandLines, commandLines } from './operations/commandLines.js';

/** How a command is started: its first words, and its variables. */
interface Millrace {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
}

const script = resolve(import.meta.dirname, '..', '..', 'client', 'typescript', 'dist', 'cli.js');
const python = await findPython();
const temporary = temporaryDirectories();
let installed: string;
let server: TestServer;
let ofTypeScript: Millrace;
let ofPython: Millrace[] = [];

beforeAll(async () => {
  installed = await mkdtemp(join(tmpdir(), 'millrace-test-'));
  const packages = join(installed, 'packages');
  await mkdir(packages);
  await writeFile(join(packages, 'docs.zip'), await agentDocs('0.1.0'));
  server = await startServer({ args: ['--packages', packages] });
  const env = { MILLRACE_URI: server.url, MILLRACE_APIKEY: server.key };
  ofTypeScript = { command: [process.execPath, script], env };
  if (python === undefined) return;
  const environment = await pythonEnvironment(python, requirements);
  const { site } = await installPythonClient(environment, installed);
  const utf8 = { PYTHONPATH: site, PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1' };
  ofPython = [{ command: [environment.interpreter, '-m', 'millrace'], env: { ...env, ...utf8 } }];
}, 600_000);
afterAll(async () => {
  await server.stop();
  await rm(installed, { recursive: true, force: true, maxRetries: 3 });
});

/** What the lines say, and what they leave behind. */
async function perform({ command, env }: Millrace, { files = {}, lines }: CommandLines) {
  const folder = await temporary();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const finished: Finished[] = [];
  for (const { args, input } of lines) {
    const options = { cwd: folder, env, ...(input === undefined ? {} : { input }) };
    finished.push(await startProgram([...command, ...args], options).finished);
  }
  return { finished, left: await contentOf(folder) };
}

async function contentOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(names.map((name) => readFile(name, 'utf8')));
  return Object.fromEntries(names.map((name, at) => [name.slice(folder.length), texts[at] ?? '']));
}

/** The exit code of the language server that gets a signal while it serves an editor. */
async function interrupted({ command, env }: Millrace, signal: NodeJS.Signals): Promise<unknown> {
  const [program = '', ...args] = command;
  const server = spawn(program, [...args, 'language-server', '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(server, 'exit');
  const editor = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  editor.listen();
  await editor.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
  server.kill(signal);
  const [code] = (await ended) as unknown[];
  editor.dispose();
  return code;
}

/** Everybody the same, at once, the command of the npm package first. */
function all<T>(act: (millrace: Millrace) => Promise<T>): Promise<T[]> {
  return Promise.all([ofTypeScript, ...ofPython].map(act));
}

describe('both commands do the same, character by character:', () => {
  it.each(commandLines)('$title', async (operation) => {
    const [expected, ...others] = await all((millrace) => perform(millrace, operation));
    for (const [at, { exitCode, says }] of operation.lines.entries()) {
      const { code, stdout = '', stderr = '' } = expected?.finished[at] ?? {};
      expect([code, stdout + stderr]).toEqual([exitCode, expect.stringMatching(says)]);
    }
    for (const own of others) expect(own).toEqual(expected);
  });

  it('language-server: a conversation with an editor', async () => {
    const uri = 'file:///nowhere/a.pipe';
    const text = "{ source: 'in', components: [{ id: 'in', provider: 'webhook', config: {}}] }";
    const conversation: Step[] = [
      { request: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } },
      { notify: 'initialized', params: {} },
      { notify: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'millrace', version: 1, text } } },
      {
        request: 'textDocument/formatting',
        params: { textDocument: { uri }, options: { tabSize: 2, insertSpaces: true } },
      },
      { request: 'shutdown' },
      { notify: 'exit' },
    ];
    const [expected, ...others] = await all(({ command, env }) =>
      play([...command, 'language-server', '--stdio'], conversation, uri, { env: { ...process.env, ...env } }),
    );
    expect(expected).toMatchObject({ code: 0, stderr: '' });
    expect(expected?.steps[0]).toMatchObject({ result: { serverInfo: { name: 'millrace' } } });
    expect(expected?.steps[3]).toMatchObject({ result: [{ newText: ' ' }, { newText: '\n' }] });
    for (const own of others) expect(own).toEqual(expected);
  });

  it.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM'] as const)(
    'language-server: %s interrupts it, as every other command',
    async (signal) => {
      const codes = await all((millrace) => interrupted(millrace, signal));
      expect(codes).toEqual(codes.map(() => exitCodes.interrupted));
    },
  );
});
