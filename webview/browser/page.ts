import { addBrowserStyle } from './browserStyle.js';
import { Dashboard } from './dashboard.js';
import { keyOfFragment, PageStorage } from './pageStorage.js';

/** Makes the page of a server its dashboard. What it knows is kept while the tab is open. */
export async function showPage(root: HTMLElement): Promise<void> {
  const storage = new PageStorage(sessionStorage);
  takeKeyFromAddress(storage);
  addBrowserStyle(document);
  await new Dashboard({ page: root, server: location.origin, storage }).run();
}

/** A key in the fragment never leaves the browser; it is taken out of the address and the history at once. */
function takeKeyFromAddress(storage: PageStorage): void {
  const key = keyOfFragment(location.hash);
  if (key === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  storage.key = key;
  storage.task = undefined;
}
