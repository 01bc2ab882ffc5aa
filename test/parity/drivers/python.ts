import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import type { Finished } from '../../support/command.js';
import type { Answer, Driver } from '../model.js';
import { commandDriver } from './command.js';

const script = join(import.meta.dirname, '..', 'python', 'driver.py');
const sources = join(import.meta.dirname, '..', '..', '..', 'client', 'python', 'src');

/** The Python SDK, in a process that answers one line for each line it gets. */
export function pythonDriver(interpreter: string, uri: string, key: string): Driver {
  const python = startPython(interpreter, uri, key);
  return {
    name: 'Python',
    run: async (call, folder) => (await python.ask({ call, folder })) as Answer,
    close: python.close,
  };
}

/** The command `millrace` of the Python package, in such a process. */
export function pythonCommandDriver(interpreter: string, uri: string, key: string): Driver {
  const python = startPython(interpreter, uri, key);
  const millrace = async (args: readonly string[], input: string | Uint8Array): Promise<Finished> =>
    (await python.ask({ cli: args, input: Buffer.from(input).toString('base64') })) as Finished;
  return { ...commandDriver('Python CLI', uri, key, millrace), close: python.close };
}

function startPython(interpreter: string, uri: string, key: string) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MILLRACE_'));
  const child = spawn(interpreter, [script, uri, key], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...Object.fromEntries(inherited), PYTHONPATH: sources, PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1' },
  });
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(question: object): Promise<unknown> {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`The Python client ended while it was asked ${JSON.stringify(question)}`);
      return JSON.parse(value);
    },
    async close(): Promise<void> {
      child.stdin.end();
      await exited;
    },
  };
}
