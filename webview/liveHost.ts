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
