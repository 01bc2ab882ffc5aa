/**
 * Installs an editor that tests can drive: code-server, which is VS Code with its extension host in Node and its window
 * in a browser, from npm packages, below .cache. Nothing is downloaded from anywhere else and no package runs a script
 * of its own; two small native modules are compiled. It does nothing when the editor is there.
 *
 *   node test/editor/host/install.mjs [1.139 | 1.100]
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, cp, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../../scripts/lock.mjs';
import { capture, npm, root } from '../../../scripts/run.mjs';

const say = (text) => process.stdout.write(`editor: ${text}\n`);

/** Each version of VS Code that is tested: the release of code-server that holds it, and the Node that one asks for. */
const releases = {
  1.139: { codeServer: '4.139.1', node: '24.21.0' },
  '1.100': { codeServer: '4.100.3', node: '20.20.2' },
};
export const newest = '1.139';
const nodeGyp = '12.4.0';

/** What is missing cannot be installed here: the tests in the editor are left out then, which is not a failure. */
export class EditorUnavailable extends Error {}

/**
 * Installs the editor on first use, with the Debian packages it needs.
 * @param {string} [version] of VS Code
 * @returns {Promise<{ version: string, node: string, entry: string, chromium: string }>} absolute paths
 * @throws EditorUnavailable when this machine cannot have it
 */
export async function installEditor(version = process.env.MILLRACE_EDITOR ?? newest) {
  const release = releases[version];
  if (!release) throw new Error(`MILLRACE_EDITOR is ${version}; choose from ${Object.keys(releases).join(', ')}`);
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch))
    throw new EditorUnavailable('the editor for tests runs on Linux with x64 or arm64');
  const folder = path.join(root, '.cache', 'editor-host', version);
  await mkdir(folder, { recursive: true });
  await withLock(`${folder}.lock`, say, () => new Installation(folder, version, release).complete());
  return {
    version,
    node: path.join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node'),
    entry: path.join(folder, 'node_modules', 'code-server', 'out', 'node', 'entry.js'),
    chromium: await findChromium(),
  };
}

class Installation {
  constructor(folder, version, release) {
    this.folder = folder;
    this.version = version;
    this.release = release;
    this.modules = path.join(folder, 'node_modules');
    this.nodeHome = path.join(this.modules, `node-linux-${process.arch}`);
    this.vscode = path.join(this.modules, 'code-server', 'lib', 'vscode');
    // Nothing here waits for these modules: optimising them takes longer than all that they do.
    const fast = { CFLAGS: '-O0', CXXFLAGS: '-O0' };
    this.env = {
      ...process.env,
      ...fast,
      PATH: `${path.join(this.nodeHome, 'bin')}${path.delimiter}${process.env.PATH}`,
    };
  }

  async complete() {
    const script = createHash('sha256')
      .update(await readFile(fileURLToPath(import.meta.url)))
      .digest('hex');
    const wanted = JSON.stringify({ ...this.release, nodeGyp, arch: process.arch, script });
    const stamp = path.join(this.folder, 'installed.json');
    const complete = (await readFile(stamp, 'utf8').catch(() => '')) === wanted;
    await this.#debianPackages(complete);
    if (complete) return;
    const started = Date.now();
    say(`installing VS Code ${this.version} for the tests into .cache (once, about a minute)`);
    await rm(this.folder, { recursive: true, force: true });
    await mkdir(this.folder, { recursive: true });
    await this.#packages();
    await this.#nativeModules();
    await this.#links();
    await this.#trim();
    await writeFile(stamp, wanted);
    say(`ready (${Math.round((Date.now() - started) / 1000)} s)`);
  }

  /** The browser always; compilers only before the first use. */
  async #debianPackages(complete) {
    const programs = { 'g++': 'g++', make: 'make', python3: 'python3' };
    if (this.version === '1.100') programs.rg = 'ripgrep';
    const missing = (await findChromium()) ? [] : ['chromium'];
    if (!complete)
      for (const [program, name] of Object.entries(programs)) if (!(await findProgram(program))) missing.push(name);
    if (missing.length === 0) return;
    const isRoot = process.getuid?.() === 0;
    if (!isRoot || !(await findProgram('apt-get')))
      throw new EditorUnavailable(`these programs are missing: ${missing.join(', ')}`);
    say(`installing Debian packages: ${missing.join(' ')}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await capture(['apt-get', 'update', '-qq'], { env });
    const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing];
    const { code, output } = await capture(install, { env });
    if (code !== 0 || !(await findChromium()))
      throw new EditorUnavailable(`apt-get could not install ${missing.join(' ')}: ${output.split('\n').at(-1)}`);
  }

  async #packages() {
    const dependencies = {
      'code-server': this.release.codeServer,
      [`node-linux-${process.arch}`]: this.release.node,
      'node-gyp': nodeGyp,
    };
    await writeFile(
      path.join(this.folder, 'package.json'),
      JSON.stringify({ name: 'millrace-editor-host', private: true, dependencies }),
    );
    // code-server asks for the Node that is only being installed here.
    await this.#npm(this.folder, '--force');
    await this.#npm(this.vscode, '--omit=dev');
    await this.#npm(path.join(this.vscode, 'extensions'), '--omit=dev');
  }

  async #npm(cwd, ...flags) {
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await this.#succeed([...npm(), 'install', ...quiet, ...flags], cwd);
  }

  /** Builds the native modules that the server loads and that do not load as they came. */
  async #nativeModules() {
    const below = (...names) => names.map((name) => path.join(this.vscode, 'node_modules', name));
    await this.#argon2();
    const names = ['@vscode/spdlog', '@vscode/native-watchdog', 'native-watchdog', 'node-pty', '@parcel/watcher'];
    for (const folder of below(...names)) {
      if (!(await exists(folder)) || (await this.#loads(folder))) continue;
      await this.#build(folder);
      await rm(path.join(folder, 'build', 'Release', 'obj.target'), { recursive: true, force: true });
      if (!(await this.#loads(folder))) throw new Error(`${path.basename(folder)} does not load after it was built`);
    }
  }

  /** Older releases look for argon2 where a downloader would have put it. */
  async #argon2() {
    const folder = path.join(this.modules, 'argon2');
    const { binary } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    if (!binary?.module_path) return;
    const target = path.join(folder, 'lib', 'binding', 'napi-v3');
    await this.#build(folder, '--', '-Dmodule_name=argon2', `-Dmodule_path=${target}`, '-Dnapi_build_version=3');
    await rm(path.join(folder, 'build'), { recursive: true, force: true });
  }

  async #build(folder, ...options) {
    say(`compiling ${path.basename(folder)}`);
    const gyp = path.join(this.modules, 'node-gyp', 'bin', 'node-gyp.js');
    // The package of Node brings its headers, so that none are downloaded.
    const flags = ['rebuild', `--nodedir=${this.nodeHome}`, '--jobs=max'];
    await this.#succeed([path.join(this.nodeHome, 'bin', 'node'), gyp, ...flags, ...options], folder);
  }

  async #loads(folder) {
    const node = path.join(this.nodeHome, 'bin', 'node');
    const { code } = await capture([node, '-e', 'require(process.cwd())'], { cwd: folder, env: this.env });
    return code === 0;
  }

  /** What the install script of code-server would do, and the searcher that older releases would download. */
  async #links() {
    const script = await readFile(path.join(this.modules, 'code-server', 'postinstall.sh'), 'utf8');
    const links = {
      'bin/remote-cli/code-server': 'code-linux.sh',
      'bin/helpers/browser.sh': 'browser-linux.sh',
      '../node': path.relative(path.join(this.vscode, '..'), path.join(this.nodeHome, 'bin', 'node')),
      ...(script.includes('node_modules.asar') ? { 'node_modules.asar': 'node_modules' } : {}),
    };
    for (const [name, target] of Object.entries(links)) {
      await rm(path.join(this.vscode, name), { force: true });
      await symlink(target, path.join(this.vscode, name));
    }
    const searcher = path.join(this.vscode, 'node_modules', '@vscode', 'ripgrep');
    if (!(await exists(searcher)) || (await exists(path.join(searcher, 'bin', 'rg')))) return;
    await mkdir(path.join(searcher, 'bin'), { recursive: true });
    await cp(await findProgram('rg'), path.join(searcher, 'bin', 'rg'), { dereference: true });
  }

  /** Leaves out what a test never uses: half of the size. */
  async #trim() {
    const modules = path.join(this.vscode, 'node_modules');
    const useless = [
      ...(await namesIn(path.join(modules, '@github'), /^copilot/)),
      ...(await namesIn(path.join(modules, '@microsoft'), /^mxc-sdk$/)),
      ...(await namesIn(path.join(modules, '@vscode'), /^windows-/)),
      ...(await namesIn(path.join(modules, '@vscode', 'ripgrep-universal', 'bin'), foreign)),
      ...(await namesIn(path.join(modules, 'node-pty', 'prebuilds'), foreign)),
      ...(await namesIn(path.join(this.vscode, 'extensions'), /^(copilot|mermaid-markdown-features)$/)),
      ...(await namesIn(this.nodeHome, /^(share|include)$/)),
      path.join(this.modules, 'node-gyp'),
    ];
    await Promise.all(useless.map((name) => rm(name, { recursive: true, force: true })));
  }

  async #succeed(command, cwd) {
    const { code, output } = await capture(command, { cwd, env: this.env });
    if (code !== 0) throw new Error(`${command.slice(1, 3).join(' ')} failed in ${cwd}:\n${output.slice(-4000)}`);
  }
}

const foreign = { test: (name) => name !== `linux-${process.arch}` };

async function namesIn(folder, pattern) {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => pattern.test(name)).map((name) => path.join(folder, name));
}

async function exists(file) {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

/** MILLRACE_CHROMIUM, or what the PATH has. */
async function findChromium() {
  const given = process.env.MILLRACE_CHROMIUM;
  if (given) return given;
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    const found = await findProgram(name);
    if (found) return found;
  }
}

async function findProgram(name) {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    const file = path.join(folder, name);
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return file;
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const { entry } = await installEditor(process.argv[2]);
    say(`VS Code is in ${path.relative(root, entry)}`);
  } catch (error) {
    process.stderr.write(`editor: ${error.message}\n`);
    process.exitCode = 1;
  }
}
