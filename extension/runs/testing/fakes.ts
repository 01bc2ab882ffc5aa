import path from 'node:path';
import type { Uri } from 'vscode';
import { MillraceClient } from '../../../client/typescript/src/index.js';
import { MillraceError } from '../../../protocol/errors.js';
import type { Connection, ConnectionState } from '../../connections/connection.js';
import { Emitter } from '../../emitter.js';
import type { RunHost, RunSettings } from '../runHost.js';

/** As much of the editor's Uri as code outside the editor uses. */
export function fakeUri(uriPath: string, scheme = 'file'): Uri {
  const uri = {
    scheme,
    authority: '',
    path: uriPath,
    query: '',
    fragment: '',
    fsPath: path.normalize(uriPath),
    with: (change: { path?: string }) => fakeUri(change.path ?? uriPath, scheme),
    toString: () => `${scheme}://${uriPath}`,
    toJSON: () => uriPath,
  };
  return uri;
}

export const silentLog = { info() {}, warn() {}, error() {}, debug() {} };

/** An editor with files in memory. */
export class FakeHost implements RunHost {
  readonly files = new Map<string, string>();
  readonly renames = new Emitter<readonly { oldUri: Uri; newUri: Uri }[]>();
  readonly onDidRename = this.renames.event;
  readonly asked: string[][] = [];
  folder: Uri | undefined;
  answer: string | undefined;
  current: RunSettings = { traceLevel: 'none', ttl: 900, threads: 2 };

  write(file: Uri, pipeline: unknown): Uri {
    this.files.set(file.toString(), typeof pipeline === 'string' ? pipeline : JSON.stringify(pipeline));
    return file;
  }

  readPipeline(file: Uri): Promise<string> {
    const text = this.files.get(file.toString());
    return text === undefined ? Promise.reject(new MillraceError('file_not_found')) : Promise.resolve(text);
  }

  readText(file: Uri): Promise<string | undefined> {
    return Promise.resolve(this.files.get(file.toString()));
  }

  folderOf(): Uri | undefined {
    return this.folder;
  }

  settings(): RunSettings {
    return this.current;
  }

  pickSource(_name: string, sources: readonly { id: string }[]): Promise<string | undefined> {
    this.asked.push(sources.map(({ id }) => id));
    return Promise.resolve(this.answer);
  }
}

/** A connection to a server that somebody else started. */
export class FakeConnection implements Connection {
  readonly name = 'Test';
  readonly states = new Emitter<ConnectionState>();
  readonly onDidChangeState = this.states.event;
  readonly #client: MillraceClient;
  state: ConnectionState = { kind: 'off', reason: '' };

  constructor(
    uri: string,
    auth: string,
    readonly kind: 'local' | 'remote' = 'remote',
  ) {
    this.#client = new MillraceClient({
      uri,
      auth,
      persist: true,
      onConnected: () => this.become({ kind: 'connected', url: uri, serverVersion: '' }),
      onDisconnected: (reason) => this.become({ kind: 'waiting', reason }),
    });
  }

  get connected(): MillraceClient | undefined {
    return this.#client.connected ? this.#client : undefined;
  }

  async client(): Promise<MillraceClient> {
    if (!this.#client.connected) await this.#client.connect();
    return this.#client;
  }

  become(state: ConnectionState): void {
    this.state = state;
    this.states.fire(state);
  }

  async close(): Promise<void> {
    await this.#client.disconnect();
  }
}
