import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { originOf } from './origin.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-origin-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function installed(manifest: unknown, ...below: string[]): Promise<string> {
  const own = path.join(folder, ...below);
  await mkdir(own, { recursive: true });
  await writeFile(path.join(own, 'package.json'), '{ "name": "millrace-init" }');
  await writeFile(
    path.join(folder, 'package.json'),
    typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
  );
  return own;
}

describe('the server a package came from', () => {
  it.each([
    ['npm', ['node_modules', 'millrace-init']],
    ['pnpm', ['node_modules', '.pnpm', 'millrace-init@http+++127.0.0.1', 'node_modules', 'millrace-init']],
  ])('is found in what %s keeps', async (_, below) => {
    const address = 'http://127.0.0.1:5565/client/typescript-init';
    expect(await originOf(await installed({ dependencies: { 'millrace-init': address } }, ...below))).toBe(
      'http://127.0.0.1:5565',
    );
  });

  it('keeps the path that a proxy put before it', async () => {
    const dependencies = { other: '^1.0.0', x: 'https://host/millrace/client/typescript-init?v=2' };
    expect(await originOf(await installed({ devDependencies: dependencies }, 'a'))).toBe('https://host/millrace');
  });

  it.each([
    ['a version', { dependencies: { 'millrace-init': '0.1.0' } }],
    ['a file', { dependencies: { 'millrace-init': 'file:/x/client/typescript-init' } }],
    ['what is no manifest', 'null'],
    ['what is no JSON', '{'],
  ])('is not found in %s', async (_, manifest) => {
    expect(await originOf(await installed(manifest, 'node_modules', 'millrace-init'))).toBeUndefined();
  });
});
