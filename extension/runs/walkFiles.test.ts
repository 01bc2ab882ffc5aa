import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walkFiles } from './walkFiles.js';

let folder: string;
const names = async (chosen: string[], limits?: { files: number; depth: number }) =>
  (await walkFiles(chosen, limits === undefined ? {} : { limits })).map(({ name }) => name);

beforeAll(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'millrace-walk-')), 'letters');
  for (const each of ['b/deep', 'node_modules/x', '.git']) await mkdir(path.join(folder, each), { recursive: true });
  for (const each of ['z.txt', 'a.txt', 'b/c.txt', 'b/deep/d.txt', 'node_modules/x/no.js', '.git/no']) {
    await writeFile(path.join(folder, each), 'x');
  }
});

afterAll(() => rm(path.dirname(folder), { recursive: true, force: true }));

describe('walkFiles', () => {
  it('finds the files of folders by name, and each file once', async () => {
    const all = ['letters/a.txt', 'letters/b/c.txt', 'letters/b/deep/d.txt', 'letters/z.txt'];
    expect(await names([folder])).toEqual(all);
    expect(await names([path.join(folder, 'z.txt'), folder])).toEqual(['z.txt', ...all.slice(0, 3)]);
  });

  it('does not follow a link that leads back to a folder', async () => {
    await symlink(folder, path.join(folder, 'b', 'again'), 'junction');
    expect(await names([folder])).toHaveLength(4);
  });

  it('refuses more files or deeper folders than it may, before anything is sent', async () => {
    await expect(names([folder], { files: 3, depth: 9 })).rejects.toMatchObject({ code: 'too_many' });
    await expect(names([folder], { files: 9, depth: 2 })).rejects.toMatchObject({ code: 'too_many' });
    expect(await names([folder], { files: 4, depth: 3 })).toHaveLength(4);
  });

  it('says which file is not there, and stops when it is cancelled', async () => {
    await expect(names([path.join(folder, 'gone')])).rejects.toThrow(/gone/);
    await expect(walkFiles([folder], { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
  });
});
