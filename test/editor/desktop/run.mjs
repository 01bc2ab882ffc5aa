/**
 * Runs the first minute in a desktop VS Code that is there already. Nothing is downloaded.
 *
 *   MILLRACE_DESKTOP=/usr/share/code/code node test/editor/desktop/run.mjs
 *
 * The program is Code itself, not the script `code` that starts it and goes. On a Linux without a screen put `xvfb-run -a`
 * before node. The last line is the sum; the exit code is 0 when everything passed.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageExtension } from '../../../scripts/package.mjs';
import { root } from '../../../scripts/run.mjs';

const program = process.env.MILLRACE_DESKTOP;
if (!program) {
  process.stderr.write('Set MILLRACE_DESKTOP to the program of a desktop VS Code, for example /usr/share/code/code\n');
  process.exit(2);
}

const work = await mkdtemp(path.join(tmpdir(), 'mrd-'));
try {
  await packageExtension();
  const folder = path.join(work, 'workspace');
  await mkdir(folder);
  await cp(path.join(root, 'extension', 'starters', 'echo.pipe.json5'), path.join(folder, 'echo.pipe.json5'));
  await writeFile(path.join(folder, 'letter.txt'), 'Good morning from the desktop');
  const code = await run([
    folder,
    `--extensionDevelopmentPath=${path.join(root, '.cache', 'package')}`,
    `--extensionTestsPath=${path.join(import.meta.dirname, 'suite.cjs')}`,
    `--user-data-dir=${path.join(work, 'data')}`,
    `--extensions-dir=${path.join(work, 'extensions')}`,
    ...['--disable-workspace-trust', '--disable-updates', '--skip-welcome', '--skip-release-notes'],
    ...['--no-sandbox', '--disable-gpu-sandbox'],
  ]);
  const results = await readFile(path.join(folder, 'results.txt'), 'utf8').catch(() => '');
  const count = (word) => results.split('\n').filter((line) => line.startsWith(word)).length;
  const passed = count('passed');
  // An editor that ended without a word has failed as well.
  const failed = Math.max(count('failed'), code === 0 && passed > 0 ? 0 : 1);
  process.stdout.write(`\n${results}\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function run(args) {
  // A desktop that was started from another one would join it.
  const kept = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_RUN_AS_NODE$)/.test(name));
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: Object.fromEntries(kept) });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
