import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{protocol,pipeline,engine,client,live,webview,extension,test,bench}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    pool: 'forks',
    poolOptions: { forks: { maxForks: 2, minForks: 1 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
