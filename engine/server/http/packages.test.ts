import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPackages } from './packages.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-packages-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = (...names: string[]) => Promise.all(names.map((name) => writeFile(path.join(folder, name), name)));
const found = () => findPackages([folder]).map(({ kind, fileName }) => `${kind} ${fileName}`);

describe('the list of packages', () => {
  it('has the files that are named as packages are, and no others', async () => {
    await mkdir(path.join(folder, 'docs.zip'));
    await put('shell.tgz', 'typescript-init.tgz', 'millrace-0.1.0.tgz', 'millrace-0.1.0-py3-none-any.whl', '.secret');
    await put('millrace-engine-0.1.0.tgz', 'millrace-0.1.0.vsix', 'shell.tgz.bak', 'notes.txt', 'key');
    expect(found().sort()).toEqual([
      'python millrace-0.1.0-py3-none-any.whl',
      'shell shell.tgz',
      'typescript millrace-0.1.0.tgz',
      'typescript-init typescript-init.tgz',
      'vscode millrace-0.1.0.vsix',
    ]);
  });

  it('begins with the newest version, whatever the names sort like', async () => {
    await put(...['0.9.0', '0.10.0', '0.10.0-beta.2', '0.10.0-beta.10'].map((version) => `millrace-${version}.tgz`));
    expect(found()).toEqual(
      ['0.10.0', '0.10.0-beta.10', '0.10.0-beta.2', '0.9.0'].map((version) => `typescript millrace-${version}.tgz`),
    );
  });

  it('is that of the first folder that has any', async () => {
    const empty = path.join(folder, 'empty');
    await mkdir(empty);
    await put('docs.zip');
    const missing = path.join(folder, 'missing');
    expect(findPackages([missing, empty, folder])).toEqual([
      { kind: 'docs', fileName: 'docs.zip', file: path.join(folder, 'docs.zip') },
    ]);
    expect(findPackages([missing, empty])).toEqual([]);
  });
});
