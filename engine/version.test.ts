import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { version } from './version.js';

it('the engine tells the version of its package', async () => {
  const manifest = JSON.parse(await readFile(new URL('./package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(version.version).toBe(manifest.version);
});
