import type { Locator } from 'playwright-core';
import { eventually } from '../../support/poll.js';

/** Chooses from the context menu of something. */
export async function chooseFromMenu(of: Locator, title: string): Promise<void> {
  const menu = of.page().locator('.context-view.monaco-menu-container');
  await of.click({ button: 'right' });
  const entry = menu.locator('.action-item').filter({ hasText: title }).first();
  // A menu takes no click in its first moment, so that a slow right click chooses nothing.
  await eventually(`"${title}" was chosen`, async () => {
    if (await menu.isHidden()) return true;
    await entry.click({ timeout: 1000 }).catch(() => undefined);
    return false;
  });
}
