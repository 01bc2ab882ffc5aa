import type { FromLiveView, ToLiveView } from '../protocol/liveView.js';

/** What the live view talks to: the editor around it, or the page of a server in a browser. */
export interface LiveHost {
  post(message: FromLiveView): void;
  /** Hears every message of the host from now on. Returns the function that stops listening. */
  listen(handler: (message: ToLiveView) => void): () => void;
  /** What `setState` was given last, also before the view was hidden or the page was loaded again. */
  getState(): unknown;
  /** @param state what JSON can hold */
  setState(state: unknown): void;
}

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

function editorHost(api: EditorApi): LiveHost {
  return {
    post: (message) => api.postMessage(message),
    listen: (handler) => {
      const hear = (event: MessageEvent<ToLiveView>): void => handler(event.data);
      window.addEventListener('message', hear);
      return () => window.removeEventListener('message', hear);
    },
    getState: () => api.getState(),
    setState: (state) => api.setState(state),
  };
}
