import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** An editor that asks nothing, fetches nothing and looks the same every time. */
const quietSettings = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'workbench.startupEditor': 'none',
  // Older editors ask in a dialog before anything else; the page about trust is the same in all.
  'security.workspace.trust.startupPrompt': 'never',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.editor.useModal': 'off',
  'window.commandCenter': false,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'git.enabled': false,
  'files.autoSave': 'off',
  // The text of a terminal is in the page then, not only drawn.
  'terminal.integrated.gpuAcceleration': 'off',
};

/** What this process was started with and an editor must not see. */
const foreign = /^(VSCODE_|ELECTRON_|NODE_OPTIONS$|CODE_SERVER_|MILLRACE_|VITEST|PORT$|PASSWORD$|DISPLAY$)/;

/** Installs packages into a new extensions folder, which any number of servers may use. */
export async function installExtensions(installation, extensions, packages) {
  const work = await mkdtemp(path.join(tmpdir(), 'millrace-install-'));
  try {
    for (const file of packages) {
      const folders = ['--user-data-dir', path.join(work, 'data'), '--extensions-dir', extensions];
      const args = ['--config', path.join(work, 'config.yaml'), ...folders, '--install-extension', file, '--force'];
      await promisify(execFile)(installation.node, [installation.entry, ...args], { cwd: work, env: ownEnv(work) });
    }
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A running editor server. Everything that it writes lies below `folder`, which `stop` removes. */
export class EditorServer {
  constructor(child, folder, url) {
    this.child = child;
    this.pid = child.pid;
    this.folder = folder;
    this.url = url;
    this.settingsFile = settingsIn(folder);
  }

  /**
   * @param {import('./install.mjs').Installation} installation
   * @param {{ extensions?: string, settings?: object, trust?: boolean, env?: object }} options `extensions` was filled by
   *   installExtensions; `trust` has the editor ask whether a folder is trusted, as it does for people
   */
  static async start(installation, { extensions, settings = {}, trust = false, env = {} }) {
    // A short path: sockets below it may have 107 characters.
    const folder = await mkdtemp(path.join(tmpdir(), 'mre-'));
    await mkdir(path.dirname(settingsIn(folder)), { recursive: true });
    const all = { ...quietSettings, 'security.workspace.trust.enabled': trust, ...settings };
    await writeFile(settingsIn(folder), JSON.stringify(all, undefined, 2));
    // The server keeps its list of extensions beside them, so each gets a list of its own.
    if (extensions) await cp(extensions, path.join(folder, 'extensions'), { recursive: true });
    const args = [
      ...['--auth', 'none', '--bind-addr', '127.0.0.1:0', '--config', path.join(folder, 'config.yaml')],
      ...['--user-data-dir', path.join(folder, 'data'), '--extensions-dir', path.join(folder, 'extensions')],
      ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
      ...['--ignore-last-opened', ...(trust ? [] : ['--disable-workspace-trust'])],
    ];
    const child = spawn(installation.node, [installation.entry, ...args], {
      // A group of its own, which is ended as one.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: folder,
      env: { ...ownEnv(folder), ...env },
    });
    try {
      return new EditorServer(child, folder, await listening(child));
    } catch (error) {
      await endGroup(child);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      throw error;
    }
  }

  /** The address of a window on a folder or a `.code-workspace` file; without one, a window with neither. */
  address({ folder, workspace } = {}) {
    const url = new URL(this.url);
    if (folder) url.searchParams.set('folder', folder);
    else if (workspace) url.searchParams.set('workspace', workspace);
    else url.searchParams.set('ew', 'true');
    return url.href;
  }

  /** What the editor and its extensions have logged, the last part of each file. */
  async logs() {
    const logs = path.join(this.folder, 'data', 'logs');
    const names = (await readdir(logs, { recursive: true })).filter((name) => name.endsWith('.log'));
    const texts = await Promise.all(names.map((name) => readFile(path.join(logs, name), 'utf8').catch(() => '')));
    return names.map((name, at) => `--- ${name}\n${texts[at].slice(-4000)}`).join('\n');
  }

  async stop() {
    await endGroup(this.child);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const settingsIn = (folder) => path.join(folder, 'data', 'User', 'settings.json');

function ownEnv(folder) {
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const own = Object.fromEntries(
    ['CONFIG_HOME', 'DATA_HOME', 'CACHE_HOME', 'RUNTIME_DIR'].map((name) => [`XDG_${name}`, path.join(folder, 'xdg')]),
  );
  return { ...Object.fromEntries(kept), HOME: folder, ...own };
}

function listening(child) {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why) => reject(new Error(`the editor's server ${why}:\n${output}`));
    const timer = setTimeout(() => fail('did not start in a minute'), 60_000);
    child.once('error', reject);
    child.once('exit', (code) => fail(`ended with ${code}`));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output = `${output}${text}`.slice(-10_000);
        const address = /HTTP server listening on (http:\/\/[^\s/]+)/.exec(output)?.[1];
        if (address) resolve(address);
        if (address) clearTimeout(timer);
      });
    }
  });
}

async function endGroup(child) {
  const gone = new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', resolve);
  });
  const signal = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch {
      // Nobody of the group is left.
    }
  };
  signal('SIGTERM');
  const timer = setTimeout(() => signal('SIGKILL'), 3000);
  await gone;
  clearTimeout(timer);
  signal('SIGKILL');
}
