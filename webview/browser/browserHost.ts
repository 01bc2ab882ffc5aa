import { MillraceClient } from '../../client/typescript/src/browser.js';
import type { TaskFeed } from '../../live/taskFeed.js';
import { toMillraceError } from '../../protocol/errors.js';
import type { LiveHost } from '../liveHost.js';
import { addBrowserStyle } from './browserStyle.js';
import { chooseTask } from './chooseTask.js';
import { button, element } from './elements.js';
import { keyOfFragment, PageStorage } from './pageStorage.js';
import { signIn } from './signIn.js';
import { taskHost } from './taskHost.js';

/** Shows the sign-in and the tasks that run, and resolves when one is chosen. */
export async function browserHost(): Promise<LiveHost> {
  const storage = new PageStorage(sessionStorage);
  takeKeyFromAddress(storage);
  addBrowserStyle();
  const root = document.getElementById('root') ?? document.body.appendChild(element('div', { id: 'root' }));
  const link: { feed?: TaskFeed } = {};
  const client = await logIn(root, storage, link);
  const chosen = storage.task ?? (await chooseTask(root, client));
  storage.task = chosen;
  root.replaceChildren();
  const bar = topBar(root, storage);
  const { host, feed } = taskHost({
    client,
    token: chosen,
    server: location.host,
    state: storage,
    report: (problem) => (bar.textContent = problem),
  });
  link.feed = feed;
  return host;
}

/** A key in the fragment never leaves the browser; it is taken out of the address and the history at once. */
function takeKeyFromAddress(storage: PageStorage): void {
  const key = keyOfFragment(location.hash);
  if (key === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  storage.key = key;
  storage.task = undefined;
}

/** A client that is logged in, with the key that is kept or one that a person types. */
async function logIn(root: HTMLElement, storage: PageStorage, link: { feed?: TaskFeed }): Promise<MillraceClient> {
  let client: MillraceClient | undefined;
  const attempt = async (key: string): Promise<void> => {
    client = new MillraceClient({
      uri: location.origin,
      auth: key,
      persist: true,
      clientName: 'Millrace dashboard',
      onConnected: () => void link.feed?.connectionBack(),
      onDisconnected: (reason) => link.feed?.connectionLost(reason),
      onConnectError: (error) => {
        if (error.httpStatus === 401) link.feed?.connectionFailed(error);
      },
    });
    await client.connect();
    storage.key = key;
  };
  let problem: string | undefined;
  const { key } = storage;
  if (key !== undefined) {
    problem = await attempt(key).then(
      () => undefined,
      (error: unknown) => toMillraceError(error).message,
    );
  }
  if (key === undefined || problem !== undefined) {
    storage.clear();
    await signIn(root, problem, attempt);
  }
  return client as MillraceClient;
}

/** The way back to the list and out, and the place where problems are shown. */
function topBar(root: HTMLElement, storage: PageStorage): HTMLOutputElement {
  const problems = element('output', { role: 'alert' });
  const bar = element(
    'nav',
    { class: 'browserBar', 'aria-label': 'Server' },
    button('All tasks', 'button secondary', () => {
      storage.task = undefined;
      location.reload();
    }),
    problems,
    button('Sign out', 'button secondary', () => {
      storage.clear();
      location.reload();
    }),
  );
  root.before(bar);
  return problems;
}
