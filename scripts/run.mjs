import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** A tool's script below node_modules: started with this Node, it needs neither a shell nor a PATH. */
export const tool = (...parts) => [process.execPath, path.join(root, 'node_modules', ...parts)];

/** The compiler in native code, for all but the linter and scripts that read types: they need the interface of version 6. */
export const typeScript = tool('typescript-native', 'bin', 'tsc');

/** npm as a script for this Node, because `npm.cmd` on Windows cannot be started without a shell. */
export function npm() {
  const bin = path.dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath,
    path.join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    path.join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  const script = candidates.find((file) => file && /npm-cli\.c?js$/.test(file) && existsSync(file));
  if (script) return [process.execPath, script];
  if (process.platform !== 'win32') return ['npm'];
  throw new Error('npm was not found beside Node. Run this through npm');
}

/** Runs a command, in the repository where no folder is given; resolves with its exit code and all that it printed. */
export function capture([command, ...args], { cwd = root, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8').trim() }));
  });
}

/**
 * Runs the named checks, `width` at a time, prints one line for each and the output of those that fail.
 * Resolves with whether all succeeded.
 */
export async function runChecks(checks, width) {
  const waiting = [...checks];
  let good = true;
  const lane = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const started = Date.now();
      const { code, output } = await capture(check.command);
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${check.name} (${seconds} s)\n`);
      if (code === 0) continue;
      process.stdout.write(`${output}\n\n`);
      good = false;
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return good;
}
