/**
 * Brings a checkout to the state the other commands expect: the locked dependencies installed, the bundles built.
 * It needs nothing but Node, does nothing when nothing changed, and two set-ups at once wait for each other.
 *
 *   node scripts/setup.mjs [--no-build]
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { npm, root } from './run.mjs';

const installStamp = path.join(root, 'node_modules', '.millrace-setup');
const buildStamp = path.join(root, '.cache', 'build.json');
const sourceFolders = ['protocol', 'pipeline', 'engine', 'client', 'extension', 'webview', 'examples'];
const sourceFiles = ['esbuild.mjs', 'package-lock.json', 'tsconfig.base.json'];

const say = (text) => process.stdout.write(`setup: ${text}\n`);

function requireNode() {
  const wanted = /\d+\.\d+/.exec(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).engines.node)[0];
  const [major, minor] = wanted.split('.').map(Number);
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  throw new Error(
    `Node ${wanted} or newer is needed, this is ${process.versions.node} (${process.execPath}). ` +
      'Install a current Node from https://nodejs.org and run the command again.',
  );
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** npm's own record of node_modules says that everything the lock file names for this machine is there. */
function installedAsLocked() {
  const locked = readJson(path.join(root, 'package-lock.json')).packages;
  const installed = readJson(path.join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!installed) return false;
  return Object.entries(locked).every(([name, wanted]) => {
    if (name === '') return true;
    const found = installed[name];
    if (!found) return wanted.optional === true && !madeForThisMachine(wanted);
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

function madeForThisMachine({ os, cpu, libc }) {
  // Which C library runs here is npm's business: packages that name one are left to it.
  return !libc && (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch));
}

function lockFileHash() {
  return createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
}

const installIsCurrent = () => readJson(installStamp)?.lockFile === lockFileHash();

async function install() {
  if (!installedAsLocked()) {
    say('installing the locked dependencies (npm ci)');
    const [command, ...args] = npm();
    // A NODE_ENV of production would leave out the tools that build and test.
    await run(command, [...args, 'ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund']);
  }
  writeFileSync(installStamp, JSON.stringify({ lockFile: lockFileHash() }));
}

/** A hash of the names, sizes and times of everything that goes into the bundles. */
function sourcesHash() {
  const hash = createHash('sha256');
  const add = (file) => {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${path.relative(root, file)}\0${size}\0${mtimeMs}\n`);
  };
  const walk = (folder) => {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (['node_modules', 'dist', '.venv', '__pycache__'].includes(entry.name)) continue;
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) walk(file);
      else if (entry.isFile() && !/\.test\.tsx?$/.test(entry.name)) add(file);
    }
  };
  for (const folder of sourceFolders) if (existsSync(path.join(root, folder))) walk(path.join(root, folder));
  for (const file of sourceFiles) add(path.join(root, file));
  return hash.digest('hex');
}

function buildIsCurrent() {
  const last = readJson(buildStamp);
  return last?.sources === sourcesHash() && last.outputs.every((file) => existsSync(path.join(root, file)));
}

async function build() {
  say('building the bundles (esbuild)');
  const sources = sourcesHash();
  // Imported only now: it needs esbuild, which the installation above has just brought.
  const { buildAll } = await import('../esbuild.mjs');
  const outputs = Object.keys(await buildAll());
  writeFileSync(buildStamp, JSON.stringify({ sources, outputs }));
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', shell: false });
    child.on('error', (error) => reject(new Error(`${command} could not be started: ${error.message}`)));
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${path.basename(args[0])} ${args[1] ?? ''} failed (${signal ?? `exit code ${code}`})`));
    });
  });
}

async function setup({ withBuild }) {
  requireNode();
  const ready = () => installIsCurrent() && (!withBuild || buildIsCurrent());
  if (ready()) return;
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  await withLock(path.join(root, '.cache', 'setup.lock'), say, async () => {
    const started = Date.now();
    if (!installIsCurrent()) await install();
    if (withBuild && !buildIsCurrent()) await build();
    say(`ready (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  });
}

setup({ withBuild: !process.argv.includes('--no-build') }).catch((error) => {
  process.stderr.write(`setup: ${error.message}\n`);
  process.exitCode = 1;
});
