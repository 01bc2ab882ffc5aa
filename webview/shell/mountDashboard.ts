import { addBrowserStyle } from '../browser/browserStyle.js';
import { Dashboard } from '../browser/dashboard.js';
import { type KeyValueStorage, PageStorage } from '../browser/pageStorage.js';

/** What a page says about the dashboard it shows. */
export interface DashboardOptions {
  /** Address of the server, such as `http://127.0.0.1:5565`. It has to allow the origin of the page. */
  readonly url: string;
  /** The key to sign in with. Without one, or when it is refused, a person is asked for it. */
  readonly apiKey?: string;
  /** The task to show first; without one, the tasks that run. */
  readonly token?: string;
  /**
   * Where the key and the chosen task are kept, such as `sessionStorage`. Without it they are forgotten when the page
   * is left.
   */
  readonly storage?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

/** A dashboard that is shown. */
export interface MountedDashboard {
  /** Takes it off the page and closes its connection. */
  dispose(): Promise<void>;
}

/** The style sheets of the view as text, which the build puts in. */
declare const millraceStyles: string;

/**
 * Shows the dashboard of a server in an element of a page: signing in, the tasks that run, and the live view of one. It
 * fills the element, which therefore needs a height. It shares neither styles nor scripts with the page around it.
 */
export function mountDashboard(container: HTMLElement, options: DashboardOptions): MountedDashboard {
  const { url, apiKey, token, storage = new Memory() } = options;
  const frame = container.appendChild(document.createElement('div'));
  frame.style.height = '100%';
  const inside = frame.attachShadow({ mode: 'open' });
  const styles = new CSSStyleSheet();
  styles.replaceSync(millraceStyles);
  inside.adoptedStyleSheets = [styles];
  addBrowserStyle(inside);
  const page = inside.appendChild(document.createElement('div'));
  const kept = new PageStorage(storage);
  if (apiKey !== undefined) kept.key = apiKey;
  if (token !== undefined) kept.task = token;
  const dashboard = new Dashboard({ page, server: url, storage: kept });
  void dashboard.run();
  return {
    async dispose() {
      await dashboard.dispose();
      frame.remove();
    },
  };
}

/** Forgets everything with the page. */
class Memory implements KeyValueStorage {
  readonly #values = new Map<string, string>();

  getItem(name: string): string | null {
    return this.#values.get(name) ?? null;
  }

  setItem(name: string, value: string): void {
    this.#values.set(name, value);
  }

  removeItem(name: string): void {
    this.#values.delete(name);
  }
}
