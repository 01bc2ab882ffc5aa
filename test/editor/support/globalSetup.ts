import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { builtExtension } from '../../support/packages.js';
import { installEditor, type Installation } from '../host/install.mjs';
import { installExtensions } from '../host/server.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    editor: Installation;
    /** The packed extension. */
    vsix: string;
    /** An extensions folder that holds it. */
    extensions: string;
  }
}

/** Once for all files: the editor, the package made from the sources as they are, and the package installed. */
export async function setup(project: TestProject) {
  const editor = await installEditor();
  const vsix = await builtExtension();
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-extensions-'));
  await installExtensions(editor, folder, [vsix]);
  project.provide('editor', editor);
  project.provide('vsix', vsix);
  project.provide('extensions', folder);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
