import { MillraceClient } from '../../../client/typescript/src/index.js';
import { runCli } from '../../../client/cli/program.js';
import type { Driver } from '../model.js';
import { commandDriver } from './command.js';

/** The command of the npm package, in this process; test/cli.test.ts runs it as one of its own. */
export function typescriptCommandDriver(uri: string, key: string): Driver {
  return commandDriver('TypeScript CLI', uri, key, async (args, input) => {
    const kept = { stdout: '', stderr: '' };
    const output = (stream: 'stdout' | 'stderr') => ({
      write: (piece: string | Uint8Array) =>
        (kept[stream] += typeof piece === 'string' ? piece : Buffer.from(piece).toString()),
    });
    const code = await runCli(args, {
      stdin: { isTTY: false, [Symbol.asyncIterator]: () => pieces(input)[Symbol.asyncIterator]() },
      stdout: output('stdout'),
      stderr: output('stderr'),
      env: {},
      signal: new AbortController().signal,
      serveLanguage: () => Promise.reject(new Error('There is no editor here')),
      createClient: (options) => new MillraceClient(options),
    });
    return { code, ...kept };
  });
}

async function* pieces(input: string | Uint8Array): AsyncGenerator<string | Uint8Array> {
  await Promise.resolve();
  if (input.length > 0) yield input;
}
