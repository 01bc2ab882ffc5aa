import { fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sampleText } from './job.mjs';
import { Cell, processTree } from './processes.mjs';
import { Session } from './session.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, '..');
export const nodeRedVersion = '4.1.15';

/** Everything that runs: the client, the engines, the reference cells. Made when first asked for, ended by `dispose`. */
export class Lab {
  #cells = new Map();
  #folders = [];
  #client;
  #key = randomBytes(32).toString('hex');

  constructor({ quick }) {
    this.quick = quick;
    this.rounds = quick ? 5 : 7;
    /** Seconds and items of one measurement of throughput. */
    this.load = quick ? { seconds: 0.3, maxItems: 3000 } : { seconds: 0.8, maxItems: 20_000 };
  }

  /** Orders a load from the client's process. */
  run(load, options) {
    this.#client ??= fork(path.join(here, 'client.mjs'));
    const client = this.#client;
    return new Promise((resolve, reject) => {
      client.once('message', ({ result, error }) => (error === undefined ? resolve(result) : reject(new Error(error))));
      client.send({ load, options });
    });
  }

  /** A reference cell that stays. */
  reference(name) {
    return this.#keep(name, () => this.startReference(name));
  }

  async startReference(name) {
    const args = [path.join(here, 'reference', `${name}.mjs`)];
    if (name === 'nodeRed') args.push(await installNodeRed(), await this.folder());
    const cell = await Cell.start(args);
    cell.url = `${name === 'ws' || name === 'hop' ? 'ws' : 'http'}://127.0.0.1:${cell.hello.port}`;
    return cell;
  }

  /** An engine that stays. */
  engine(options) {
    return this.#keep(`engine ${JSON.stringify(options)}`, () => this.startEngine(options));
  }

  /** `warm` is the number of spare workers; `plain` leaves the components of the benchmarks out. */
  async startEngine({ warm = 1, plain = false } = {}) {
    const options = ['--port', '0', '--json', '--watch-stdin', '--warm', String(warm)];
    const folders = ['--data-dir', await this.folder()];
    if (!plain) folders.push('--components', path.join(here, 'components'));
    // As `npm run serve` starts it; protocol/engineProcess.ts says why.
    const flags = ['--initial-old-space-size=128'];
    const cell = await Cell.start(
      [...flags, path.join(root, 'engine', 'dist', 'main.js'), 'serve', ...options, ...folders],
      {
        MILLRACE_APIKEY: this.#key,
      },
    );
    return new Engine(cell, this.#key);
  }

  /** An empty folder that is removed at the end. */
  async folder() {
    const folder = await mkdtemp(path.join(tmpdir(), 'millrace-bench-'));
    this.#folders.push(folder);
    return folder;
  }

  async dispose() {
    this.#client?.disconnect();
    const kept = await Promise.allSettled(this.#cells.values());
    await Promise.all(kept.map(({ value }) => value?.stop()));
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 3 })));
  }

  #keep(name, start) {
    const known = this.#cells.get(name);
    if (known !== undefined) return known;
    const starting = start();
    this.#cells.set(name, starting);
    return starting;
  }
}

/** A running engine and a session that controls it. */
export class Engine {
  #cell;
  #session;
  #tasks = new Map();
  #count = 0;

  constructor(cell, key) {
    this.#cell = cell;
    this.key = key;
    this.pid = cell.pid;
    this.startedMs = cell.startedMs;
    this.http = `http://127.0.0.1:${cell.hello.port}`;
    this.url = `ws://127.0.0.1:${cell.hello.port}/task/service`;
  }

  /** What a client needs to reach a task. */
  target(token) {
    return { url: this.url, key: this.key, token };
  }

  async request(command, args, payload) {
    this.#session ??= Session.open(this.url, this.key, () => undefined);
    return (await this.#session).request(command, args, payload);
  }

  /** A task that stays, by the shape of its pipeline. Gives its token. */
  task(shape, traceLevel) {
    const name = `${shape} ${traceLevel ?? ''}`;
    if (!this.#tasks.has(name)) this.#tasks.set(name, this.start(shape, traceLevel));
    return this.#tasks.get(name);
  }

  async start(shape, traceLevel) {
    const token = `bench-${++this.#count}`;
    const pipeline = { ...(shapes[shape] ?? chain(shape)), source: 'in', project_id: token };
    await this.request('execute', { pipeline, token, threads: 64, ttl: 0, pipelineTraceLevel: traceLevel });
    return token;
  }

  /** One object of text through a task; gives its result. */
  async sendText(token, text = sampleText(2048)) {
    const object = { size: text.length };
    const command = { subcommand: 'send', token, object, mimeType: 'text/plain' };
    const result = await this.request('mrext_process', command, Buffer.from(text));
    if (result.error !== undefined) throw new Error(result.error.message);
    return result;
  }

  terminate(token) {
    return this.request('terminate', { token });
  }

  /** Processes of the server and its workers. */
  pids() {
    return processTree(this.pid);
  }

  async stop() {
    (await this.#session)?.close();
    await this.#cell.stop();
  }
}

const component = (id, provider, from, lane) => ({
  id,
  provider,
  config: {},
  ...(from === undefined ? {} : { input: [{ lane, from }] }),
});
const webhook = component('in', 'webhook');

const shapes = {
  light: {
    components: [
      webhook,
      component('normalise', 'bench_normalise', 'in', 'text'),
      component('split', 'bench_split', 'normalise', 'text'),
      component('count', 'bench_count', 'split', 'json'),
    ],
  },
  sink: { components: [webhook, component('sink', 'bench_sink', 'in', 'tags')] },
  parse: {
    components: [
      webhook,
      component('parse', 'parse', 'in', 'tags'),
      component('out', 'response_text', 'parse', 'text'),
    ],
  },
  chatter: {
    components: [
      webhook,
      component('chatter', 'bench_chatter', 'in', 'text'),
      component('listener', 'bench_listener', 'chatter', 'text'),
    ],
  },
};

/** `pass N`: N components that pass text through, then the response. */
function chain(shape) {
  const count = Number(shape.split(' ')[1]);
  const id = (at) => (at === 0 ? 'in' : `pass_${at}`);
  const passes = Array.from({ length: count }, (_, at) => component(id(at + 1), 'bench_pass', id(at), 'text'));
  return { components: [webhook, ...passes, component('out', 'response_text', id(count), 'text')] };
}

/** Installs Node-RED once, below .cache. Gives the folder of its node_modules. */
async function installNodeRed() {
  const folder = path.join(root, '.cache', 'bench', `node-red-${nodeRedVersion}`);
  const modules = path.join(folder, 'node_modules');
  if (existsSync(path.join(modules, 'node-red', 'package.json'))) return modules;
  process.stdout.write(`Installing node-red@${nodeRedVersion} for comparison into .cache\n`);
  await mkdir(folder, { recursive: true });
  const [command, ...args] = npmCommand();
  const flags = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  const child = spawn(command, [...args, 'install', ...flags, `node-red@${nodeRedVersion}`], { stdio: 'inherit' });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  if (code !== 0) throw new Error(`node-red@${nodeRedVersion} could not be installed (npm ended with ${code})`);
  return modules;
}

/** npm as a script for this Node where it is known, because `npm.cmd` on Windows cannot be started without a shell. */
function npmCommand() {
  const script = process.env.npm_execpath;
  return script !== undefined && /npm-cli\.c?js$/.test(script) ? [process.execPath, script] : ['npm'];
}
