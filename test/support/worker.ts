import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import type { PoolOptions } from '../../engine/tasks/workerPool.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Components that do what the text they get says; see the file for the words. */
export const componentsFolder = join(root, 'test', 'support', 'components');

/**
 * Builds the worker from its sources once for the file that calls this, so that tests need no earlier build. The
 * bundle lies inside the repository because the packages it uses are found from there.
 */
export function builtWorker(): () => PoolOptions {
  const folder = join(root, 'engine', 'node_modules', '.cache', `millrace-test-${process.pid}-${Date.now()}`);
  beforeAll(async () => {
    await build({
      absWorkingDir: root,
      entryPoints: { worker: 'engine/worker/main.ts' },
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20.18',
      packages: 'external',
      logLevel: 'warning',
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return () => ({ entry: join(folder, 'worker.mjs'), execArgv: [], memoryMb: 256, warm: 1, warmSeconds: 60 });
}
