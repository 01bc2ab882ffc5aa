/**
 * Makes the packages that a server offers under /client, except the extension: the clients, the dashboard, the agent docs
 * and the package that sets workspaces up. The same sources give the same bytes.
 */
import { build } from 'esbuild';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';
import { buildAll } from '../esbuild.mjs';
import { agentDocs } from './agentDocs.mjs';
import { thirdPartyNotices } from './notices.mjs';
import { packagePythonWith } from './pythonPackage.mjs';
import { capture, npm, root, typeScript } from './run.mjs';

const stage = path.join('.cache', 'clients');
const inRoot = (...parts) => path.join(root, ...parts);
const inStage = (...parts) => path.join(root, stage, ...parts);

/**
 * @param {string} folder absolute; the packages are put into it
 * @returns {Promise<string[]>} their names
 */
export async function packClients(folder) {
  await rm(inStage(), { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  const outputs = buildAll({ into: stage, production: true, offered: true });
  return Promise.all([
    packClient(version, folder, outputs),
    packShell(version, folder),
    packInit(version, folder),
    packDocs(version, folder),
    packPython(folder, outputs),
  ]);
}

async function packClient(version, folder, built) {
  const [outputs] = await Promise.all([built, clientTypes()]);
  return pack(['client', 'typescript'], { version, folder, file: `millrace-${version}.tgz`, outputs });
}

/** Into the folder that the manifest names, beside the bundles. */
async function clientTypes() {
  const project = inRoot('client', 'typescript', 'tsconfig.build.json');
  const types = inStage('client', 'typescript', 'dist', 'types');
  await succeed([...typeScript, '-p', project, '--outDir', types]);
}

async function packShell(version, folder) {
  const at = ['webview', 'shell'];
  const options = { absWorkingDir: root, bundle: true, minify: true, write: false };
  const { outputFiles } = await build({ ...options, entryPoints: ['webview/main.css'] });
  const { metafile } = await build({
    ...options,
    write: true,
    entryPoints: { index: 'webview/shell/mountDashboard.ts' },
    outdir: path.join(stage, ...at),
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    legalComments: 'eof',
    charset: 'utf8',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"', millraceStyles: JSON.stringify(outputFiles[0].text) },
  });
  const source = await readFile(inRoot(...at, 'mountDashboard.ts'), 'utf8');
  const { outputText } = ts.transpileDeclaration(source, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  await writeFile(inStage(...at, 'index.d.ts'), outputText);
  return pack(at, { version, folder, file: 'shell.tgz', outputs: metafile.outputs });
}

async function packInit(version, folder) {
  await build({
    absWorkingDir: root,
    entryPoints: { main: 'client/init/main.ts' },
    outdir: path.join(stage, 'client', 'init'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.18',
    charset: 'utf8',
  });
  return pack(['client', 'init'], { version, folder, file: 'typescript-init.tgz' });
}

async function packDocs(version, folder) {
  await writeFile(path.join(folder, 'docs.zip'), await agentDocs(version));
  return 'docs.zip';
}

/** The wheel only: nobody asks a server for the sources. */
async function packPython(folder, built) {
  const { wheel } = await packagePythonWith(await built, inStage('client', 'python'));
  const file = path.basename(wheel);
  await cp(wheel, path.join(folder, file));
  return file;
}

/** Adds what every package has beside its bundles, and packs the folder with npm, which gives every file the same time. */
async function pack(at, { version, folder, file, outputs }) {
  const { devDependencies: _, ...manifest } = JSON.parse(await readFile(inRoot(...at, 'package.json'), 'utf8'));
  const files = [...manifest.files];
  if (outputs !== undefined) {
    files.push('THIRD-PARTY-NOTICES.txt');
    const notices = await thirdPartyNotices(outputs, root, inRoot('packaging', 'licences'));
    await writeFile(inStage(...at, 'THIRD-PARTY-NOTICES.txt'), notices);
  }
  await writeFile(inStage(...at, 'package.json'), `${JSON.stringify({ ...manifest, version, files }, undefined, 2)}\n`);
  await cp(inRoot(...at, 'README.md'), inStage(...at, 'README.md'));
  await cp(inRoot('LICENSE'), inStage(...at, 'LICENSE'));
  const flags = ['--ignore-scripts', '--loglevel=error', '--pack-destination', inStage()];
  await succeed([...npm(), 'pack', ...flags], inStage(...at));
  await cp(inStage(`${manifest.name}-${version}.tgz`), path.join(folder, `${file}.tmp`));
  await rename(path.join(folder, `${file}.tmp`), path.join(folder, file));
  return file;
}

async function succeed(command, cwd = root) {
  const { code, output } = await capture(command, { cwd });
  if (code !== 0) throw new Error(`${command.slice(1, 4).join(' ')} failed:\n${output}`);
}
