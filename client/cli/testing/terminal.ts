import { FakeEngine } from '../../typescript/testing/fakeEngine.js';
import { FakeServer } from '../../typescript/testing/fakeServer.js';
import { MillraceClient } from '../../typescript/src/index.js';
import type { Input, Output } from '../io.js';
import { runCli } from '../program.js';

export interface RunOptions {
  stdin?: string | AsyncIterable<string>;
  env?: Record<string, string>;
  /** Whether all three streams are a terminal. */
  tty?: boolean;
}

/** A shell with a fake server behind it. */
export class Terminal {
  readonly server = new FakeServer();
  readonly engine = new FakeEngine(this.server);
  readonly controller = new AbortController();
  stdout = '';
  stderr = '';

  /** Runs one command line and resolves with its exit code. */
  async run(args: string[], { stdin = '', env = {}, tty = false }: RunOptions = {}): Promise<number> {
    this.stdout = '';
    this.stderr = '';
    const decoder = new TextDecoder();
    const output = (keep: (text: string) => void): Output => ({
      write: (text) => keep(typeof text === 'string' ? text : decoder.decode(text)),
      isTTY: tty,
      columns: 80,
    });
    return runCli(args, {
      stdin: inputOf(stdin, tty),
      stdout: output((text) => (this.stdout += text)),
      stderr: output((text) => (this.stderr += text)),
      env: { MILLRACE_APIKEY: 'key', ...env },
      signal: this.controller.signal,
      serveLanguage: () => Promise.reject(new Error('There is no editor here')),
      createClient: (options) => new MillraceClient({ ...options, transport: this.server.transport }),
    });
  }
}

function inputOf(given: string | AsyncIterable<string>, tty: boolean): Input {
  const pieces = typeof given === 'string' ? once(given) : given;
  return { isTTY: tty, [Symbol.asyncIterator]: () => pieces[Symbol.asyncIterator]() };
}

async function* once(text: string): AsyncGenerator<string> {
  await Promise.resolve();
  if (text !== '') yield text;
}
