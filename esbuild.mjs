/**
 * The one list of bundles. A bundle that is started by its name gets its `#!` line from its entry file.
 *
 *   node esbuild.mjs [--dev | --production] [--types]
 *
 * --dev adds source maps, --production minifies into empty folders (what packages contain), --types also writes the
 * client's type declarations. Bundles whose sources do not exist are left out.
 */
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, typeScript } from './scripts/run.mjs';

const day = 24 * 60 * 60 * 1000;

const node = { platform: 'node', format: 'esm', target: 'node20.18' };

/** CommonJS packages inside an ES module bundle ask for `require`; the odd name keeps clear of theirs. */
const requireForCommonJs =
  "import { createRequire as millraceCreateRequire } from 'node:module';" +
  'const require = millraceCreateRequire(import.meta.url);';

/** Native speed-ups that `ws` uses when somebody installed them; nothing of ours needs them. */
const optionalNative = ['bufferutil', 'utf-8-validate'];

const bundles = [
  {
    ...node,
    packed: true,
    entryPoints: {
      main: 'engine/main.ts',
      worker: 'engine/worker/main.ts',
      'components/parseThread': 'engine/components/parse/thread.ts',
    },
    outdir: 'engine/dist',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    banner: { js: requireForCommonJs },
    external: optionalNative,
  },
  {
    ...node,
    offered: true,
    entryPoints: { index: 'client/typescript/src/index.ts' },
    outdir: 'client/typescript/dist',
    packages: 'external',
  },
  {
    ...node,
    offered: true,
    platform: 'browser',
    target: 'es2022',
    entryPoints: { browser: 'client/typescript/src/browser.ts' },
    outdir: 'client/typescript/dist',
  },
  {
    // Nothing outside is needed, so that the file runs where it is unpacked.
    ...node,
    offered: true,
    entryPoints: { cli: 'client/cli/main.ts' },
    outdir: 'client/typescript/dist',
    banner: { js: requireForCommonJs },
    external: optionalNative,
  },
  {
    // What `millrace language-server` starts: all of it, so that the package depends on nothing more.
    ...node,
    offered: true,
    format: 'cjs',
    entryPoints: { languageServer: 'extension/language/server/main.ts' },
    outdir: 'client/typescript/dist',
    outExtension: { '.js': '.cjs' },
  },
  {
    // The extension host of every editor that is promised loads CommonJS.
    ...node,
    packed: true,
    format: 'cjs',
    entryPoints: {
      extension: 'extension/extension.ts',
      languageClient: 'extension/language/client.ts',
      languageServer: 'extension/language/server/main.ts',
    },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    external: ['vscode', ...optionalNative],
    // The client asks where it is only for things that an extension does not do.
    define: { 'import.meta.url': '__filename' },
  },
  {
    // One bundle for the editor's panel and for browsers; the part for browsers is loaded by those alone.
    packed: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    entryPoints: { main: 'webview/main.tsx' },
    outdir: 'dist/webview',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    minify: true,
  },
  {
    ...node,
    entryPoints: { start: 'examples/start/main.ts' },
    outdir: 'dist',
    packages: 'external',
  },
];

/**
 * Builds every bundle of the list and returns the files written, relative to the repository, with what each is made
 * of. With `into`, a folder in it, the bundles are written there instead of into the checkout, where something may be
 * running; `packed` are those that the extension's package has, `offered` those of the client that a server offers.
 * @param {{ dev?: boolean, production?: boolean, packed?: boolean, offered?: boolean, into?: string }} [options]
 * @returns {Promise<import('esbuild').Metafile['outputs']>}
 */
export async function buildAll({ dev = false, production = false, packed = false, offered = false, into = '' } = {}) {
  const present = bundles
    .filter((bundle) => (bundle.packed || !packed) && (bundle.offered || !offered))
    .map(({ packed: _packed, offered: _offered, ...bundle }) => bundle)
    .map(withPresentEntries)
    .filter((bundle) => Object.keys(bundle.entryPoints).length > 0)
    .map((bundle) => ({ ...bundle, outdir: path.join(into, bundle.outdir) }));
  const folders = new Set(present.map((bundle) => bundle.outdir));
  if (production) for (const folder of folders) rmSync(path.join(root, folder), { recursive: true, force: true });
  const results = await Promise.all(
    present.map((bundle) =>
      build({
        absWorkingDir: root,
        bundle: true,
        metafile: true,
        logLevel: 'warning',
        charset: 'utf8',
        legalComments: production ? 'eof' : 'none',
        sourcemap: dev ? 'linked' : false,
        // Names are kept, so that a stack trace can be read by the person who gets it.
        minifySyntax: production,
        minifyWhitespace: production,
        ...bundle,
      }),
    ),
  );
  const outputs = Object.assign({}, ...results.map((result) => result.metafile.outputs));
  const written = new Set(Object.keys(outputs).map((file) => path.join(root, file)));
  for (const folder of folders) removeForgotten(folder, written);
  return outputs;
}

function withPresentEntries(bundle) {
  const entries = Object.entries(bundle.entryPoints).filter(([, file]) => existsSync(path.join(root, file)));
  return { ...bundle, entryPoints: Object.fromEntries(entries) };
}

/** Chunks of earlier builds stay for a day, because an engine that is still running may load them later. */
function removeForgotten(folder, current) {
  for (const name of readdirSync(path.join(root, folder), { recursive: true })) {
    const file = path.join(root, folder, name);
    const info = statSync(file);
    if (info.isFile() && !current.has(file) && Date.now() - info.mtimeMs > day && /\.js(\.map)?$/.test(name))
      rmSync(file);
  }
}

function buildTypes() {
  const project = path.join('client', 'typescript', 'tsconfig.build.json');
  mkdirSync(path.join(root, 'client', 'typescript', 'dist'), { recursive: true });
  const [node, ...tsc] = typeScript;
  const { status } = spawnSync(node, [...tsc, '-p', project], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${project} does not compile`);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const flag = (name) => process.argv.includes(name);
  try {
    const outputs = await buildAll({ dev: flag('--dev'), production: flag('--production') });
    if (flag('--types')) buildTypes();
    process.stdout.write(`${Object.keys(outputs).length} files built\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
