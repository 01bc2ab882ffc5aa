import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Uri } from 'vscode';
import { MillraceClient } from '../../client/typescript/src/index.js';
import { parsePipelineText } from '../../pipeline/document.js';
import { MillraceError } from '../../protocol/errors.js';
import type { TestServer } from '../../test/support/server.js';
import { eventually } from '../../test/support/poll.js';
import type { Connection, Connections, ConnectionState } from '../connections/connection.js';
import { Emitter } from '../emitter.js';
import type { PipelineRun, RunOptions, Runs } from '../runs/runs.js';
import type { MillraceDebugSession } from './debugSession.js';

/** A connection to a test server. */
export class TestConnection implements Connection {
  readonly name: string;
  readonly kind = 'remote';
  readonly #changed = new Emitter<ConnectionState>();
  readonly #client: MillraceClient;
  state: ConnectionState = { kind: 'off', reason: 'Not used yet' };

  constructor(name: string, { url, key }: Pick<TestServer, 'url' | 'key'>) {
    this.name = name;
    this.#client = new MillraceClient({
      uri: url,
      auth: key,
      persist: true,
      onConnected: () => this.change({ kind: 'connected', url, serverVersion: '' }),
      onDisconnected: (reason) => this.change({ kind: 'waiting', reason }),
    });
  }

  readonly onDidChangeState = this.#changed.event;

  get connected(): MillraceClient | undefined {
    return this.#client.connected ? this.#client : undefined;
  }

  async client(): Promise<MillraceClient> {
    await this.#client.connect();
    return this.#client;
  }

  change(state: ConnectionState): void {
    this.state = state;
    this.#changed.fire(state);
  }

  async close(): Promise<void> {
    await this.#client.disconnect();
    this.#changed.dispose();
  }
}

export function connectionsOf(...all: [Connection, ...Connection[]]): Connections {
  return {
    current: all[0],
    all,
    onDidChange: new Emitter<void>().event,
    onDidChangeCurrent: new Emitter<Connection>().event,
    get(name) {
      const found = all.find((connection) => connection.name === name);
      if (found === undefined) throw new MillraceError('not_found', `There is no connection "${name}"`);
      return found;
    },
    dispose: () => undefined,
  };
}

export function fileUri(fsPath: string): Uri {
  return { scheme: 'file', fsPath, path: fsPath, toString: () => `file://${fsPath}` } as Uri;
}

/** Runs without an editor: files are read from the disk. */
export class TestRuns implements Runs {
  readonly all: PipelineRun[] = [];
  readonly onDidChange = new Emitter<void>().event;
  /** The options of each start. */
  readonly started: RunOptions[] = [];
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  of(file: Uri): PipelineRun | undefined {
    return this.all.findLast((run) => run.file.fsPath === file.fsPath);
  }

  async start(file: Uri, options: RunOptions = {}): Promise<PipelineRun> {
    const running = this.of(file);
    if (running !== undefined) return running;
    this.started.push(options);
    const connection = options.connection ?? this.#connections.current;
    const pipeline = parsePipelineText(await readFile(file.fsPath, 'utf8')) as Record<string, unknown>;
    const { traceLevel: pipelineTraceLevel, ...rest } = options;
    const client = await connection.client();
    const name = path.basename(file.fsPath);
    const info = await client.use({ ...rest, pipeline, name, pipelineTraceLevel });
    const run = { file, info, connection, isChat: info.provider === 'chat' };
    this.all.push(run);
    return run;
  }

  async stop(run: PipelineRun): Promise<void> {
    this.all.splice(this.all.indexOf(run), 1);
    await (await run.connection.client()).terminate(run.info.token);
  }
}

/** Plays the editor's side of the protocol. */
export class Conversation {
  readonly messages: DebugProtocol.ProtocolMessage[] = [];
  readonly session: MillraceDebugSession;
  #seq = 0;

  constructor(session: MillraceDebugSession) {
    this.session = session;
    session.onDidSendMessage((message) => this.messages.push(message));
  }

  /** Sends a request and resolves with its response, also when it says that it failed. */
  async request(command: string, args?: object): Promise<DebugProtocol.Response> {
    const seq = ++this.#seq;
    this.session.handleMessage({ seq, type: 'request', command, arguments: args });
    return eventually(`the answer to ${command}`, () => this.messages.find((message) => isAnswer(message, seq)));
  }

  /** What an editor does until the session runs; resolves with the response to `launch` or `attach`. */
  async start(configuration: {
    request: 'launch' | 'attach';
    [field: string]: unknown;
  }): Promise<DebugProtocol.Response> {
    await this.request('initialize', { adapterID: 'millrace' });
    const started = this.request(configuration.request, { type: 'millrace', name: 'Test', ...configuration });
    await Promise.race([started, this.event('initialized')]);
    await this.request('configurationDone');
    return started;
  }

  async event(name: string): Promise<DebugProtocol.Event> {
    return eventually(`the event ${name}`, () => this.events(name)[0]);
  }

  events(name: string): DebugProtocol.Event[] {
    return this.messages.filter(
      (message): message is DebugProtocol.Event => isEvent(message) && message.event === name,
    );
  }

  /** What the debug console shows, of one category or all. */
  console(category?: string): string {
    const bodies = this.events('output').map(({ body }) => body as DebugProtocol.OutputEvent['body']);
    return bodies
      .filter((body) => category === undefined || body.category === category)
      .map(({ output }) => output)
      .join('');
  }

  async says(text: string | RegExp): Promise<void> {
    const found = () => (typeof text === 'string' ? this.console().includes(text) : text.test(this.console()));
    await eventually(`${String(text)} in the console`, found).catch((error: unknown) => {
      throw new Error(`${String(error)}; it has:\n${this.console()}`);
    });
  }
}

function isEvent(message: DebugProtocol.ProtocolMessage): message is DebugProtocol.Event {
  return message.type === 'event';
}

function isAnswer(message: DebugProtocol.ProtocolMessage, seq: number): message is DebugProtocol.Response {
  return message.type === 'response' && (message as DebugProtocol.Response).request_seq === seq;
}
