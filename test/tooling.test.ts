import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-tooling-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function finish(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

const node = (...args: string[]) => finish(spawn(process.execPath, args, { cwd: root }));

describe('the lock of the set-up', () => {
  /** A process that, once `together` of its kind have come, adds one to the number in `count` while it holds the lock. */
  function addOne(lock: string, count: string, together: number) {
    const program = `
      import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
      import { setImmediate as turn } from 'node:timers/promises';
      import { withLock } from ${JSON.stringify(pathToFileURL(path.join(root, 'scripts', 'lock.mjs')).href)};
      const present = ${JSON.stringify(`${count}-present`)};
      appendFileSync(present, '.');
      while (statSync(present).size < ${together}) await turn();
      await withLock(${JSON.stringify(lock)}, () => {}, async () => {
        const before = Number(readFileSync(${JSON.stringify(count)}, 'utf8'));
        for (let turns = 0; turns < 5000; turns++) await turn();
        writeFileSync(${JSON.stringify(count)}, String(before + 1));
      });`;
    return node('--input-type=module', '--eval', program);
  }

  it('lets one process after the other work', async () => {
    const lock = path.join(folder, 'lock');
    const count = path.join(folder, 'count');
    await writeFile(count, '0');
    const ends = await Promise.all(Array.from({ length: 4 }, () => addOne(lock, count, 4)));
    expect(ends.map(({ code, output }) => [code, output])).toEqual(Array.from({ length: 4 }, () => [0, '']));
    expect(await readFile(count, 'utf8')).toBe('4');
    expect(existsSync(lock)).toBe(false);
  });

  it('is taken over from a process that died', async () => {
    const gone = spawn(process.execPath, ['--version']);
    await finish(gone);
    const lock = path.join(folder, 'lock');
    const count = path.join(folder, 'count');
    await writeFile(count, '0');
    await writeFile(lock, String(gone.pid));
    expect(await addOne(lock, count, 1)).toEqual({ code: 0, output: '' });
    expect(await readFile(count, 'utf8')).toBe('1');
  });
});

describe('npm test', () => {
  const lastLine = (output: string) => output.trimEnd().split('\n').at(-1);
  const runTests = () => node(path.join('scripts', 'test.mjs'), '--root', folder, '--globals');

  it('closes with the sum and fails when a test or a whole file fails', async () => {
    await writeFile(
      path.join(folder, 'some.test.js'),
      "it('passes', () => {}); it('fails', () => expect(1).toBe(2)); it.skip('is left out', () => {});",
    );
    await writeFile(path.join(folder, 'broken.test.js'), 'throw new Error("not loadable");');
    const { code, output } = await runTests();
    expect(lastLine(output)).toBe('1 passed, 2 failed, 1 skipped');
    expect(code).toBe(1);
  });

  it('succeeds when all tests pass', async () => {
    await writeFile(path.join(folder, 'some.test.js'), "it('passes', () => {});");
    const { code, output } = await runTests();
    expect(lastLine(output)).toBe('1 passed, 0 failed');
    expect(code).toBe(0);
  });

  it('fails when there was nothing to run', async () => {
    const { code, output } = await runTests();
    expect(lastLine(output)).toBe('0 passed, 1 failed');
    expect(code).toBe(1);
  });
});
