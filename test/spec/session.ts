import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
  /** The command of the npm package. */
  readonly millrace: Millrace;
}

/** Runs the command `millrace` with this as its standard input. */
export type Millrace = (args: readonly string[], input?: string) => Promise<Finished>;

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
    millrace: (args, input = '') =>
      runCommand(script, args, { env: { MILLRACE_URI: server.url, MILLRACE_APIKEY: server.key }, input }),
  };
}

/** The last parts of the paths under `/client/`, and the name of what each gives of `packages`. */
export const downloads = [
  ['python/millrace-1.2.3-py3-none-any.whl', 'millrace-1.2.3-py3-none-any.whl'],
  ['python/latest', 'millrace-1.10.0-py3-none-any.whl'],
  ['typescript', 'millrace-1.10.0.tgz'],
  ['vscode', 'millrace-1.10.0.vsix'],
  ['shell', 'shell.tgz'],
  ['docs', 'docs.zip'],
  ['typescript-init', 'typescript-init.tgz'],
] as const;

/** File → content. */
export const packages = {
  'millrace-1.2.3-py3-none-any.whl': 'an older wheel',
  'millrace-1.10.0-py3-none-any.whl': 'a wheel',
  'millrace-1.9.0.tgz': 'an older tarball',
  'millrace-1.10.0.tgz': 'a tarball',
  'millrace-1.10.0.vsix': 'an extension',
  'shell.tgz': 'a shell',
  'docs.zip': 'docs',
  'typescript-init.tgz': 'init',
};

/** Makes options of a server that offers such files; their folders are gone after the tests of the file. */
export function offering(): (
  files?: Readonly<Record<string, string | Uint8Array>>,
) => Promise<{ args: readonly string[] }> {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
  return async (files = packages) => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-spec-'));
    folders.push(folder);
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    return { args: ['--packages', folder] };
  };
}
