import type { Disposable } from 'vscode';
import type { MillraceClient } from '../../client/typescript/src/index.js';
import { LiveSession } from '../../live/liveSession.js';
import { TaskFeed } from '../../live/taskFeed.js';
import { isRecord } from '../../pipeline/values.js';
import { toMillraceError } from '../../protocol/errors.js';
import type { TraceLevel } from '../../protocol/events.js';
import type { ToLiveView } from '../../protocol/liveView.js';
import type { Connection, ConnectionState } from '../connections/connection.js';
import type { Log } from '../log.js';

export interface LiveLinkOptions {
  readonly connection: Connection;
  /** @throws MillraceError when there is no such task */
  readonly findToken: (client: MillraceClient) => string | Promise<string>;
  readonly hasFile: boolean;
  readonly traceLevel: TraceLevel | undefined;
  readonly post: (message: ToLiveView) => void | PromiseLike<unknown>;
  readonly openComponent: (id: string) => void;
  /** Tells a person. */
  readonly showFailure: (thrown: unknown) => void;
  readonly log: Log;
}

interface Attached {
  readonly client: MillraceClient;
  readonly feed: TaskFeed;
  readonly session: LiveSession;
}

/** More messages than a view sends before it is answered. */
const mostQueued = 100;

const engineGone = {
  message: 'The engine of this window is not running, and its tasks have ended with it.',
  hint: 'Run the pipeline again to watch it.',
};

/** One view of one task: finds the client, makes the feed and keeps it in step with the connection. */
export class LiveLink implements Disposable {
  readonly #options: LiveLinkOptions;
  readonly #stateListener: Disposable;
  #attached: Attached | undefined;
  #attaching = false;
  /** Whether something changed since the last attempt began. */
  #wanted = false;
  /** What the view sent while there was nobody to take it. Empty before its first message and while it is hidden. */
  #queue: unknown[] = [];
  #disposed = false;

  constructor(options: LiveLinkOptions) {
    this.#options = options;
    this.#stateListener = options.connection.onDidChangeState((state) => this.#follow(state));
  }

  /** A message of the view, unchecked. */
  receive(message: unknown): void {
    if (this.#attached !== undefined) return this.#attached.session.handle(message);
    // A view that begins anew has forgotten what it asked for before.
    if (isRecord(message) && message.type === 'ready') this.#queue = [];
    if (this.#queue.length < mostQueued) this.#queue.push(message);
    void this.#attach();
  }

  /** The view is gone until it sends `ready` again. */
  hide(): void {
    this.#queue = [];
    this.#attached?.feed.pause();
  }

  dispose(): void {
    this.#disposed = true;
    this.#stateListener.dispose();
    this.#detach();
  }

  async #attach(): Promise<void> {
    this.#wanted = true;
    if (this.#attaching) return;
    this.#attaching = true;
    while (this.#wanted && this.#attached === undefined && !this.#disposed) {
      this.#wanted = false;
      await this.#tryAttach();
    }
    this.#attaching = false;
  }

  async #tryAttach(): Promise<void> {
    const { findToken, hasFile, traceLevel, post, openComponent, showFailure, log, connection } = this.#options;
    try {
      const client = await this.#client();
      if (client === undefined) return;
      const token = await findToken(client);
      if (this.#disposed) return;
      const feed = new TaskFeed({ client, token, connection: connection.name, hasFile, traceLevel, post });
      const stop = (): void => void client.terminate(token).catch(showFailure);
      const session = new LiveSession({ feed, openComponent, stop, log: (line) => log.warn(line) });
      this.#attached = { client, feed, session };
      for (const message of this.#queue.splice(0)) session.handle(message);
    } catch (thrown) {
      this.#tellFailure(toMillraceError(thrown));
    }
  }

  /** Looking at a task that has ended with its engine is no reason to start another one. */
  async #client(): Promise<MillraceClient | undefined> {
    const { connection } = this.#options;
    if (connection.connected !== undefined) return connection.connected;
    if (connection.kind === 'remote') return connection.client();
    const { kind } = connection.state;
    if (kind === 'off' || kind === 'failed') this.#tellFailure(engineGone);
    return undefined;
  }

  #follow(state: ConnectionState): void {
    const { connection } = this.#options;
    const { feed, client } = this.#attached ?? {};
    if (feed === undefined) {
      // Any other change may be what our own asking has brought about.
      if (this.#queue.length > 0 && state.kind === 'connected') void this.#attach();
      else if (this.#queue.length > 0 && state.kind === 'failed') {
        this.#tellFailure({ message: state.reason, hint: state.hint });
      }
      return;
    }
    switch (state.kind) {
      case 'connected':
        if (connection.connected === undefined || connection.connected === client) return void feed.connectionBack();
        // Another engine: whether it has the task is found out anew.
        this.#detach();
        return this.receive({ type: 'ready', lastSeq: 0 });
      case 'connecting':
        return feed.connectionLost('Connecting');
      case 'waiting':
        return feed.connectionLost(state.reason);
      case 'failed':
        return feed.connectionFailed({ message: state.reason, hint: state.hint });
      case 'off':
        return feed.connectionFailed(connection.kind === 'local' ? engineGone : { message: state.reason, hint: '' });
    }
  }

  #detach(): void {
    this.#attached?.feed.dispose();
    this.#attached = undefined;
  }

  #tellFailure({ message: reason, hint }: { message: string; hint: string }): void {
    void this.#options.post({ type: 'link', state: { kind: 'failed', reason, hint } });
  }
}
