/**
 * Runs the tests, then those in the real editor (test/editor). Arguments go to vitest: `npm test -- pipeline/structure.test.ts`
 * runs that file, `npm test -- test/editor` only the tests in the editor. The last line printed is the sum:
 * `N passed, N failed`, with `, N skipped` after it when some were.
 *
 * MILLRACE_EDITOR chooses the version of VS Code (test/editor/host/install.mjs), `none` leaves the editor out.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root, tool } from './run.mjs';

const args = process.argv.slice(2);
const inEditor = args.some((argument) => argument.startsWith('test/editor'));
const everything = args.length === 0;

/** Each suite runs by itself and answers its counts. */
const suites = [...(inEditor ? [] : [() => vitest()]), ...(inEditor || everything ? [editor] : [])];
/** Bringing it takes a minute the first time, most of it waiting, while the other tests run. */
const withoutEditor = suites.includes(editor) ? prepareEditor() : undefined;

/** The packed extension in a real editor, where this machine can have one. */
async function editor() {
  return (await withoutEditor) ?? vitest(['--config', path.join('test', 'editor', 'vitest.config.ts')]);
}

/** Brings the editor, and answers the counts that stand for its tests when there can be none. */
async function prepareEditor() {
  const leftOut = (why) => {
    process.stdout.write(`\nSKIPPED: the tests in the real editor: ${why}\n`);
    return { passed: 0, failed: 0, skipped: 1 };
  };
  if (process.env.MILLRACE_EDITOR === 'none') return leftOut('MILLRACE_EDITOR is none');
  const { EditorUnavailable, installEditor } = await import('../test/editor/host/install.mjs');
  try {
    await installEditor();
  } catch (error) {
    if (error instanceof EditorUnavailable) return leftOut(error.message);
    process.stdout.write(`\n${error.message}\n`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  return undefined;
}

async function vitest(more = []) {
  const report = path.join(root, '.cache', `vitest-${process.pid}.json`);
  mkdirSync(path.dirname(report), { recursive: true });
  const code = await show([
    ...tool('vitest', 'vitest.mjs'),
    ...['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ...more,
    ...args,
  ]);
  const results = readReport(report);
  rmSync(report, { force: true });
  const count = (...statuses) => results.flat().filter((status) => statuses.includes(status)).length;
  const passed = count('passed');
  const skipped = count('skipped', 'pending', 'todo', 'disabled');
  // A file that could not be loaded has no tests of its own, and still it failed.
  const failed = count('failed', 'file');
  return { passed, skipped, failed: code !== 0 && failed === 0 ? 1 : failed };
}

/** The statuses of every test, a list per file; `file` stands for one that failed outside its tests. */
function readReport(file) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
  return report.testResults.map(({ status, assertionResults }) => {
    const statuses = assertionResults.map((test) => test.status);
    return status === 'failed' && !statuses.includes('failed') ? [...statuses, 'file'] : statuses;
  });
}

function show([command, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const suite of suites) {
  const counts = await suite();
  for (const key of Object.keys(sum)) sum[key] += counts[key];
}
const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : '';
process.stdout.write(`\n${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
process.exitCode = sum.failed === 0 ? 0 : 1;
