import type { BaseClient, TaskListing } from '../../client/typescript/src/api.js';
import { isRecord } from '../../pipeline/values.js';
import { button, element } from './elements.js';

/** Shows the tasks that run, as they come and go, until one is chosen. Gives its token. */
export async function chooseTask(page: HTMLElement, client: BaseClient): Promise<string> {
  const list = element('ul', { class: 'browserTasks' });
  const empty = element('p', { class: 'muted', role: 'status' });
  const title = element('h1', { tabindex: '-1' }, 'Running tasks');
  page.replaceChildren(element('section', { class: 'browserCard' }, title, empty, list));
  title.focus();
  let choose: (token: string) => void;
  const chosen = new Promise<string>((resolve) => (choose = resolve));
  let shown = '';
  let asking: Promise<void> | undefined;
  let again = false;

  const show = (tasks: readonly TaskListing[]): void => {
    const text = JSON.stringify(tasks.map(({ token, name, description }) => [token, name, description]));
    if (text === shown) return;
    shown = text;
    empty.textContent = tasks.length === 0 ? 'Nothing is running. A pipeline that is started appears here.' : '';
    const { activeElement } = page.getRootNode() as Document | ShadowRoot;
    const focused = activeElement instanceof HTMLElement ? activeElement.dataset['token'] : undefined;
    list.replaceChildren(...tasks.map((task) => entry(task, () => choose(task.token))));
    for (const item of list.querySelectorAll('button')) if (item.dataset['token'] === focused) item.focus();
  };
  const ask = async (): Promise<void> => {
    do {
      again = false;
      // A connection that is lost comes back, and with it the next event.
      const tasks = await client.getTasks().catch(() => undefined);
      if (tasks !== undefined) show(tasks);
    } while (again);
    asking = undefined;
  };
  const refresh = (): void => {
    again = true;
    asking ??= ask();
  };

  /** A task is listed once it takes data, which only its status tells. */
  const states = new Map<unknown, unknown>();
  const stopListening = client.listen(({ event, body }) => {
    if (event === 'apaevt_task') return refresh();
    if (event !== 'apaevt_status_update' || !isRecord(body) || states.get(body.__id) === body.state) return;
    states.set(body.__id, body.state);
    refresh();
  });
  const subscription = client.subscribe('*', ['task', 'summary']);
  // Whoever may see one task only cannot follow all of them, but can list it.
  subscription.catch(() => undefined);
  refresh();
  const token = await chosen;
  stopListening();
  void subscription.then((made) => made.dispose()).catch(() => undefined);
  return token;
}

function entry({ token, name, description }: TaskListing, choose: () => void): HTMLLIElement {
  const made = button('', 'browserTask', choose);
  made.dataset['token'] = token;
  made.append(element('strong', {}, name), element('span', { class: 'muted' }, description));
  return element('li', {}, made);
}
