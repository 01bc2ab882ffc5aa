import { createRoot } from 'react-dom/client';
import { checkToView } from './checkToView.js';
import type { LiveHost } from './liveHost.js';
import { LiveStore, onNextFrame } from './store/store.js';
import { App } from './view/app.js';

/** Draws the live view into an element and keeps it fed. Returns its store and the function that ends it. */
export function startLiveView(host: LiveHost, root: HTMLElement): { store: LiveStore; stop(): void } {
  const store = new LiveStore(onNextFrame);
  const view = createRoot(root);
  const unlisten = host.listen((message: unknown) => {
    const checked = checkToView(message);
    if (checked !== undefined) store.receive(checked);
  });
  const tellVisible = (): void => host.post({ type: 'visible', visible: document.visibilityState === 'visible' });
  document.addEventListener('visibilitychange', tellVisible);
  view.render(<App store={store} host={host} />);
  host.post({ type: 'ready', lastSeq: 0 });
  tellVisible();
  return {
    store,
    stop: () => {
      document.removeEventListener('visibilitychange', tellVisible);
      unlisten();
      store.dispose();
      view.unmount();
    },
  };
}
