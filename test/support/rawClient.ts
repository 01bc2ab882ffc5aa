import { once } from 'node:events';
import WebSocket from 'ws';

export interface RawMessage {
  type: string;
  seq: number;
  request_seq?: number;
  command?: string;
  success?: boolean;
  message?: string;
  code?: string;
  hint?: string;
  event?: string;
  body?: Record<string, unknown>;
  payload?: Buffer;
}

/** A client without manners: it sends what it is told to, well formed or not. */
export class RawClient {
  readonly events: RawMessage[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  private readonly waiting = new Map<number, (message: RawMessage) => void>();
  private readonly watchers = new Set<() => void>();
  private seq = 0;

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => this.receive(data));
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<RawClient> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/task/service`, { headers, maxPayload: 0 });
    const client = new RawClient(socket);
    await once(socket, 'open');
    return client;
  }

  /** A connection that has logged in. */
  static async login(url: string, key: string): Promise<RawClient> {
    const client = await RawClient.open(url);
    const answer = await client.call('auth', { auth: key });
    if (answer.success !== true) throw new Error(`The login was refused: ${answer.message}`);
    return client;
  }

  /** Sends a request and resolves with its answer, whatever it says. */
  call(command: string, args: unknown = {}, data?: Uint8Array | string): Promise<RawMessage> {
    const seq = ++this.seq;
    const header = JSON.stringify({ type: 'request', seq, command, arguments: args });
    const answer = this.answerTo(seq);
    this.socket.send(
      data === undefined ? header : Buffer.concat([Buffer.from(`${header}\n`), Buffer.from(data as Uint8Array)]),
    );
    return answer;
  }

  /** The body of the answer. @throws Error with the server's message when it failed */
  async body(command: string, args: unknown = {}, data?: Uint8Array | string): Promise<Record<string, unknown>> {
    const answer = await this.call(command, args, data);
    if (answer.success !== true) throw new Error(`${command}: ${answer.message}`);
    return answer.body ?? {};
  }

  answerTo(seq: number): Promise<RawMessage> {
    return new Promise((resolve) => this.waiting.set(seq, resolve));
  }

  /** The first event, past or to come, that `matches`. */
  event(matches: (message: RawMessage) => boolean, timeoutMs = 30_000): Promise<RawMessage> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.events.find(matches);
        if (found === undefined) return;
        clearTimeout(timer);
        this.watchers.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.watchers.delete(look);
        reject(
          new Error(`No such event within ${timeoutMs} ms; there were ${this.events.map((e) => e.event).join(', ')}`),
        );
      }, timeoutMs);
      this.watchers.add(look);
      look();
    });
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }

  private receive(data: Buffer): void {
    const split = data.indexOf(0x0a);
    const message = JSON.parse((split < 0 ? data : data.subarray(0, split)).toString('utf8')) as RawMessage;
    if (split >= 0) message.payload = data.subarray(split + 1);
    if (message.type === 'event') {
      this.events.push(message);
      for (const look of [...this.watchers]) look();
      return;
    }
    const seq = message.request_seq ?? -1;
    this.waiting.get(seq)?.(message);
    this.waiting.delete(seq);
  }
}
