import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** A Python program that answers one line of JSON for each line it gets, or says lines by itself. */
export interface PythonProcess {
  /** Sends a question and waits for the next line. */
  ask(question: unknown): Promise<unknown>;
  /** Waits for the next line. */
  next(): Promise<unknown>;
  /** Ends its standard input and waits for it; fails when it ends badly or has complained on standard error. */
  close(): Promise<void>;
}

/** A Python with these variables has the client of this checkout. */
export const pythonVariables = {
  PYTHONPATH: resolve(import.meta.dirname, '..', '..', 'client', 'python', 'src'),
  PYTHONUTF8: '1',
  PYTHONDONTWRITEBYTECODE: '1',
};

/**
 * @param script absolute
 * @param env beside the variables of this process, with the client of this checkout unless it says otherwise
 */
export function startPython(
  interpreter: string,
  script: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): PythonProcess {
  const child = spawn(interpreter, [script, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...pythonVariables, ...env },
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  // A program that ended does not read; the next line says so.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error(`The Python program ended: ${complaints}`);
    return JSON.parse(value);
  };
  return {
    ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      return next();
    },
    next,
    async close() {
      child.stdin.end();
      const code = await ended;
      if (code !== 0 || complaints !== '') throw new Error(`The Python program ended with ${code}: ${complaints}`);
    },
  };
}
