import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import {
  CancellationTokenSource,
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node.js';
import { waitFor } from './waitFor.js';

/** One exchange of a conversation between an editor and the language server. */
export type Step =
  /** The editor asks; `cancelled`: and takes it back at once. */
  | {
      request: string;
      params?: unknown;
      cancelled?: boolean;
      result?: unknown;
      error?: { code: number; message: string };
    }
  /** The editor tells. */
  | { notify: string; params?: unknown }
  /** The server tells, and the editor waits for it. */
  | { notified: string; params?: unknown }
  /** The server asks, since the last step. */
  | { asked: string; params?: unknown };

export interface Played {
  /** The steps with what the server really said. */
  readonly steps: Step[];
  /** Exit code of the server. */
  readonly code: number | null;
  readonly stderr: string;
}

/**
 * Plays the editor's side of a conversation with a language server. `$ROOT` in the steps stands for the address of a
 * folder, `$RESULT` for the last id of a result; both are put back into what the server says.
 */
export async function play(
  command: readonly string[],
  steps: readonly Step[],
  root: string,
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Played> {
  const [program = '', ...args] = command;
  const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
  const ended = new Promise<number | null>((resolve) => server.once('exit', resolve));
  let stderr = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const out = together(server.stdin);
  const connection = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(out));
  const told: { method: string; params: unknown }[] = [];
  const asked: { method: string; params: unknown }[] = [];
  connection.onNotification((method, params) => void told.push({ method, params }));
  connection.onRequest((method, params) => {
    asked.push({ method, params });
    return null;
  });
  connection.listen();
  // What is still waited for fails then.
  void ended.then(() => connection.dispose());
  let resultId = '';
  const send = (value: unknown): object =>
    (value === undefined
      ? undefined
      : JSON.parse(JSON.stringify(value).replaceAll('$ROOT', root).replaceAll('$RESULT', resultId))) as object;
  const receive = (value: unknown): unknown => {
    const text = JSON.stringify(value ?? null).replaceAll(root, '$ROOT');
    resultId = /"resultId":"([^"]*)"/.exec(text)?.[1] ?? resultId;
    const plain = text.replaceAll(/"resultId":"[^"]*"/g, '"resultId":"$RESULT"');
    // Ids of registrations are random.
    return JSON.parse(plain.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '$ID')) as unknown;
  };
  const take = async (from: typeof told, method: string): Promise<unknown> => {
    await waitFor(() => from.some((each) => each.method === method), `the server says ${method}`);
    const [found] = from.splice(
      from.findIndex((each) => each.method === method),
      1,
    );
    return receive(found?.params);
  };
  const played: Step[] = [];
  for (const step of steps) {
    if ('notify' in step) {
      await connection.sendNotification(step.notify, send(step.params));
      played.push(step);
    } else if ('notified' in step) played.push({ notified: step.notified, params: await take(told, step.notified) });
    else if ('asked' in step) played.push({ asked: step.asked, params: await take(asked, step.asked) });
    else {
      const { result: _result, error: _error, ...rest } = step;
      const source = new CancellationTokenSource();
      const answer = connection.sendRequest(step.request, send(step.params) ?? null, source.token);
      if (step.cancelled === true) source.cancel();
      try {
        played.push({ ...rest, result: receive(await answer) });
      } catch (thrown) {
        if (!(thrown instanceof ResponseError)) throw thrown;
        played.push({ ...rest, error: { code: thrown.code, message: thrown.message } });
      }
    }
  }
  out.end();
  return { steps: played, code: await ended, stderr };
}

/** What is written at nearly the same time arrives in one piece, as when an editor asks and takes it back at once. */
function together(stream: Writable): Writable {
  let waiting: Buffer[] = [];
  const flush = (): void => {
    stream.write(Buffer.concat(waiting));
    waiting = [];
  };
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (waiting.push(chunk) === 1) setImmediate(() => setImmediate(flush));
      done();
    },
    final: (done) => {
      flush();
      stream.end(done);
    },
  });
}
