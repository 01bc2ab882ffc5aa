import type { EventMessage, RequestMessage } from '../../../protocol/envelope.js';
import { MillraceError, toMillraceError } from '../../../protocol/errors.js';
import { decodeFrame, encodeBinaryFrame } from '../../../protocol/frames.js';
import { createError } from '../src/errors.js';
import type { TransportFactory } from '../src/transport.js';
import { LinkedTransport } from './linkedTransport.js';

/** What a handler answers: a body, or a body with bytes. */
export type Answer = Record<string, unknown> | { body: unknown; payload: Uint8Array } | undefined;

export interface Call {
  /** The command without its prefix. */
  name: string;
  args: Record<string, unknown>;
  data: Uint8Array | undefined;
  socket: FakeSocket;
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

/** One accepted socket of the fake server. */
export class FakeSocket {
  readonly transport: LinkedTransport;
  authenticated = false;
  #lastSeq = 0;

  constructor(transport: LinkedTransport) {
    this.transport = transport;
  }

  reply(requestSeq: number, command: string, answer: Answer): void {
    const header = { type: 'response', seq: ++this.#lastSeq, request_seq: requestSeq, command, success: true };
    if (answer !== undefined && 'payload' in answer && answer.payload instanceof Uint8Array) {
      this.transport.deliver(encodeBinaryFrame({ ...header, body: answer.body }, answer.payload));
    } else {
      this.transport.deliver(JSON.stringify({ ...header, ...(answer === undefined ? {} : { body: answer }) }));
    }
  }

  refuse(requestSeq: number, command: string, error: Record<string, unknown>): void {
    const header = { type: 'response', seq: ++this.#lastSeq, request_seq: requestSeq, command, success: false };
    this.transport.deliver(JSON.stringify({ ...header, ...error }));
  }

  event(event: string, body: unknown, id?: string): void {
    const message: EventMessage = { type: 'event', seq: ++this.#lastSeq, event, body, ...(id ? { id } : {}) };
    this.transport.deliver(JSON.stringify(message));
  }
}

export interface FakeServerOptions {
  /** `peer` knows only the commands of existing servers and gives no codes. */
  dialect?: 'spec' | 'peer';
  key?: string;
}

/** A scripted server in memory: handlers by command name, everything received is kept. */
export class FakeServer {
  readonly requests: RequestMessage[] = [];
  readonly sockets: FakeSocket[] = [];
  readonly handlers = new Map<string, Handler>();
  /** While true nobody can connect. */
  down = false;
  readonly #options: Required<FakeServerOptions>;

  constructor(options: FakeServerOptions = {}) {
    this.#options = { dialect: 'spec', key: 'key', ...options };
    this.on('ping', () => ({ pong: true }));
    this.on('deauth', () => ({}));
    this.on('public_probe', () => ({ version: '1.2.3', capabilities: ['oss'], platform: 'linux', apps: [] }));
    this.on('auth', ({ args, socket }) => {
      if (args.auth !== this.#options.key) throw createError('auth_invalid');
      socket.authenticated = true;
      return { userId: 'local' };
    });
  }

  readonly transport: TransportFactory = () =>
    new LinkedTransport((transport) => {
      if (this.down) throw createError('connection_failed', 'Could not connect: nobody is there');
      const socket = new FakeSocket(transport);
      this.sockets.push(socket);
      return {
        message: (data) => void this.#receive(socket, data),
        closed: () => this.sockets.splice(this.sockets.indexOf(socket), 1),
      };
    });

  on(name: string, handler: Handler): this {
    this.handlers.set(name, handler);
    return this;
  }

  /** What was received of one command, by its whole name or without prefix. */
  calls(name: string): RequestMessage[] {
    return this.requests.filter(({ command }) => command === name || nameOf(command) === name);
  }

  /** Sends an event to every client. */
  broadcast(event: string, body: unknown, id?: string): void {
    for (const socket of this.sockets) socket.event(event, body, id);
  }

  /** Breaks every connection. */
  dropAll(): void {
    for (const socket of [...this.sockets]) socket.transport.drop();
  }

  async #receive(socket: FakeSocket, data: string | Uint8Array): Promise<void> {
    const { header, payload } = decodeFrame(data, typeof data !== 'string', 1e8);
    const request = header as unknown as RequestMessage;
    this.requests.push(request);
    const { seq, command } = request;
    try {
      const handler = this.#handlerOf(command, socket);
      const call = { name: nameOf(command), args: request.arguments ?? {}, data: payload, socket };
      socket.reply(seq, command, await handler(call));
    } catch (thrown) {
      const error = toMillraceError(thrown);
      const known = this.#options.dialect === 'spec' && thrown instanceof MillraceError;
      const code = known ? { code: error.code, hint: error.hint } : {};
      socket.refuse(seq, command, { message: error.message, ...code });
      if (error.code.startsWith('auth_')) socket.transport.drop({ code: 1000, reason: '' });
    }
  }

  #handlerOf(command: string, socket: FakeSocket): Handler {
    const name = nameOf(command);
    if (!socket.authenticated && name !== 'auth' && !name.startsWith('public_')) throw createError('not_authenticated');
    // What existing servers say to a command of somebody else.
    if (this.#options.dialect === 'peer' && command.startsWith('mrext_')) throw createError('token_required');
    const handler = this.handlers.get(name);
    if (handler === undefined) throw createError('unknown_command', `Invalid command: ${command}`);
    return handler;
  }
}

function nameOf(command: string): string {
  return command.replace(/^[a-z]*ext_/, '');
}
