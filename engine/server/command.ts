import type { Dialect } from '../../protocol/dialect.js';
import type { TaskEvent } from '../tasks/events.js';
import type { Cancellation, Principal } from '../tasks/service.js';
import type { Fields } from './fields.js';
import type { Outgoing } from './outgoing.js';
import type { Subscriptions } from './subscriptions.js';

/** The connection a call came in on, as commands see it. */
export interface Caller {
  readonly id: number;
  /** What the program calls itself. */
  client: { readonly name: string; readonly version: string };
  readonly subscriptions: Subscriptions;
  readonly outgoing: Outgoing;
  taskEvent(event: TaskEvent): void;
  serverEvent(name: string, body: object): void;
  /** Cancels what waits when the connection closes. */
  readonly cancellation: Cancellation;
  /** Runs `cleanup` once when the connection closes. Returns a function that takes it back. */
  onClose(cleanup: () => void): () => void;
}

/** One request of an authenticated connection, validated as far as its envelope goes. */
export interface Call {
  readonly name: string;
  readonly dialect: Dialect;
  readonly arguments: Fields;
  /** Payload of a binary message. */
  readonly data: Uint8Array | undefined;
  readonly principal: Principal;
  readonly connection: Caller;
}

/** A body that is JSON text already. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** A body with a binary payload beside it. */
export class BinaryBody {
  constructor(
    readonly body: object,
    readonly payload: Uint8Array,
  ) {}
}

export interface Command {
  /** Whether the name carries a maker's prefix on the wire. */
  readonly extension: boolean;
  /** Gives the body of the answer; undefined for none. Throws MillraceError. */
  run(call: Call): unknown;
}

export type CommandTable = Readonly<Record<string, Command>>;

/** A command that carries a maker's prefix. */
export function extension(run: Command['run']): Command {
  return { extension: true, run };
}
