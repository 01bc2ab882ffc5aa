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
    // An editor, a browser and an engine at a time are enough for a small machine.
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});
