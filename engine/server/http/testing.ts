import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { makeCatalogue } from '../../../pipeline/catalogue.js';
import { Authenticator } from '../auth.js';
import { FakeTasks } from '../testing.js';
import type { HttpDeps } from './context.js';
import { createHttpServer } from './server.js';

export const apiKey = 'canary-key-0123456789';

export interface TestServer {
  app: FastifyInstance;
  tasks: FakeTasks;
  port: number;
  base: string;
  /** Everything the server logged, as JSON text. */
  log: string[];
  /** Requests with the API key unless `init` says otherwise. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends bytes as they are and returns what came back until the server closed or `until` appeared. */
  raw(text: string, until?: string): Promise<string>;
}

/** A server on a free port in front of fake tasks. The caller closes `app`. */
export async function startTestServer(overrides: Partial<HttpDeps> = {}): Promise<TestServer> {
  const tasks = new FakeTasks();
  const log: string[] = [];
  const write = (fields: object, message: string): void => {
    log.push(JSON.stringify({ ...fields, message }));
  };
  const app = createHttpServer({
    tasks,
    authenticator: new Authenticator([apiKey], (token) => tasks.credential(token)),
    policy: { hosts: [], origins: [] },
    catalogue: makeCatalogue([
      {
        id: 'webhook',
        title: 'Webhook',
        description: 'Receives data.',
        classType: ['source'],
        capabilities: ['network'],
        lanes: { _source: ['text'] },
        control: { takes: {}, offers: [] },
        config: { type: 'object' },
      },
    ]),
    validation: {
      pipeline: (pipeline, source) => ({
        diagnostics: [{ severity: 'error', code: 'test', message: 'bad', component: 'a' }],
        chain: ['a'],
        resolved: { id: source ?? 'implied', provider: 'webhook' },
        pipeline,
      }),
      component: (component) => ({ diagnostics: [], chain: [], component }),
    },
    version: { version: '1.2.3', hash: 'abc', stamp: 'today' },
    packages: [],
    logger: { error: write, debug: write },
    clock: () => Date.now(),
    ...overrides,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  return {
    app,
    tasks,
    port,
    base,
    log,
    fetch: (path, init = {}) =>
      fetch(base + path, { ...init, headers: { authorization: `Bearer ${apiKey}`, ...(init.headers as object) } }),
    raw: (text, until) => exchange(port, text, until),
  };
}

async function exchange(port: number, text: string, until: string | undefined): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('error', () => undefined);
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (until !== undefined && received.includes(until)) resolve();
    });
    socket.on('close', () => resolve());
  });
  await once(socket, 'connect');
  socket.write(text, 'latin1');
  await done;
  socket.destroy();
  return received;
}

/** Polls until `check` holds. */
export async function eventually(check: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!check()) {
    if (Date.now() > deadline) throw new Error(`Timed out: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
