import type { Disposable, Event } from 'vscode';
import type { MillraceClient } from '../../client/typescript/src/index.js';

/** How a connection is doing. Exactly one of these at any time. */
export type ConnectionState =
  /** Nobody has needed it yet, it was stopped, or the workspace is not trusted. */
  | { readonly kind: 'off'; readonly reason: string }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected'; readonly url: string; readonly serverVersion: string }
  /** Lost or refused; it tries again by itself. */
  | { readonly kind: 'waiting'; readonly reason: string }
  /** It does not try again until somebody acts. */
  | { readonly kind: 'failed'; readonly reason: string; readonly hint: string };

/** One server, or the engine inside the editor, as the rest of the extension uses it. */
export interface Connection {
  /** `Local` or the name of the profile. */
  readonly name: string;
  readonly kind: 'local' | 'remote';
  readonly state: ConnectionState;
  readonly onDidChangeState: Event<ConnectionState>;
  /**
   * The client, logged in; connects (and starts the engine) first when need be. The same object as long as the
   * connection lives, also across reconnects.
   *
   * @throws MillraceError that says what to do
   */
  client(): Promise<MillraceClient>;
  /** The client if it is logged in now. Never connects. */
  readonly connected: MillraceClient | undefined;
}

/** The connections of this window. */
export interface Connections extends Disposable {
  /** What `millrace.connection` names. */
  readonly current: Connection;
  readonly onDidChangeCurrent: Event<Connection>;
  /** Fires when profiles were added, renamed or removed, or any state changed. */
  readonly onDidChange: Event<void>;
  /** Local first, then the profiles in the order of the settings. */
  readonly all: readonly Connection[];
  /** @throws MillraceError `not_found`-like when no connection has the name */
  get(name: string): Connection;
}
