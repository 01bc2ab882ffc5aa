#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { originOf } from './origin.js';
import { unpack } from './unpack.js';

const timeoutMs = 60_000;
const largest = 50 * 1024 * 1024;

/** Downloads the client of the server that this package came from and runs its `init`, whatever version it has by now. */
async function main(args: readonly string[]): Promise<number> {
  const server = await serverOf(args);
  const archive = await download(`${server}/client/typescript`);
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-init-'));
  try {
    await unpack(archive, folder);
    return await run(path.join(folder, 'dist', 'cli.js'), ['init', ...args, '--uri', server]);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** `--uri`, else where this package came from, else `MILLRACE_URI`. */
async function serverOf(args: readonly string[]): Promise<string> {
  const at = args.findIndex((argument) => argument === '--uri' || argument.startsWith('--uri='));
  const given = args[at]?.startsWith('--uri=') === true ? args[at].slice('--uri='.length) : args[at + 1];
  const server =
    (at < 0 ? undefined : given) ??
    (await originOf(path.dirname(fileURLToPath(import.meta.url)))) ??
    process.env['MILLRACE_URI'];
  if (server === undefined || !/^https?:\/\/[^/]/.test(server)) {
    throw new Error(
      'Which server? Run it as `npx http://HOST:PORT/client/typescript-init`, or add --uri http://HOST:PORT',
    );
  }
  return server.replace(/\/+$/, '');
}

async function download(address: string): Promise<Buffer> {
  let response: Response;
  try {
    response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
  } catch (cause) {
    throw new Error(`${address} cannot be reached. Is the server running?`, { cause });
  }
  if (!response.ok || response.body === null) {
    throw new Error(
      `${address} answers ${response.status}. The server needs its packages: \`npm run package\` builds them.`,
    );
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > largest) throw new Error(`${address} sends too much for a client package`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function run(script: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' });
    // The child is in the same terminal and ends by itself at Ctrl-C; the folder is removed when it has.
    const wait = (): void => undefined;
    process.on('SIGINT', wait);
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = 1;
}
