import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{protocol,pipeline,engine,client,live,webview,extension,test,bench}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    pool: 'forks',
    poolOptions: { forks: { maxForks: 3, minForks: 1 } },
    // Deadlines only end what would never end: a busy machine may take ten times as long as a quiet one.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
