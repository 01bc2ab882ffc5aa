import { spawn } from 'node:child_process';
import { eventually } from './poll.js';

export interface CommandOptions {
  /** Added to this process's variables; those of Millrace are never inherited. */
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Written to standard input, which then ends; without it standard input is empty. */
  input?: string | Uint8Array;
}

export interface Finished {
  /** Null when a signal ended the process. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A program that runs as a process of its own, without a terminal. */
export interface Command {
  readonly pid: number;
  readonly finished: Promise<Finished>;
  stdout(): string;
  /** Waits until standard output has a match. */
  shows(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a program of Node. */
export function startCommand(script: string, args: readonly string[], options?: CommandOptions): Command {
  return startProgram([process.execPath, script, ...args], options);
}

/** Starts a program; the first word names it. */
export function startProgram([program = '', ...args]: readonly string[], options: CommandOptions = {}): Command {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MILLRACE_'));
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(inherited), ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // A program that ends without reading its input is no failure of the test.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input);
  const finished = new Promise<Finished>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, stdout, stderr }));
  });
  return {
    pid: child.pid ?? 0,
    finished,
    stdout: () => stdout,
    shows: (pattern, timeoutMs) =>
      eventually(
        `${pattern} on standard output`,
        () => {
          const found = pattern.exec(stdout);
          if (found === null && child.exitCode !== null) {
            throw new Error(`The program ended with ${child.exitCode}: ${stdout}${stderr}`);
          }
          return found ?? undefined;
        },
        timeoutMs,
      ),
    kill: (signal) => void child.kill(signal),
  };
}

/** Runs a program of Node to its end. */
export function runCommand(script: string, args: readonly string[], options?: CommandOptions): Promise<Finished> {
  return startCommand(script, args, options).finished;
}
