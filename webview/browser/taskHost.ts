import type { BaseClient } from '../../client/typescript/src/api.js';
import { LiveSession } from '../../live/liveSession.js';
import { TaskFeed } from '../../live/taskFeed.js';
import type { ToLiveView } from '../../protocol/liveView.js';
import type { LiveHost } from '../liveHost.js';

export interface TaskHostOptions {
  readonly client: BaseClient;
  readonly token: string;
  /** Name of the server, for people. */
  readonly server: string;
  /** What the view keeps across a reload of the page. */
  readonly state: { view: unknown };
  /** Shows a person what went wrong. */
  readonly report: (problem: string) => void;
}

/** The page as the host of the live view of one task. */
export function taskHost({ client, token, server, state, report }: TaskHostOptions): {
  host: LiveHost;
  feed: TaskFeed;
} {
  const handlers = new Set<(message: ToLiveView) => void>();
  const feed = new TaskFeed({
    client,
    token,
    connection: server,
    hasFile: false,
    post: (message) => {
      for (const handler of [...handlers]) handler(message);
    },
  });
  const session = new LiveSession({
    feed,
    // There is no file to open here, and the view is told so.
    openComponent: () => undefined,
    stop: () => {
      client.terminate(token).catch((error: unknown) => report(error instanceof Error ? error.message : String(error)));
    },
    log: report,
  });
  const host: LiveHost = {
    post: (message) => session.handle(message),
    listen: (handler) => {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    getState: () => state.view,
    setState: (view) => {
      state.view = view;
    },
  };
  return { host, feed };
}
