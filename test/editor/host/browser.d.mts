import type { Browser, Page } from 'playwright-core';
import type { Installation } from './install.mjs';

export declare function launchBrowser(installation: Installation): Promise<Browser>;

/** A window of its own storage. */
export declare function newWindow(browser: Browser): Promise<Page>;
