import type { Browser, Page } from 'playwright-core';
import type { Installation } from './install.mjs';
import type { EditorServer } from './server.mjs';

export declare function launchBrowser(installation: Installation): Promise<Browser>;

/** A window of its own storage that reaches nothing but the editor's server. */
export declare function newWindow(browser: Browser, server: EditorServer): Promise<Page>;
