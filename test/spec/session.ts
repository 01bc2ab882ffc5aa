import { join, resolve } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { ClientOptions, MillraceClient } from '../../client/typescript/src/index.js';
import { built } from '../support/builtClient.js';
import { type Finished, runCommand } from '../support/command.js';
import { type ServerOptions, startServer, type TestServer } from '../support/server.js';
import { componentsFolder } from '../support/worker.js';

const script = resolve(import.meta.dirname, '..', '..', 'client', 'typescript', 'dist', 'cli.js');

export const repository = resolve(import.meta.dirname, '..', '..');
export const documents = join(repository, 'examples', 'documents');

/** One engine for the tests of a file, with the public doors to it. */
export interface Session {
  readonly server: TestServer;
  /** Connected. */
  readonly client: MillraceClient;
  /** Another client, not yet connected; it is disconnected in the end. */
  another(options?: ClientOptions): MillraceClient;
  /** An HTTP request with the key. */
  http(path: string, init?: RequestInit): Promise<Response>;
  /** A POST of JSON without any key. */
  post(path: string, body: unknown): Promise<Response>;
  millrace(...args: string[]): Promise<Finished>;
}

/** Starts the engine before the tests of the file and stops it after them. */
export function specSession(options: ServerOptions | (() => Promise<ServerOptions>) = {}): Session {
  let server: TestServer;
  let client: MillraceClient;
  const clients: MillraceClient[] = [];
  const another = (more: ClientOptions = {}): MillraceClient => {
    const made = new built.MillraceClient({ uri: server.url, auth: server.key, ...more });
    clients.push(made);
    return made;
  };
  beforeAll(async () => {
    const given = typeof options === 'function' ? await options() : options;
    server = await startServer({ ...given, args: ['--components', componentsFolder, ...(given.args ?? [])] });
    client = another();
    await client.connect();
  });
  afterAll(async () => {
    await Promise.all(clients.map((each) => each.disconnect()));
    await server.stop();
  });
  const json = { 'content-type': 'application/json' };
  return {
    get server() {
      return server;
    },
    get client() {
      return client;
    },
    another,
    http: (path, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${server.key}`);
      return fetch(server.url + path, { ...init, headers });
    },
    post: (path, body) => fetch(server.url + path, { method: 'POST', headers: json, body: JSON.stringify(body) }),
    millrace: (...args) => runCommand(script, args, { env: { MILLRACE_URI: server.url, MILLRACE_APIKEY: server.key } }),
  };
}
