import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from './poll.js';
import { isAlive, processTree } from './processes.js';

const builtEntry = resolve(import.meta.dirname, '..', '..', 'engine', 'dist', 'main.js');

export interface ServerOptions {
  /** More of `millrace-engine serve`. */
  args?: readonly string[];
  /** API keys; one random key unless given. */
  keys?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Another build of the engine. */
  entry?: string;
  /** The folder that it is started in. */
  cwd?: string;
}

/** A real server process on a free port, with data in a folder of its own. */
export interface TestServer {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  readonly dataDirectory: string;
  /** What it wrote to standard error. */
  readonly log: () => string;
  /** Ends the server; fails when it leaves a process behind. */
  stop(): Promise<void>;
}

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const keys = options.keys ?? [randomBytes(24).toString('base64url')];
  const dataDirectory = await mkdtemp(join(tmpdir(), 'millrace-test-'));
  const keyArgs = keys.flatMap((key) => ['--api-key', key]);
  const child = spawn(
    process.execPath,
    [
      options.entry ?? builtEntry,
      'serve',
      '--port',
      '0',
      '--json',
      '--watch-stdin',
      '--data-dir',
      dataDirectory,
      ...keyArgs,
      ...(options.args ?? []),
    ],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    },
  );
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const url = await listening(child, () => log);
  const pid = child.pid ?? 0;
  return {
    url,
    key: keys[0] ?? '',
    pid,
    dataDirectory,
    log: () => log,
    async stop() {
      const tree = processTree(pid);
      child.stdin.end();
      await exited;
      await eventually('every process of the server has ended', () => tree.every((each) => !isAlive(each)));
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

function listening(child: ChildProcess, log: () => string): Promise<string> {
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => fail(new Error(`The server ended with exit code ${code}: ${log()}`)));
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).once('line', (line) => done((JSON.parse(line) as { url: string }).url));
  });
}
