import { MillraceClient } from '../../client/typescript/src/browser.js';
import type { TaskFeed } from '../../live/taskFeed.js';
import { toMillraceError } from '../../protocol/errors.js';
import { startLiveView } from '../start.js';
import { chooseTask } from './chooseTask.js';
import { button, element } from './elements.js';
import type { PageStorage } from './pageStorage.js';
import { signIn } from './signIn.js';
import { taskHost } from './taskHost.js';

export interface DashboardParts {
  /** The element that belongs to the dashboard; what is in it is replaced. */
  readonly page: HTMLElement;
  /** Address of the server. */
  readonly server: string;
  /** The key and the task, kept for as long as the storage keeps them. */
  readonly storage: PageStorage;
}

/** Where a person goes from the view of a task. */
type Way = 'tasks' | 'signedOut';

/** Signing in, choosing a task and its live view, one after the other in one element, until it is disposed. */
export class Dashboard {
  readonly #parts: DashboardParts;
  readonly #view = element('div', { class: 'browserView' });
  #client: MillraceClient | undefined;
  #feed: TaskFeed | undefined;
  #leave: (() => void) | undefined;
  #disposed = false;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
    parts.page.classList.add('browserPage');
    parts.page.replaceChildren(this.#view);
  }

  /** Resolves when the dashboard is disposed of while a task is shown; before that it may wait for a person for ever. */
  async run(): Promise<void> {
    const { storage } = this.#parts;
    while (!this.#disposed) {
      this.#client ??= await this.#logIn();
      storage.task ??= await chooseTask(this.#view, this.#client);
      if (this.#disposed) return;
      const way = await this.#show(this.#client, storage.task);
      storage.task = undefined;
      if (way !== 'signedOut') continue;
      storage.clear();
      await this.#client.disconnect();
      this.#client = undefined;
    }
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#leave?.();
    this.#parts.page.replaceChildren();
    await this.#client?.disconnect();
  }

  /** A client that is logged in, with the key that is kept or one that a person types. */
  async #logIn(): Promise<MillraceClient> {
    const { server, storage } = this.#parts;
    let client: MillraceClient | undefined;
    const attempt = async (key: string): Promise<void> => {
      client = new MillraceClient({
        uri: server,
        auth: key,
        persist: true,
        clientName: 'Millrace dashboard',
        onConnected: () => void this.#feed?.connectionBack(),
        onDisconnected: (reason) => this.#feed?.connectionLost(reason),
        onConnectError: (error) => {
          if (error.httpStatus === 401) this.#feed?.connectionFailed(error);
        },
      });
      this.#client = client;
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
      await signIn(this.#view, problem, attempt);
    }
    return client as MillraceClient;
  }

  /** Shows a task until a person leaves it. */
  async #show(client: MillraceClient, token: string): Promise<Way> {
    const { page, server, storage } = this.#parts;
    const problems = element('output', { role: 'alert' });
    const { host, feed } = taskHost({
      client,
      token,
      server: new URL(server).host,
      state: storage,
      report: (problem) => (problems.textContent = problem),
    });
    this.#feed = feed;
    let bar: HTMLElement | undefined;
    const left = new Promise<Way>((leave) => {
      this.#leave = () => leave('tasks');
      bar = topBar(problems, leave);
    });
    this.#view.replaceChildren();
    if (bar !== undefined) page.prepend(bar);
    const { stop } = startLiveView(host, this.#view);
    const way = await left;
    this.#leave = undefined;
    this.#feed = undefined;
    stop();
    feed.dispose();
    bar?.remove();
    return way;
  }
}

/** The way back to the list and out, and the place where problems are shown. */
function topBar(problems: HTMLOutputElement, leave: (way: Way) => void): HTMLElement {
  return element(
    'nav',
    { class: 'browserBar', 'aria-label': 'Server' },
    button('All tasks', 'button secondary', () => leave('tasks')),
    problems,
    button('Sign out', 'button secondary', () => leave('signedOut')),
  );
}
