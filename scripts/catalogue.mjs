/**
 * Writes pipeline/catalog.json, the catalogue as data, from the definitions.
 * `--check` writes nothing and fails when the file is not what the definitions say.
 */
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './run.mjs';

const file = path.join(root, 'pipeline', 'catalog.json');
const check = process.argv.includes('--check');

const wanted = await render();
const found = await readFile(file, 'utf8').catch(() => '');
if (found.replaceAll('\r\n', '\n') === wanted) {
  process.stdout.write('The catalogue is up to date.\n');
} else if (check) {
  process.stderr.write('pipeline/catalog.json is out of date: run `npm run catalogue` and commit it.\n');
  process.exitCode = 1;
} else {
  await writeFile(file, wanted);
  process.stdout.write(`Wrote ${path.relative(root, file)}.\n`);
}

async function render() {
  const { definitions, planned } = await load();
  const byId = (a, b) => (a.id < b.id ? -1 : 1);
  const catalogue = { providers: [...definitions].sort(byId), planned: [...planned].sort(byId) };
  const text = JSON.stringify(catalogue, (_key, value) => sorted(value));
  return format(text, { ...(await resolveConfig(file)), parser: 'json' });
}

/** Bundles the definitions in memory; what components load when they run stays out. */
async function load() {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { builtinComponents } from './engine/components/builtin.ts';
        export { plannedProviders as planned } from './engine/components/planned.ts';
        export const definitions = builtinComponents.map(({ definition }) => definition);`,
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    plugins: [
      {
        name: 'leave behaviour out',
        setup({ onResolve }) {
          onResolve({ filter: /\/component\.js$/ }, ({ path: name }) => ({ path: name, external: true }));
        },
      },
    ],
  });
  const [bundle] = outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(bundle.contents).toString('base64')}`);
}

/** Objects with their keys in order; the order of profiles and schema members says nothing. */
function sorted(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
