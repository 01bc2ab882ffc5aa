import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The suite in the real editor; scripts/test.mjs runs it after the others. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/editor/**/*.spec.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: 'test/editor/support/globalSetup.ts',
    pool: 'forks',
    // A window waits as much as it works: two of them, each with its browser and its engine, keep a small machine busy.
    poolOptions: { forks: { maxForks: 2, minForks: 1 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
