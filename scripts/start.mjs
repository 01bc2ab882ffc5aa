/** Starts a server from this checkout; arguments are those of `millrace-engine serve`. Ctrl-C ends it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run.mjs';

const engine = path.join(root, 'engine', 'dist', 'main.js');
if (existsSync(engine)) {
  // Loaded into this process, so that signals and the exit code are the engine's own.
  process.argv = [process.execPath, engine, 'serve', ...process.argv.slice(2)];
  await import(pathToFileURL(engine).href);
} else {
  process.stderr.write('The engine is not built. Run: npm run build\n');
  process.exitCode = 1;
}
