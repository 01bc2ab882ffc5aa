import type { Locator, Page } from 'playwright-core';

/** The text editor that has the focus. */
export class EditorPane {
  constructor(private readonly page: Page) {}

  get active(): Locator {
    return this.page.locator('.editor-group-container.active .editor-instance .monaco-editor').first();
  }

  /** The lines on the screen. */
  async text(): Promise<string> {
    const lines = await this.active.locator('.view-line').allInnerTexts();
    // Older editors put a hair space before hints.
    return lines.join('\n').replaceAll(/[\u00a0\u200a]/g, ' ');
  }

  codeLens(title: string): Locator {
    return this.page.locator('.codelens-decoration a').filter({ hasText: title }).first();
  }

  tab(name: string | RegExp): Locator {
    return this.page.locator('.tab').filter({ hasText: name }).first();
  }

  /** A line of the editor whose tab is in front in its group, with its name and its text. */
  lineIn(tab: RegExp, text: string): Locator {
    const group = this.page.locator('.editor-group-container').filter({ has: this.tabs(tab) });
    return group.locator('.view-line').filter({ hasText: text }).first();
  }

  private tabs(name: RegExp): Locator {
    return this.page.locator('.tab.active').filter({ hasText: name });
  }

  /** An action in the title of the active editor group. */
  titleAction(label: string): Locator {
    return this.page.locator(`.editor-group-container.active .editor-actions .action-label[aria-label^="${label}"]`);
  }
}
