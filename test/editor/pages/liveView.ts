import type { FrameLocator, Locator, Page } from 'playwright-core';
import { accessibilityViolations } from '../../support/axe.js';

/** The live view's panel: the editor's frame for webviews, and in it the frame with our page. */
export class LiveView {
  constructor(private readonly page: Page) {}

  get frame(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
  }

  get body(): Locator {
    return this.frame.locator('body');
  }

  async text(): Promise<string> {
    return this.body.innerText();
  }

  async openTab(name: string): Promise<void> {
    await this.frame.getByRole('tab', { name }).click();
  }

  /** What is not accessible to everybody, a line each. */
  async violations(): Promise<string[]> {
    const page = await (await this.body.elementHandle())?.ownerFrame();
    if (!page) throw new Error('The live view is gone');
    return accessibilityViolations(page);
  }
}
