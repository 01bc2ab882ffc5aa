import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as browser from './browser.js';
import * as node from './index.js';

const folder = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
  version: string;
  exports: Record<string, Record<string, string> | string>;
};

describe('the package', () => {
  it('bundles for a browser without anything of Node', async () => {
    const { metafile, warnings } = await build({
      entryPoints: [path.join(folder, 'src', 'browser.ts')],
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    expect(warnings).toEqual([]);
    const inputs = Object.keys(metafile.inputs);
    expect(
      inputs.filter((file) => /node_modules[\\/](ws|dotenv)|[nN]ode[A-Z\w]*\.ts|environment\.ts/.test(file)),
    ).toEqual([expect.stringContaining('pipeline/environment.ts')]);
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    expect(imports).toEqual([]);
  });

  it('exports the same names for both, except what reads files', () => {
    expect(Object.keys(node).filter((name) => !(name in browser))).toEqual(['loadPipeline']);
    expect(Object.keys(browser).sort()).toEqual([
      'Answer',
      'AuthenticationError',
      'CancelledError',
      'ConnectionError',
      'EventBit',
      'FileNotFoundError',
      'MillraceClient',
      'MillraceError',
      'NotFoundError',
      'PipeError',
      'Question',
      'TaskError',
      'TaskState',
      'TimeoutError',
      'ValidationError',
      'resultKeys',
      'version',
    ]);
  });

  it('names its own version', () => {
    expect(node.version).toBe(manifest.version);
  });

  it('offers each environment its entry, with types', () => {
    expect(manifest.exports['.']).toEqual({
      browser: { types: './dist/types/client/typescript/src/browser.d.ts', default: './dist/browser.js' },
      node: { types: './dist/types/client/typescript/src/index.d.ts', default: './dist/index.js' },
      default: { types: './dist/types/client/typescript/src/browser.d.ts', default: './dist/browser.js' },
    });
  });

  it('refuses files in a browser', async () => {
    const client = new browser.MillraceClient({ auth: 'key' });
    await expect(client.use({ filepath: 'x.pipe' })).rejects.toThrow('A browser cannot read files');
  });
});
