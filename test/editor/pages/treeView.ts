import type { Locator, Page } from 'playwright-core';
import { chooseFromMenu } from './contextMenu.js';
import { viewName } from '../support/manifest.js';

/** One of the trees in the Millrace container. */
export class TreeView {
  readonly pane: Locator;

  constructor(page: Page, id: string) {
    const header = page.locator('.pane-header').filter({ hasText: viewName(id) });
    this.pane = page.locator('.pane').filter({ has: header });
  }

  /** What the view says where it has no rows. */
  get welcome(): Locator {
    return this.pane.locator('.welcome-view-content');
  }

  row(text: string | RegExp): Locator {
    return this.pane.locator('.monaco-list-row').filter({ hasText: text }).first();
  }

  /** What the rows are called, without what is said of them. */
  async labels(): Promise<string[]> {
    return this.pane.locator('.monaco-list-row .label-name').allInnerTexts();
  }

  /** Presses an inline action of a row. */
  async act(text: string | RegExp, action: string): Promise<void> {
    const row = this.row(text);
    await row.hover();
    await row.locator(`.action-label[aria-label^="${action}"]`).click();
  }

  /** Chooses from the context menu of a row. */
  async choose(text: string | RegExp, entry: string): Promise<void> {
    await chooseFromMenu(this.row(text), entry);
  }
}
