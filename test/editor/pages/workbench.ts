import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/poll.js';
import { commandTitle } from '../support/manifest.js';
import { EditorPane } from './editorPane.js';
import { LiveView } from './liveView.js';
import { TreeView } from './treeView.js';

/** A window of the editor, used as a person uses it. */
export class Workbench {
  readonly editor: EditorPane;
  readonly liveView: LiveView;

  constructor(readonly page: Page) {
    this.editor = new EditorPane(page);
    this.liveView = new LiveView(page);
  }

  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .statusbar').waitFor();
  }

  /** Runs a command through the palette. */
  async run(id: string): Promise<void> {
    await this.runTitled(commandTitle(id));
  }

  async runTitled(title: string): Promise<void> {
    // The palette lists what was there when it was opened; a window that has just opened may not have all yet.
    await eventually(`the palette has ${title}`, async () => {
      await this.page.keyboard.press('Control+Shift+P');
      if (!(await this.#ask(`>${title}`))) return false;
      const found = await isThere(this.quickInput.row(title), 3000);
      if (found) await this.pick(title);
      else await this.page.keyboard.press('Escape');
      return found;
    });
  }

  /** Writes into the palette that is opening; false when something that took the focus has closed it again. */
  async #ask(text: string): Promise<boolean> {
    return this.quickInput.input.fill(text, { timeout: 2000 }).then(
      () => true,
      () => false,
    );
  }

  /** The titles that the palette offers for some words. */
  async offered(words: string): Promise<string[]> {
    await eventually('the palette is open', async () => {
      await this.page.keyboard.press('Control+Shift+P');
      return this.#ask(`>${words}`);
    });
    await this.quickInput.rows.first().waitFor();
    const titles = await this.quickInput.rows.allInnerTexts();
    await this.page.keyboard.press('Escape');
    return titles;
  }

  /** Opens a file of the workspace by its name. */
  async open(name: string): Promise<void> {
    await this.page.keyboard.press('Control+P');
    await this.quickInput.input.fill(name);
    await this.pick(name);
    await this.page
      .locator('.tab.active', { hasText: path.basename(name) })
      .first()
      .waitFor();
  }

  /** Says that the folder is trusted, where the editor asks or in its page about trust. */
  async trustFolder(): Promise<void> {
    await this.runTitled('Workspaces: Manage Workspace Trust');
    const page = this.page.locator('.workspace-trust-editor');
    await page.getByRole('button', { name: 'Trust', exact: true }).click();
    await this.statusBarItem('Restricted Mode').waitFor({ state: 'hidden' });
    await this.runTitled('View: Close Editor');
    await page.waitFor({ state: 'hidden' });
  }

  get quickInput() {
    const widget = this.page.locator('.quick-input-widget');
    const rows = widget.locator('.monaco-list-row');
    return {
      widget,
      input: widget.locator('.quick-input-box input').first(),
      rows,
      row: (text: string): Locator => rows.filter({ hasText: text }).first(),
    };
  }

  /** Chooses in the quick pick that is open or about to open. */
  async pick(text: string): Promise<void> {
    // A mouse that rests where the list opened brings up a tooltip over the other rows.
    await this.page.mouse.move(0, 0);
    await this.quickInput.row(text).click();
  }

  /** Answers the input box that is open or about to open; without a text, with what it proposes. */
  async answer(text?: string, prompt?: string): Promise<void> {
    const { widget, input } = this.quickInput;
    if (prompt !== undefined) await widget.filter({ hasText: prompt }).waitFor();
    if (text !== undefined) await input.fill(text);
    await input.press('Enter');
  }

  /** Types a path into the editor's own file dialog and confirms it. */
  async answerPath(file: string): Promise<void> {
    const { widget, input } = this.quickInput;
    await widget.getByRole('button', { name: /^(OK|Install|Send)$/ }).waitFor();
    // The dialog writes the folder it starts at into its box when it has read that, over what was typed until then; and the
    // same text once more would be no change to it.
    await eventually(
      'the dialog lists the file',
      async () => {
        await input.fill(path.dirname(file) + path.sep);
        await input.fill(file);
        return (await isThere(this.quickInput.row(path.basename(file)), 3_000)) && (await input.inputValue()) === file;
      },
      90_000,
    );
    await input.press('Enter');
  }

  /** What the Output view shows. */
  get output(): Locator {
    return this.page.locator('.output-view .view-lines');
  }

  /** The lines of the Problems view. */
  get problems(): Locator {
    return this.page.locator('.markers-panel .monaco-list-row');
  }

  /** What the terminals have printed, as a screen reader finds it. */
  get terminal(): Locator {
    return this.page.locator('.terminal-wrapper .xterm');
  }

  /** Runs a task of the editor by its whole name. */
  async runTask(name: string): Promise<void> {
    await this.runTitled('Tasks: Run Task');
    await this.pick('Show All Tasks');
    await this.quickInput.input.fill(name);
    await this.pick(name);
  }

  async renameInExplorer(from: string, to: string): Promise<void> {
    await this.openContainer('Explorer');
    await this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: from }).click();
    await this.page.keyboard.press('F2');
    const box = this.page.locator('.explorer-folders-view input');
    await box.fill(to);
    await box.press('Enter');
  }

  /** What the Debug Console has printed. */
  get debugConsole(): Locator {
    return this.page.locator('.repl');
  }

  /** Starts one of the configurations of launch.json. */
  async debug(name: string): Promise<void> {
    await this.runTitled('Debug: Select and Start Debugging');
    await this.pick(name);
  }

  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: text });
  }

  notification(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast').filter({ hasText: text });
  }

  /** Opens a view container by its title in the activity bar. */
  async openContainer(title: string): Promise<void> {
    const item = this.page
      .locator('.activitybar .action-item')
      .filter({ has: this.page.getByLabel(title) })
      .first();
    if ((await item.getAttribute('class'))?.includes('checked')) return;
    await item.click();
    // Its tooltip would cover what a test wants to click.
    await this.page.mouse.move(640, 2);
  }

  tree(viewId: string): TreeView {
    return new TreeView(this.page, viewId);
  }

  /** The panel or editor that shows plain text: its lines, as far as they are on the screen. */
  async textOf(locator: Locator): Promise<string> {
    const lines = await locator.locator('.view-line').allInnerTexts();
    return lines.join('\n').replaceAll('\u00a0', ' ');
  }
}

async function isThere(locator: Locator, timeout: number): Promise<boolean> {
  return locator.waitFor({ timeout }).then(
    () => true,
    () => false,
  );
}
