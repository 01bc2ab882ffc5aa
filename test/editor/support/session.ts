import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { inject, onTestFailed } from 'vitest';
import { connectBrowser, newWindow } from '../host/browser.mjs';
import { EditorServer } from '../host/server.mjs';
import { Workbench } from '../pages/workbench.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const screenshots = path.join(root, '.cache', 'screenshots', 'editor');

export interface SessionOptions {
  /** Path in the workspace folder → content. Without it the window has no folder. */
  files?: Record<string, string | Buffer>;
  /** Folders among these files that make the workspace; without it, it is the one folder with all of them. */
  roots?: readonly string[];
  /** Settings of the user. */
  settings?: Record<string, unknown>;
  /** The editor asks whether the folder is trusted. */
  trust?: boolean;
  /** The editor has no extension yet. */
  bare?: boolean;
}

/** An editor of its own with the packed extension, and one window of it. */
export class EditorSession {
  private constructor(
    readonly server: EditorServer,
    private readonly browser: Browser,
    readonly page: Page,
    readonly workbench: Workbench,
    /** Where the files are: the workspace folder, or what is above several. */
    readonly folder: string,
    private readonly opened: { folder?: string; workspace?: string },
  ) {}

  static async open({
    files,
    roots,
    settings = {},
    trust = false,
    bare = false,
  }: SessionOptions = {}): Promise<EditorSession> {
    const extensions = bare ? {} : { extensions: inject('extensions') };
    const server = await EditorServer.start(inject('editor'), { ...extensions, settings, trust });
    const folder = path.join(server.folder, 'workspace');
    let browser: Browser | undefined;
    try {
      await mkdir(folder);
      await writeFiles(folder, files ?? {});
      browser = await connectBrowser(inject('browser'));
      const page = await newWindow(browser);
      page.setDefaultTimeout(60_000);
      const opened = files === undefined ? {} : roots === undefined ? { folder } : await writeWorkspace(folder, roots);
      const session = new EditorSession(server, browser, page, new Workbench(page), folder, opened);
      await session.load();
      return session;
    } catch (error) {
      await browser?.close();
      await server.stop();
      throw error;
    }
  }

  /** Opens the window, or reloads it as a person would. */
  async load(): Promise<void> {
    await this.page.goto(this.server.address(this.opened));
    await this.workbench.ready();
  }

  write(files: Record<string, string | Buffer>): Promise<void> {
    return writeFiles(this.folder, files);
  }

  read(name: string): Promise<string> {
    return readFile(path.join(this.folder, name), 'utf8');
  }

  async screenshot(name: string): Promise<void> {
    await mkdir(screenshots, { recursive: true });
    await this.page.screenshot({ path: path.join(screenshots, `${name}.png`) });
  }

  /** To be called at the start of a test: a failure leaves a picture and what the editor has logged. */
  explainFailure(): void {
    onTestFailed(async ({ task }) => {
      const name = `failed-${task.name.replace(/\W+/g, '-').slice(0, 60)}`;
      await this.screenshot(name).catch(() => undefined);
      await writeFile(path.join(screenshots, `${name}.log`), await this.server.logs());
    });
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }
}

async function writeFiles(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
}

async function writeWorkspace(folder: string, roots: readonly string[]): Promise<{ workspace: string }> {
  const workspace = path.join(folder, 'all.code-workspace');
  await writeFile(workspace, JSON.stringify({ folders: roots.map((root) => ({ path: root })) }));
  return { workspace };
}
