import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The program of the parse threads: `components/parseThread.js`, which the build puts beside the engine's bundle.
 * Undefined when the engine runs from its sources; documents are then read in the calling thread.
 */
export function findThreadEntry(): URL | undefined {
  // In a CommonJS bundle `import.meta.url` is empty; the program that was started then stands beside the entry.
  const here = (import.meta.url as string | undefined) ?? pathToFileURL(process.argv[1] ?? 'engine').href;
  return ['components/parseThread.js', 'parseThread.js', '../components/parseThread.js']
    .map((path) => new URL(path, here))
    .find((url) => existsSync(fileURLToPath(url)));
}
