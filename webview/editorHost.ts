import type { ToLiveView } from '../protocol/liveView.js';
import type { LiveHost } from './liveHost.js';

/** What the editor gives to the page in its panel. */
export interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** Beside the state of the view, the editor keeps which task it is about, so that the panel can be brought back. */
export function editorHost(api: EditorApi): LiveHost {
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
