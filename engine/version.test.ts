import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { nodeFlags } from '../protocol/engineProcess.js';
import { version } from './version.js';

it('the engine tells the version of its package', async () => {
  const manifest = JSON.parse(await readFile(new URL('./package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(version.version).toBe(manifest.version);
});

it('every way to start the engine gives Node the same flags', async () => {
  const entry = await readFile(new URL('./main.ts', import.meta.url), 'utf8');
  expect(entry.split('\n', 1)[0]).toBe(`#!/usr/bin/env -S node ${nodeFlags.join(' ')}`);
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  expect(manifest).toContain(`node ${nodeFlags.join(' ')} engine/dist/main.js serve`);
});
