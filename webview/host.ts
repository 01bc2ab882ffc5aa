import type { ToLiveView } from '../protocol/liveView.js';
import type { LiveHost } from './liveHost.js';

interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/**
 * The editor when the page is in its panel, else the page's own host. In a browser it resolves when a person has
 * signed in and chosen a task; until then `document.body` belongs to the sign-in, afterwards `#root` to the view.
 */
export async function findHost(): Promise<LiveHost> {
  const { acquireVsCodeApi } = globalThis as { acquireVsCodeApi?: () => EditorApi };
  if (acquireVsCodeApi !== undefined) return editorHost(acquireVsCodeApi());
  const { browserHost } = await import('./browser/browserHost.js');
  return browserHost();
}

/** Beside the state of the view, the editor keeps which task it is about, so that the panel can be brought back. */
function editorHost(api: EditorApi): LiveHost {
  let kept = readKept(api.getState());
  const keep = (change: Partial<Kept>): void => {
    kept = { ...kept, ...change };
    api.setState(kept);
  };
  return {
    post: (message) => api.postMessage(message),
    listen: (handler) => {
      const hear = ({ data }: MessageEvent<ToLiveView>): void => {
        if (data.type === 'task') {
          const { connection, projectId, source, name } = data;
          keep({ task: { connection, projectId, source, name } });
        }
        handler(data);
      };
      window.addEventListener('message', hear);
      return () => window.removeEventListener('message', hear);
    },
    getState: () => kept.view,
    setState: (view) => keep({ view }),
  };
}

/** What the extension reads when the window is loaded again: extension/liveView/keptTask.ts. */
interface Kept {
  readonly task?: { connection: string; projectId: string; source: string; name: string };
  readonly view?: unknown;
}

function readKept(state: unknown): Kept {
  return typeof state === 'object' && state !== null ? state : {};
}
