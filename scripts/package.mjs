/**
 * Makes the packages: `npm run package` writes the extension, dist/package/millrace-VERSION.vsix for every platform, and beside
 * it those that servers offer (clientPackages.mjs); a server that runs from this checkout finds them there.
 *
 * All is built in a folder of its own below .cache, so that engines and tests that run from this checkout keep their
 * files. The packer and what it brings are installed on first use, below packaging/ (docs/adr/0019-vsce-apart.md).
 */
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAll } from '../esbuild.mjs';
import { packClients } from './clientPackages.mjs';
import { withLock } from './lock.mjs';
import { thirdPartyNotices } from './notices.mjs';
import { capture, npm, root } from './run.mjs';

const say = (text) => process.stdout.write(`package: ${text}\n`);
const packaging = path.join(root, 'packaging');
const stage = path.join('.cache', 'package');
/** The engine offers what lies here. */
const offered = path.join('engine', 'dist', 'packages');

/** What goes beside the bundles; .vscodeignore then says which files of it are packed. */
const assets = ['CHANGELOG.md', 'LICENSE', '.vscodeignore', 'docs/images', 'docs/problems', 'docs/providers.md'];
const extensionAssets = ['language', 'starters', 'walkthrough'].map((name) => path.join('extension', name));

/** What only the checkout needs: the packed manifest describes the extension and nothing else. */
const forTheCheckout = ['private', 'workspaces', 'scripts', 'devDependencies', 'overrides'];

/**
 * Builds and packs everything.
 * @param {string} [folder] where the packages go, absolute
 * @returns {Promise<string[]>} the packages, absolute, the extension first
 */
export function packageAll(folder = path.join(root, 'dist', 'package')) {
  return inTurn(async () => {
    const extension = await buildExtension(folder);
    const names = await readdir(path.join(root, stage, offered));
    await Promise.all(names.map((name) => cp(path.join(root, stage, offered, name), path.join(folder, name))));
    const engine = await packEngine(folder, extension);
    return [extension, engine, ...names.map((name) => path.join(folder, name))];
  });
}

/**
 * Builds and packs the extension, with the packages that its engine offers inside.
 * @param {{ file?: string }} [options] where the package goes, absolute
 * @returns {Promise<string>} the package, absolute
 */
export function packageExtension({ file } = {}) {
  return inTurn(() => buildExtension(path.join(root, 'dist', 'package'), file));
}

/** The engine for npm: the one of the extension's package, with the dashboard and the extension among what it offers. */
async function packEngine(folder, extension) {
  const at = (...parts) => path.join(root, stage, 'engine', ...parts);
  const { devDependencies: _, ...manifest } = JSON.parse(
    await readFile(path.join(root, 'engine', 'package.json'), 'utf8'),
  );
  const beside = ['LICENSE', 'THIRD-PARTY-NOTICES.txt'];
  manifest.files = [...manifest.files, ...beside];
  await writeFile(at('package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await cp(path.join(root, 'engine', 'README.md'), at('README.md'));
  for (const name of beside) await cp(path.join(root, stage, name), at(name));
  await cp(path.join(root, stage, 'dist', 'webview'), at('dist', 'webview'), { recursive: true });
  await cp(extension, path.join(root, stage, offered, path.basename(extension)));
  const flags = ['--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  await succeed([...npm(), 'pack', ...flags], 'npm could not pack the engine', at());
  return path.join(folder, `${manifest.name}-${manifest.version}.tgz`);
}

async function inTurn(work) {
  await mkdir(path.join(root, '.cache'), { recursive: true });
  return withLock(path.join(root, '.cache', 'package.lock'), say, work);
}

async function buildExtension(folder, file) {
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  const target = file ?? path.join(folder, `millrace-${manifest.version}.vsix`);
  await fillStage(manifest);
  await mkdir(path.dirname(target), { recursive: true });
  await packFolder(path.join(root, stage), target);
  await describeItself(target, `millrace-${manifest.version}.vsix`);
  return target;
}

/** Puts among the packages inside what an installed extension needs to be packed again, for it cannot contain itself. */
async function describeItself(file, fileName) {
  const archive = unzipSync(await readFile(file));
  const description = toPosix(path.join('extension', offered, 'vsix.json'));
  const names = [...Object.keys(archive), description];
  const envelope = names.filter((name) => !name.startsWith('extension/'));
  archive[description] = strToU8(
    JSON.stringify({
      fileName,
      envelope: Object.fromEntries(envelope.map((name) => [name, strFromU8(archive[name])])),
      files: names.filter((name) => name.startsWith('extension/')).map((name) => name.slice('extension/'.length)),
    }),
  );
  await writeFile(file, zipSync(archive, { level: 9, mtime: new Date(1980, 0, 1) }));
}

function toPosix(name) {
  return name.replaceAll(path.sep, '/');
}

async function installPacker() {
  const lock = await readFile(path.join(packaging, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex');
  const stamp = path.join(packaging, 'node_modules', '.millrace-setup');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === hash) return;
  say('installing the packer below packaging/ (npm ci, once)');
  const flags = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  await succeed([...npm(), 'ci', ...flags, '--prefix', packaging], 'the packer could not be installed');
  await writeFile(stamp, hash);
}

async function fillStage(manifest) {
  const folder = path.join(root, stage);
  await rm(folder, { recursive: true, force: true });
  const outputs = await buildAll({ production: true, packed: true, into: stage });
  const notices = await thirdPartyNotices(outputs, root, path.join(packaging, 'licences'));
  await writeFile(path.join(folder, 'THIRD-PARTY-NOTICES.txt'), notices);
  await packClients(path.join(folder, offered));
  for (const name of [...assets, ...extensionAssets]) {
    if (await stat(path.join(root, name)).catch(() => undefined))
      await cp(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  await writeFile(path.join(folder, 'README.md'), await pageOf(manifest));
  const packed = Object.fromEntries(Object.entries(manifest).filter(([key]) => !forTheCheckout.includes(key)));
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(packed, undefined, 2)}\n`);
}

/**
 * The page about the extension. The editor shows pictures on it from public addresses alone; as long as the manifest has
 * no repository to take them from, there are none.
 */
async function pageOf({ repository }) {
  const text = await readFile(path.join(packaging, 'README.md'), 'utf8');
  return repository === undefined ? text.replace(/^!\[.*\]\(.*\)\n\n/gm, '') : text;
}

/**
 * Packs a folder that holds an extension and nothing else.
 * @param {string} folder absolute
 * @param {string} file the package, absolute
 */
export async function packFolder(folder, file) {
  await installPacker();
  const vsce = path.join(packaging, 'node_modules', '@vscode', 'vsce', 'vsce');
  const flags = ['--no-dependencies', '--allow-missing-repository', '--skip-license'];
  const command = [process.execPath, vsce, 'package', ...flags, '--out', file];
  // The same files give the same package, whenever and wherever it is made.
  const env = { ...process.env, SOURCE_DATE_EPOCH: '315532800', TZ: 'UTC' };
  const output = await succeed(command, 'the packer failed', folder, env);
  const warnings = output.split('\n').filter((line) => line.includes('WARNING'));
  for (const warning of warnings) say(warning.trim());
}

async function succeed(command, trouble, cwd = root, env = process.env) {
  const { code, output } = await capture(command, { cwd, env });
  if (code !== 0) throw new Error(`${trouble}:\n${output}`);
  return output;
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const started = Date.now();
    for (const file of await packageAll()) {
      const { size } = await stat(file);
      say(
        `${path.relative(root, file)}, ${size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(2)} MB`}`,
      );
    }
    say(`ready (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    process.stderr.write(`package: ${error.message}\n`);
    process.exitCode = 1;
  }
}
