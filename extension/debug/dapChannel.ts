import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Disposable, Event } from 'vscode';
import { isRecord } from '../../pipeline/values.js';
import { MillraceError, toMillraceError } from '../../protocol/errors.js';
import { Emitter } from '../emitter.js';

/** Answers one command; what it resolves with is the body of the response. */
export type RequestHandler = (args: Record<string, unknown>) => unknown;

/** The envelope of the Debug Adapter Protocol: numbers what is sent, and answers every request exactly once. */
export class DapChannel implements Disposable {
  readonly #sent = new Emitter<DebugProtocol.ProtocolMessage>();
  readonly #handlers: Readonly<Record<string, RequestHandler>>;
  #seq = 0;

  constructor(handlers: Readonly<Record<string, RequestHandler>>) {
    this.#handlers = handlers;
  }

  get onDidSend(): Event<DebugProtocol.ProtocolMessage> {
    return this.#sent.event;
  }

  /** Takes a message of the editor. What is no request is not for an adapter that asks nothing. */
  handle(message: unknown): void {
    if (!isRecord(message) || message.type !== 'request' || typeof message.command !== 'string') return;
    void this.#answer(message as unknown as DebugProtocol.Request);
  }

  event(event: string, body?: Record<string, unknown>): void {
    this.#send({ type: 'event', event, ...(body === undefined ? {} : { body }) });
  }

  dispose(): void {
    this.#sent.dispose();
  }

  async #answer({ seq, command, arguments: args }: DebugProtocol.Request): Promise<void> {
    const answer = { type: 'response', request_seq: seq, command };
    try {
      const handler = Object.hasOwn(this.#handlers, command) ? this.#handlers[command] : undefined;
      if (handler === undefined) {
        throw new MillraceError('unsupported', `Millrace cannot do that: ${command}`, { hint: '' });
      }
      const body = await handler(isRecord(args) ? args : {});
      this.#send({ ...answer, success: true, ...(body === undefined ? {} : { body }) });
    } catch (thrown) {
      const { code, message, hint } = toMillraceError(thrown);
      const format = escapeBraces([message, hint].filter((part) => part !== '').join(' – '));
      // Without showUser the editor would interrupt with a dialog for what the debug console has said already.
      const error = { id: codeNumber, format, showUser: false };
      this.#send({ ...answer, success: false, message: `${code}: ${message}`, body: { error } });
    }
  }

  #send(message: Record<string, unknown>): void {
    this.#sent.fire({ seq: ++this.#seq, ...message } as unknown as DebugProtocol.ProtocolMessage);
  }
}

/** The protocol wants a number; ours are names, in the message. */
const codeNumber = 1;

/** `{name}` in a format stands for a variable. */
function escapeBraces(text: string): string {
  return text.replace(/\{(\w+)\}/g, '{ $1 }');
}
