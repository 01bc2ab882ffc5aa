import type { Dialect } from '../../../protocol/dialect.js';
import type { EventMessage } from '../../../protocol/envelope.js';
import type { MillraceError } from '../../../protocol/errors.js';
import type { Reply, RequestOptions } from './requests.js';

/** A request under way. `sent` resolves when the next message may follow; `reply` settles exactly once. */
export interface Exchange {
  sent: Promise<void>;
  reply: Promise<Reply>;
}

export type EventListener = (event: EventMessage) => void;

/** What the groups of operations need of a connection. */
export interface Session {
  /** Dialect of the connected server. */
  readonly dialect: Dialect;
  readonly online: boolean;
  /** How the server calls the tasks that were started here in its events, by their tokens. */
  readonly taskIds: Map<string, string>;
  /** Sends a command as it is written: `execute`, `terminate`, those of DAP. */
  start(command: string, args?: Record<string, unknown>, options?: RequestOptions): Exchange;
  /** Sends an extension command; the prefix of the server's dialect is put before `name`. */
  startExtension(name: string, args?: Record<string, unknown>, options?: RequestOptions): Exchange;
  /** `startExtension`, when only the reply matters. */
  call(name: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<Reply>;
  /** Events of the server and of the client itself, in order. Returns the function that stops listening. */
  listen(listener: EventListener): () => void;
  /**
   * Tells when the connection has ended and will not come back by itself: with the reason, or without one after a
   * `disconnect`. Returns the function that stops listening.
   */
  listenEnd(listener: (reason: MillraceError | undefined) => void): () => void;
  /** Passes an event made by the client to all listeners. */
  emit(event: EventMessage): void;
}
