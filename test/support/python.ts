import { type ExecFileException, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { withLock } from '../../scripts/lock.mjs';

const cache = resolve(import.meta.dirname, '..', '..', '.cache', 'python');
const windows = process.platform === 'win32';

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  /** Ends the program after so long. */
  timeoutMs?: number;
  /** Its standard input; empty unless given. */
  input?: string;
}

/** A virtual environment with packages of its own. */
export interface PythonEnvironment {
  /** Path of the interpreter. */
  readonly interpreter: string;
  /** Runs the interpreter. */
  python(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Runs `pip install` for it, with options and requirements. @throws Error with what pip says when it fails */
  install(args: readonly string[]): Promise<void>;
  /** Runs a program that a package brought. */
  program(name: string, args: readonly string[], options?: RunOptions): Promise<Run>;
}

/** The Python of this machine that can make virtual environments; says loudly what is missing when there is none. */
export async function findPython(): Promise<string | undefined> {
  for (const command of windows ? ['python', 'py'] : ['python3', 'python']) {
    const { code } = await run(command, ['-c', 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))']);
    if (code === 0) return command;
  }
  say(
    'SKIPPED: the tests with Python clients need Python 3.10 or later with venv (Debian and Ubuntu: apt install python3-venv).',
  );
  return undefined;
}

/** The environment with exactly these requirements (`name==version`); made on first use and kept in `.cache/python`. */
export async function pythonEnvironment(command: string, requirements: readonly string[]): Promise<PythonEnvironment> {
  const { stdout: version } = await run(command, ['-c', 'import sys; print(sys.version, sys.prefix)']);
  const PYTHONPATH = await pipOf(command, version);
  const folder = folderOf(version, requirements);
  const interpreter = programOf(folder, 'python');
  async function install(args: readonly string[]): Promise<void> {
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--only-binary', ':all:'];
    succeeded(await run(interpreter, ['-m', 'pip', 'install', ...quiet, ...args], { env: { PYTHONPATH } }));
  }
  await makeOnce(folder, async () => {
    say(`making a Python environment with ${requirements.join(', ')}`);
    succeeded(await run(command, ['-m', 'venv', '--without-pip', folder]));
    await install(requirements);
  });
  return {
    interpreter,
    python: (args, options) => run(interpreter, args, options),
    install,
    program: (name, args, options) => run(programOf(folder, name), args, options),
  };
}

/** The folder with the pip that Python brings. All environments share it: to unpack it takes longer than to install what they need. */
async function pipOf(command: string, version: string): Promise<string> {
  const folder = folderOf(version, 'pip');
  await makeOnce(folder, async () => succeeded(await run(command, ['-m', 'venv', folder])));
  const where = ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'];
  return (await run(programOf(folder, 'python'), where)).stdout.trim();
}

function folderOf(version: string, content: unknown): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([version, content]))
    .digest('hex');
  return join(cache, hash.slice(0, 16));
}

function programOf(folder: string, name: string): string {
  return join(folder, windows ? 'Scripts' : 'bin', name);
}

/** Makes a folder, anew when that failed before. */
async function makeOnce(folder: string, make: () => Promise<void>): Promise<void> {
  await mkdir(cache, { recursive: true });
  await withLock(`${folder}.lock`, say, async () => {
    const complete = join(folder, 'complete');
    if (existsSync(complete)) return;
    await rm(folder, { recursive: true, force: true });
    await make();
    await writeFile(complete, '');
  });
}

function run(command: string, args: readonly string[], { cwd, env, timeoutMs, input }: RunOptions = {}): Promise<Run> {
  const options = {
    cwd,
    env: { ...process.env, PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1', ...env },
    timeout: timeoutMs ?? 0,
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((done) => {
    const child = execFile(command, [...args], options, (error: ExecFileException | null, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      done({ code, stdout, stderr: stderr === '' && error !== null ? error.message : stderr });
    });
    // A program that ends without reading its input is no failure.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

function succeeded({ code, stderr }: Run): void {
  if (code !== 0) throw new Error(`The Python environment could not be made: ${stderr}`);
}

function say(text: string): void {
  process.stderr.write(`\n${text}\n`);
}
