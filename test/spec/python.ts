import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { findPython, pythonEnvironment, type PythonEnvironment, type RunOptions } from '../support/python.js';
import { type Millrace, repository, type Session } from './session.js';

/** What the Python client needs. */
const requirements = ['websockets==15.0.1', 'json5==0.9.25', 'python-dotenv==1.0.1'];
const python = await findPython();

export const pythonIsThere = python !== undefined;
/** A test that needs Python. */
export const itWithPython = it.runIf(pythonIsThere);

/** What every program begins with: `classes` tells what an operation raises, by the names of the classes. */
const prelude = `
import asyncio, json, os, sys
from millrace import *

async def classes(operation):
    try:
        await operation
    except Exception as error:
        return [each.__name__ for each in type(error).__mro__]
    return []
`;

export interface PythonDoor {
  /**
   * Runs the body of a coroutine that has a connected `client` of the session's server.
   *
   * @param given is there under its names
   * @returns what the body returned
   */
  coroutine(body: string, given?: Readonly<Record<string, unknown>>, options?: RunOptions): Promise<unknown>;
  /** Runs the command `millrace` of the Python package. */
  readonly millrace: Millrace;
}

/** The Python client as a process of its own, for the tests of a file. */
export function pythonDoor(session: Session): PythonDoor {
  let environment: PythonEnvironment;
  beforeAll(async () => {
    if (python !== undefined) environment = await pythonEnvironment(python, requirements);
  }, 300_000);
  const env = () => ({
    PYTHONPATH: join(repository, 'client', 'python', 'src'),
    MILLRACE_URI: session.server.url,
    MILLRACE_APIKEY: session.server.key,
    MILLRACE_TOKEN: '',
  });
  return {
    async coroutine(body, given = {}, options = {}) {
      const lines = body.split('\n').map((line) => `        ${line}`);
      const program = [
        prelude,
        'globals().update(json.loads(sys.argv[1]))',
        'async def main():',
        '    async with MillraceClient() as client:',
        ...lines,
        'print(json.dumps(asyncio.run(main())))',
      ].join('\n');
      const run = { ...options, env: { ...env(), ...options.env }, timeoutMs: 60_000 };
      const { code, stdout, stderr } = await environment.python(['-c', program, JSON.stringify(given)], run);
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout) as unknown;
    },
    millrace: (args, input = '') =>
      environment.python(['-m', 'millrace', ...args], { env: env(), input, timeoutMs: 60_000 }),
  };
}
