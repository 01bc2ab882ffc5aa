import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { parseCommand } from '../../protocol/dialect.js';
import { MillraceError, toMillraceError } from '../../protocol/errors.js';
import { eventBits } from '../../protocol/events.js';
import { decodeFrame, type Frame } from '../../protocol/frames.js';
import { limits } from '../../protocol/limits.js';
import type { EventBatch, EventScope, TaskEvent } from '../tasks/events.js';
import type { Cancellation, Principal } from '../tasks/service.js';
import { BinaryBody, type Caller, type CommandTable, JsonText } from './command.js';
import { isRecord } from '../../pipeline/values.js';
import { type Fields } from './fields.js';
import type { EventHub, Subscriber } from './hub.js';
import type { Logger } from './http/context.js';
import { MessageWriter } from './messageWriter.js';
import { Outgoing } from './outgoing.js';
import { Subscriptions } from './subscriptions.js';

/**
 * A client that sends faster than tasks take in, or that does not read its answers, is not read from above the first,
 * until below the second.
 */
const pauseBytes = 32 * 1024 * 1024;
const resumeBytes = 8 * 1024 * 1024;
/** More are refused. Not reading on would lock up: what the waiting ones wait for comes over the same connection. */
const maxRequests = 16_384;

export interface ConnectionDeps {
  readonly commands: CommandTable;
  readonly hub: EventHub;
  readonly logger: Logger;
  /** Checks a credential; throws MillraceError. */
  readonly authenticate: (credential: unknown) => Principal;
  /** The body of a successful login. */
  readonly welcome: (principal: Principal, credential: string) => object;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Who a connection is, for the dashboard. */
export interface ClientFacts {
  name: string;
  version: string;
}

/** One client on the WebSocket: login, requests served concurrently, subscriptions, events. */
export class Connection implements Subscriber, Caller {
  readonly subscriptions = new Subscriptions();
  readonly outgoing: Outgoing;
  readonly connectedAt: number;
  readonly cancellation: Cancellation;
  principal: Principal | undefined;
  client: ClientFacts = { name: '', version: '' };
  lastActivity: number;
  messagesIn = 0;
  private readonly cleanups = new Set<() => void>();
  private authAttempts = 0;
  private isClosed = false;
  private pendingRequests = 0;
  private pendingBytes = 0;
  /** Whether the client is not being read from; then its pongs are not seen either. */
  paused = false;

  constructor(
    readonly id: number,
    private readonly webSocket: WebSocket,
    socket: Socket,
    private readonly deps: ConnectionDeps,
    private readonly onLogin: (loggedIn: boolean) => void,
  ) {
    this.outgoing = new Outgoing(new MessageWriter(webSocket, socket));
    const isClosed = (): boolean => this.isClosed;
    this.cancellation = {
      get cancelled() {
        return isClosed();
      },
      onCancel: (callback) => this.onClose(callback),
    };
    socket.on('drain', () => this.resume());
    this.connectedAt = deps.now();
    this.lastActivity = this.connectedAt;
    webSocket.on('message', (data, isBinary) => this.receive(data as Buffer, isBinary));
    webSocket.on('error', (error) => deps.logger.debug({ connection: id, error: error.message }, 'socket error'));
    webSocket.on('close', () => this.closed());
  }

  get serverInterest(): number {
    return this.subscriptions.server;
  }

  interest(scope: EventScope, pipe: number | undefined): number {
    return this.subscriptions.interest(scope, pipe);
  }

  interestInAny(scope: EventScope): number {
    return this.subscriptions.interestInPipes(scope);
  }

  taskEvent(event: TaskEvent): void {
    this.outgoing.event(event);
  }

  taskEvents(batch: EventBatch): void {
    const bit = eventBits[batch.name];
    this.outgoing.events(batch, ({ scope, pipe }) => (this.interest(scope, pipe) & bit) !== 0);
  }

  serverEvent(name: string, body: object): void {
    this.outgoing.text(`,"type":"event","event":"${name}","body":${JSON.stringify({ ...body, __id: '' })}}`);
  }

  /** Runs once when the connection closes. Returns a function that takes it back. */
  onClose(cleanup: () => void): () => void {
    this.cleanups.add(cleanup);
    return () => this.cleanups.delete(cleanup);
  }

  close(code: number, reason: string): void {
    this.outgoing.flush();
    this.webSocket.close(code, reason);
  }

  private receive(data: Buffer, isBinary: boolean): void {
    this.messagesIn++;
    this.lastActivity = this.deps.now();
    let frame: Frame;
    try {
      frame = decodeFrame(data, isBinary, limits.headerBytes, toText);
    } catch (thrown) {
      this.refuse(guessSeq(data), '', toMillraceError(thrown, 'invalid_message'));
      if (this.principal === undefined) this.close(1000, 'Not authenticated');
      return;
    }
    const { header, payload } = frame;
    if (header.type !== 'request') return;
    const { seq, command } = header;
    if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || typeof command !== 'string') {
      const error = new MillraceError('invalid_message', 'A request needs an integer `seq` and a string `command`');
      this.refuse(Number.isFinite(seq) ? (seq as number) : 0, typeof command === 'string' ? command : '', error);
      return;
    }
    this.serve(seq, command, header, payload, data.length);
  }

  /** @param size bytes of the whole message */
  private serve(seq: number, command: string, header: Fields, payload: Uint8Array | undefined, size: number): void {
    if (this.pendingRequests >= maxRequests) {
      this.refuse(seq, command, new MillraceError('too_many', 'Too many requests wait for an answer'));
      return;
    }
    this.began(size);
    let answer: unknown;
    try {
      answer = this.dispatch(command, header, payload);
    } catch (thrown) {
      this.fail(seq, command, thrown);
      this.ended(size);
      return;
    }
    if (!(answer instanceof Promise)) {
      this.answer(seq, command, answer);
      this.ended(size);
      return;
    }
    answer.then(
      (body) => {
        this.answer(seq, command, body);
        this.ended(size);
      },
      (thrown: unknown) => {
        this.fail(seq, command, thrown);
        this.ended(size);
      },
    );
  }

  private dispatch(command: string, header: Fields, data: Uint8Array | undefined): unknown {
    const args = readArguments(header);
    if (command === 'auth') return this.login(args);
    const { principal } = this;
    const { name, dialect, extension } = parseCommand(command);
    const found = Object.hasOwn(this.deps.commands, name) ? this.deps.commands[name] : undefined;
    if (principal === undefined && command !== 'deauth' && !(extension && name.startsWith('public_'))) {
      throw new MillraceError('not_authenticated');
    }
    if (command === 'deauth') return this.logout();
    if (found === undefined || found.extension !== extension) {
      throw new MillraceError('unknown_command', `Invalid command: ${command.slice(0, 200)}`);
    }
    return found.run({
      name,
      dialect,
      arguments: args,
      data,
      principal: principal ?? { kind: 'public', keyId: '', token: '' },
      connection: this,
    });
  }

  private login(args: Fields): object {
    this.authAttempts++;
    if (this.authAttempts > limits.authAttempts) throw new MillraceError('auth_too_many');
    try {
      const principal = this.deps.authenticate(args.auth);
      this.principal = principal;
      this.client = { name: shortText(args.clientName), version: shortText(args.clientVersion) };
      this.onLogin(true);
      this.deps.hub.dashboard('connection_added', { ...this.facts(), clientId: principal.keyId }, principal.keyId);
      return this.deps.welcome(principal, String(args.auth));
    } catch (thrown) {
      this.principal = undefined;
      const { code, message } = toMillraceError(thrown);
      this.deps.hub.dashboard('auth_failed', { connectionId: this.id, reason: message, code });
      throw thrown;
    }
  }

  private logout(): object {
    this.principal = undefined;
    this.subscriptions.clear();
    this.onLogin(false);
    return {};
  }

  private facts(): object {
    return { connectionId: this.id, clientName: this.client.name, clientVersion: this.client.version };
  }

  private answer(seq: number, command: string, body: unknown): void {
    const head = `,"type":"response","request_seq":${seq},"command":${JSON.stringify(command)},"success":true`;
    if (body === undefined) this.outgoing.text(`${head}}`);
    else if (body instanceof JsonText) this.outgoing.text(`${head},"body":${body.text}}`);
    else if (body instanceof BinaryBody)
      this.outgoing.binary(`${head},"body":${JSON.stringify(body.body)}}`, body.payload);
    else this.outgoing.text(`${head},"body":${JSON.stringify(body)}}`);
  }

  private fail(seq: number, command: string, thrown: unknown): void {
    const error = toMillraceError(thrown);
    if (error.code === 'internal') {
      this.deps.logger.error({ command, error: error.message, stack: error.stack }, 'request failed');
    }
    this.refuse(seq, command, error);
    // A refused login and everything before a login end the connection; the answer goes out first.
    if (this.principal === undefined && command !== 'deauth') this.close(1000, error.message.slice(0, 100));
    else if (error.code === 'auth_too_many') this.close(1000, error.message);
  }

  private refuse(seq: number, command: string, { code, message, hint }: MillraceError): void {
    this.outgoing.text(
      `,"type":"response","request_seq":${seq},"command":${JSON.stringify(command.slice(0, 200))},"success":false,` +
        `"message":${JSON.stringify(message)},"code":"${code}","hint":${JSON.stringify(hint)}}`,
    );
  }

  /**
   * Requests that wait, for a free pipe say, never stop the reading: what they wait for may be the next message. Only
   * data that tasks do not take in, and answers that the client does not read, do.
   */
  private began(size: number): void {
    this.pendingRequests++;
    this.pendingBytes += size;
    if (this.paused || (this.pendingBytes <= pauseBytes && this.outgoing.waitingBytes <= pauseBytes)) return;
    this.paused = true;
    this.webSocket.pause();
  }

  private ended(size: number): void {
    this.pendingRequests--;
    this.pendingBytes -= size;
    this.resume();
  }

  private resume(): void {
    if (!this.paused || this.pendingBytes >= resumeBytes || this.outgoing.waitingBytes >= resumeBytes) return;
    this.paused = false;
    this.webSocket.resume();
  }

  private closed(): void {
    this.isClosed = true;
    for (const cleanup of [...this.cleanups]) cleanup();
    this.cleanups.clear();
    this.subscriptions.clear();
    this.deps.hub.remove(this);
    this.deps.hub.dashboard('connection_removed', this.facts(), this.principal?.keyId);
  }
}

/** Arguments with the older place of the token folded in. */
function readArguments(header: Fields): Fields {
  const given = header.arguments ?? {};
  if (!isRecord(given)) throw new MillraceError('invalid_message', '`arguments` must be an object');
  if (header.token === undefined || given.token !== undefined) return given;
  return { ...given, token: header.token };
}

/** Much faster than a TextDecoder for short texts; what is no UTF-8 is found by the JSON parser or does not matter. */
const toText = (bytes: Uint8Array): string => (bytes as Buffer).toString('utf8');

/** The number of a request that could not be read, if its first bytes show it, so that its sender need not wait. */
function guessSeq(data: Buffer): number {
  const match = /"seq"\s*:\s*(\d{1,15})/.exec(data.toString('latin1', 0, 4096));
  return match === null ? 0 : Number(match[1]);
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : '';
}
