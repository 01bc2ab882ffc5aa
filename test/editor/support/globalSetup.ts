import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { builtExtension } from '../../support/packages.js';
import { serveBrowser } from '../host/browser.mjs';
import { installEditor, type Installation } from '../host/install.mjs';
import { installExtensions } from '../host/server.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    editor: Installation;
    /** The address of the browser with all windows. */
    browser: string;
    /** The packed extension. */
    vsix: string;
    /** An extensions folder that holds it. */
    extensions: string;
  }
}

/** Once for all files: the editor, a browser, the package made from the sources as they are, and the package installed. */
export async function setup(project: TestProject) {
  const editor = await installEditor();
  const vsix = await builtExtension();
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-extensions-'));
  await installExtensions(editor, folder, [vsix]);
  const browser = await serveBrowser(editor);
  project.provide('editor', editor);
  project.provide('browser', browser.wsEndpoint());
  project.provide('vsix', vsix);
  project.provide('extensions', folder);
  return async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
