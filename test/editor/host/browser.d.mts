import type { Browser, BrowserServer, Page } from 'playwright-core';
import type { Installation } from './install.mjs';

export declare function launchBrowser(installation: Installation): Promise<Browser>;

/** One browser for several processes, which `connectBrowser` reaches by its address. */
export declare function serveBrowser(installation: Installation): Promise<BrowserServer>;

/** Closing what it gives leaves the browser to others. */
export declare function connectBrowser(address: string): Promise<Browser>;

/** A window of its own storage. */
export declare function newWindow(browser: Browser): Promise<Page>;
