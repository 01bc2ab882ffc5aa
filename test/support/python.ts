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
}

/** A virtual environment with packages of its own. */
export interface PythonEnvironment {
  /** Path of the interpreter. */
  readonly interpreter: string;
  /** Runs the interpreter. */
  python(args: readonly string[], options?: RunOptions): Promise<Run>;
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
  const hash = createHash('sha256')
    .update(JSON.stringify([version, requirements]))
    .digest('hex');
  const folder = join(cache, hash.slice(0, 16));
  const programs = join(folder, windows ? 'Scripts' : 'bin');
  const interpreter = join(programs, 'python');
  await mkdir(cache, { recursive: true });
  await withLock(`${folder}.lock`, say, async () => {
    const complete = join(folder, 'complete');
    if (existsSync(complete)) return;
    say(`making a Python environment with ${requirements.join(', ')}`);
    await rm(folder, { recursive: true, force: true });
    succeeded(await run(command, ['-m', 'venv', folder]));
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--only-binary', ':all:'];
    succeeded(await run(interpreter, ['-m', 'pip', 'install', ...quiet, ...requirements]));
    await writeFile(complete, `${requirements.join('\n')}\n`);
  });
  return {
    interpreter,
    python: (args, options) => run(interpreter, args, options),
    program: (name, args, options) => run(join(programs, name), args, options),
  };
}

function run(command: string, args: readonly string[], { cwd, env, timeoutMs }: RunOptions = {}): Promise<Run> {
  const options = {
    cwd,
    env: { ...process.env, PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1', ...env },
    timeout: timeoutMs ?? 0,
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((done) => {
    execFile(command, [...args], options, (error: ExecFileException | null, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      done({ code, stdout, stderr: stderr === '' && error !== null ? error.message : stderr });
    });
  });
}

function succeeded({ code, stderr }: Run): void {
  if (code !== 0) throw new Error(`The Python environment could not be made: ${stderr}`);
}

function say(text: string): void {
  process.stderr.write(`\n${text}\n`);
}
