#!/usr/bin/env -S node --initial-old-space-size=128
import { homedir, platform } from 'node:os';
import { fileURLToPath } from 'node:url';
import { resolve } from 'node:path';
import { pino } from 'pino';
import { MillraceError, errorText } from '../protocol/errors.js';
import { builtinCatalogue } from './components/catalogue.js';
import { nodeFlags } from '../protocol/engineProcess.js';
import { type ServeOptions, engineProgram } from './options.js';
import { startEngine } from './server/engine.js';
import { dataDirectory, makeDataDirectory, readOrCreateKey } from './store/dataDirectory.js';
import { version } from './version.js';

const remoteKeyLength = 32;
const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

async function serve(options: ServeOptions): Promise<void> {
  const directory = dataDirectory(options.dataDir, { env: process.env, platform: platform(), home: homedir() });
  await makeDataDirectory(directory);
  const { keys, origin } = await chooseKeys(options, directory);
  checkRemote(options, keys);
  const engine = await startEngine({
    host: options.host,
    port: options.port,
    keys,
    policy: { hosts: options.allowHost ?? [], origins: options.allowOrigin ?? [] },
    dataDirectory: directory,
    componentsFolder: options.components === undefined ? undefined : resolve(options.components),
    pool: {
      entry: beside('./worker.js'),
      execArgv: ['--disallow-code-generation-from-strings', '--max-semi-space-size=16', ...nodeFlags],
      memoryMb: options.workerMemory,
      warm: options.warm,
      warmSeconds: 60,
    },
    limits: { startMs: 60_000, stallMs: options.stallTimeout * 1000, stopMs: 3_000 },
    dashboardFolders: [beside('./webview'), beside('../../dist/webview')],
    packageFolders:
      options.packages === undefined
        ? [beside('./packages'), beside('../../dist/package')]
        : [resolve(options.packages)],
    version,
    logger: pino({ level: options.logLevel, base: null }, pino.destination({ fd: 2, sync: true })),
    builtin: builtinCatalogue(),
    environment: process.env,
  });
  if (options.json)
    print(
      JSON.stringify({
        event: 'listening',
        url: engine.url,
        port: engine.port,
        version: version.version,
        pid: process.pid,
      }),
    );
  else print(`Millrace ${version.version} listens on ${engine.url}\n${origin}`);
  stopOnSignal(options, engine.dispose);
}

/** In a package what the engine serves lies beside it; in a clone it is where the build puts it. */
function beside(folder: string): string {
  return fileURLToPath(new URL(folder, import.meta.url));
}

/** Keys of the command line, else of the environment, else the one in the data directory. */
async function chooseKeys(
  { apiKey = [] }: ServeOptions,
  directory: string,
): Promise<{ keys: string[]; origin: string }> {
  if (apiKey.length > 0) return { keys: apiKey, origin: 'Clients log in with the keys given by --api-key.' };
  const { MILLRACE_APIKEY: given } = process.env;
  if (given !== undefined && given !== '')
    return { keys: [given], origin: 'Clients log in with the key in MILLRACE_APIKEY.' };
  const { key, path } = await readOrCreateKey(directory);
  return { keys: [key], origin: `Clients log in with the key in ${path}` };
}

function checkRemote({ host, allowRemote }: ServeOptions, keys: readonly string[]): void {
  if (loopback.has(host)) return;
  if (!allowRemote) {
    throw new MillraceError('invalid_argument', `Other machines could reach ${host}`, {
      hint: 'Add --allow-remote if that is what you want, with keys of at least 32 characters.',
    });
  }
  if (keys.some((key) => key.length < remoteKeyLength)) {
    throw new MillraceError(
      'invalid_argument',
      `With --allow-remote every key must have at least ${remoteKeyLength} characters`,
    );
  }
  process.stderr.write(`Warning: other machines can reach this server at ${host}; the connection is not encrypted.\n`);
}

function stopOnSignal({ watchStdin }: ServeOptions, dispose: () => Promise<void>): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    // Whatever hangs must not keep the process alive.
    setTimeout(() => process.exit(1), 8_000).unref();
    dispose().then(
      () => process.exit(0),
      (thrown: unknown) => fail(thrown),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  if (watchStdin) process.stdin.on('end', stop).on('error', stop).resume();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(thrown: unknown): never {
  const hint = thrown instanceof MillraceError ? `\n  → ${thrown.hint}` : '';
  process.stderr.write(`error: ${errorText(thrown)}${hint}\n`);
  process.exit(1);
}

process.on('unhandledRejection', fail);
engineProgram(version.version, serve).parseAsync().catch(fail);
