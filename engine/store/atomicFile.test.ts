import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectories } from '../../test/support/temporaryDirectory.js';
import { writeAtomic } from './atomicFile.js';

const temporaryDirectory = temporaryDirectories();

describe('an atomic write', () => {
  it('replaces a file, readable by its owner only, and leaves nothing beside it', async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, 'a.json');
    await writeFile(path, 'old');
    await writeAtomic(path, 'new');
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readdir(directory)).toEqual(['a.json']);
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('by many at once leaves the whole content of one of them', async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, 'a');
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(50_000));
    await Promise.all(contents.map((content) => writeAtomic(path, content)));
    expect(contents).toContain(await readFile(path, 'utf8'));
    expect(await readdir(directory)).toEqual(['a']);
  });

  it('that fails keeps the target and removes its own file', async () => {
    const directory = await temporaryDirectory();
    const target = join(directory, 'target');
    await mkdir(join(target, 'inside'), { recursive: true });
    await expect(writeAtomic(target, 'x')).rejects.toThrow();
    await expect(writeAtomic(join(directory, 'missing', 'a'), 'x')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(directory)).toEqual(['target']);
  });
});
