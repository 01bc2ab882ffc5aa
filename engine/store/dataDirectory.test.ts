import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectories } from '../../test/support/temporaryDirectory.js';
import { dataDirectory, makeDataDirectory, readOrCreateKey, type Surroundings } from './dataDirectory.js';

const temporaryDirectory = temporaryDirectories();

describe('the data directory', () => {
  const linux: Surroundings = { env: {}, platform: 'linux', home: '/people/ada' };

  it('is what the option says, else what MILLRACE_HOME says', () => {
    const surroundings = { ...linux, env: { MILLRACE_HOME: '/srv/data' } };
    expect(dataDirectory('here', surroundings)).toBe(resolve('here'));
    expect(dataDirectory(undefined, surroundings)).toBe(resolve('/srv/data'));
    expect(dataDirectory(undefined, { ...linux, env: { MILLRACE_HOME: '' } })).toBe(
      '/people/ada/.local/share/millrace',
    );
  });

  it.each<[Surroundings, string]>([
    [linux, '/people/ada/.local/share/millrace'],
    [{ ...linux, env: { XDG_DATA_HOME: '/data' } }, '/data/millrace'],
    [{ ...linux, env: { XDG_DATA_HOME: 'relative' } }, '/people/ada/.local/share/millrace'],
    [{ env: {}, platform: 'darwin', home: '/Users/ada' }, '/Users/ada/Library/Application Support/Millrace'],
    [
      { env: { LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' }, platform: 'win32', home: 'C:\\Users\\ada' },
      'C:\\Users\\ada\\AppData\\Local\\Millrace',
    ],
    [{ env: {}, platform: 'win32', home: 'C:\\Users\\ada' }, 'C:\\Users\\ada\\AppData\\Local\\Millrace'],
  ])('of %j is %s', (surroundings, expected) => {
    expect(dataDirectory(undefined, surroundings)).toBe(expected);
  });

  it('is made for the owner of the server only', async () => {
    const directory = join(await temporaryDirectory(), 'a', 'millrace');
    await makeDataDirectory(directory);
    await makeDataDirectory(directory);
    if (process.platform !== 'win32') expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it('that cannot be made says what to do', async () => {
    const blocker = join(await temporaryDirectory(), 'file');
    await writeFile(blocker, '');
    await expect(makeDataDirectory(join(blocker, 'data'))).rejects.toMatchObject({
      code: 'store_failed',
      hint: 'Choose another place with --data-dir or MILLRACE_HOME.',
    });
  });
});

describe('the key', () => {
  it('is made once, of 32 random bytes, for the owner only', async () => {
    const directory = await temporaryDirectory();
    const first = await readOrCreateKey(directory);
    expect(first).toMatchObject({ created: true, path: join(directory, 'api-key') });
    expect(first.key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await readOrCreateKey(directory)).toEqual({ ...first, created: false });
    expect(await readdir(directory)).toEqual(['api-key']);
    if (process.platform !== 'win32') expect((await stat(first.path)).mode & 0o777).toBe(0o600);
    expect((await readOrCreateKey(await temporaryDirectory())).key).not.toBe(first.key);
  });

  it('is the same for servers that start at once', async () => {
    const directory = await temporaryDirectory();
    const keys = await Promise.all(Array.from({ length: 20 }, () => readOrCreateKey(directory)));
    expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
    expect(keys.filter(({ created }) => created)).toHaveLength(1);
    expect(await readdir(directory)).toEqual(['api-key']);
  });

  it('may be one that a person wrote, and is made private', async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, 'api-key');
    await writeFile(path, 'my own key\r\n');
    await chmod(path, 0o644);
    expect(await readOrCreateKey(directory)).toEqual({ key: 'my own key', path, created: false });
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is never empty', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'api-key'), '\n');
    await expect(readOrCreateKey(directory)).rejects.toThrow('is empty. Delete it to have a new key made.');
    expect(await readFile(join(directory, 'api-key'), 'utf8')).toBe('\n');
  });

  it('that cannot be kept says what to do', async () => {
    const missing = join(await temporaryDirectory(), 'missing');
    await expect(readOrCreateKey(missing)).rejects.toMatchObject({
      code: 'store_failed',
      hint: 'Choose another place with --data-dir or MILLRACE_HOME.',
    });
  });
});
