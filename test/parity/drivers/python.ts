import { join } from 'node:path';
import type { Finished } from '../../support/command.js';
import { type PythonProcess, startPython } from '../../support/pythonProcess.js';
import type { Answer, Driver } from '../model.js';
import { commandDriver } from './command.js';

const script = join(import.meta.dirname, '..', 'python', 'driver.py');

/** A Python, and the folder that the client is installed in. */
export interface InstalledPython {
  interpreter: string;
  site: string;
}

/** The Python SDK, in a process that answers one line for each line it gets. */
export function pythonDriver(installed: InstalledPython, uri: string, key: string): Driver {
  const python = start(installed, uri, key);
  return {
    name: 'Python',
    run: async (call, folder) => (await python.ask({ call, folder })) as Answer,
    close: python.close,
  };
}

/** The command `millrace` of the Python package, in such a process. */
export function pythonCommandDriver(installed: InstalledPython, uri: string, key: string): Driver {
  const python = start(installed, uri, key);
  const millrace = async (args: readonly string[], input: string | Uint8Array): Promise<Finished> =>
    (await python.ask({ cli: args, input: Buffer.from(input).toString('base64') })) as Finished;
  return { ...commandDriver('Python CLI', uri, key, millrace), close: python.close };
}

function start({ interpreter, site }: InstalledPython, uri: string, key: string): PythonProcess {
  // A variable of the machine must not stand in for what an operation leaves out.
  const named = Object.keys(process.env).filter((name) => name.startsWith('MILLRACE_'));
  const without = Object.fromEntries(named.map((name) => [name, undefined]));
  return startPython(interpreter, script, [uri, key], { ...without, PYTHONPATH: site });
}
