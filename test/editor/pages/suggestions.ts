import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/poll.js';

/** The list of what may be written at the cursor, with its explanations. */
export class Suggestions {
  readonly widget: Locator;
  readonly rows: Locator;

  constructor(private readonly page: Page) {
    this.widget = page.locator('.editor-widget.suggest-widget.visible');
    this.rows = this.widget.locator('.monaco-list-row');
  }

  get details(): Locator {
    return this.page.locator('.suggest-details-container');
  }

  /** Opens the list, if it is not open already. */
  async open(): Promise<void> {
    await eventually('the suggestions are there', async () => {
      const row = this.rows.first();
      if (await row.isVisible()) return true;
      await this.page.keyboard.press('Control+Space');
      return row.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      );
    });
  }

  /** Goes down the list to an entry and accepts it, as a person does who only reads. */
  async accept(label: string): Promise<void> {
    await this.open();
    await this.moveTo(label);
    await this.page.keyboard.press('Enter');
    await this.widget.waitFor({ state: 'hidden' }).catch(() => undefined);
  }

  async moveTo(label: string): Promise<void> {
    for (let step = 0; step < 80; step++) {
      if ((await this.focused()) === label) return;
      await this.page.keyboard.press('ArrowDown');
    }
    throw new Error(`"${label}" is not suggested`);
  }

  /** The label of the entry that Enter would accept. */
  async focused(): Promise<string> {
    const name = this.widget.locator('.monaco-list-row.focused .label-name').first();
    return (await name.innerText()).replaceAll('\u00a0', ' ');
  }

  async labels(): Promise<string[]> {
    const names = await this.rows.locator('.label-name').allInnerTexts();
    return names.map((name) => name.replaceAll('\u00a0', ' '));
  }
}
