import fc from 'fast-check';
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { temporaryDirectories } from '../../test/support/temporaryDirectory.js';
import { FileStore, type FileStoreSession } from './fileStore.js';

const temporaryDirectory = temporaryDirectories();
const keyId = '00aa';

const sessions: FileStoreSession[] = [];
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.dispose()));
});

async function makeStore(): Promise<{ directory: string; store: FileStore; session: FileStoreSession }> {
  const directory = join(await temporaryDirectory(), 'files');
  const store = new FileStore(directory);
  const session = store.session(keyId);
  sessions.push(session);
  return { directory, store, session };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function put(session: FileStoreSession, path: string, ...parts: string[]): Promise<void> {
  const { handle } = await session.open(path, 'w');
  for (const part of parts) await session.write(handle, bytes(part));
  await session.close(handle, 'w');
}

async function get(session: FileStoreSession, path: string): Promise<string> {
  const { handle } = await session.open(path);
  const data = await session.read(handle);
  await session.close(handle, 'r');
  return new TextDecoder().decode(data);
}

describe('writing', () => {
  it('appends, makes the parents, and shows the file once the handle is closed', async () => {
    const { session } = await makeStore();
    const { handle } = await session.open('a/b/c.txt', 'w');
    expect(await session.write(handle, bytes('one '))).toBe(4);
    expect(await session.write(handle, bytes('zwei ä'))).toBe(7);
    expect(await session.stat('a/b/c.txt')).toEqual({ exists: false });
    await session.close(handle, 'w');
    expect(await get(session, 'a/b/c.txt')).toBe('one zwei ä');
    expect(await session.stat('a/b/c.txt')).toMatchObject({ exists: true, type: 'file', size: 11 });
  });

  it('replaces a file only when the handle is closed', async () => {
    const { session } = await makeStore();
    await put(session, 'a', 'a long old content');
    const { handle } = await session.open('a', 'w');
    await session.write(handle, bytes('new'));
    expect(await get(session, 'a')).toBe('a long old content');
    await session.close(handle);
    expect(await get(session, 'a')).toBe('new');
  });

  it('keeps the order of writes that do not wait for each other', async () => {
    const { session } = await makeStore();
    const { handle } = await session.open('a', 'w');
    const digits = Array.from({ length: 30 }, (_, index) => `${index},`);
    await Promise.all([...digits.map((digit) => session.write(handle, bytes(digit))), session.close(handle)]);
    expect(await get(session, 'a')).toBe(digits.join(''));
  });

  it('is for one at a time per path, on any connection', async () => {
    const { store, session } = await makeStore();
    const other = store.session(keyId);
    const [first, second] = await Promise.allSettled([session.open('a/b', 'w'), other.open('a//b', 'w')]);
    expect(second).toMatchObject({ status: 'rejected', reason: { message: 'File already open for writing: a//b' } });
    if (first.status === 'fulfilled') await session.close(first.value.handle);
    await put(other, 'a/b', 'x');
    await put(store.session('ff'), 'a/b', 'of another principal');
    expect(await get(session, 'a/b')).toBe('x');
  });

  it('by two on two paths at once mixes nothing up', async () => {
    const { store, session } = await makeStore();
    const other = store.session(keyId);
    const part = 'x'.repeat(100_000);
    await Promise.all([put(session, 'd/a', part, part), put(other, 'd/b', part)]);
    expect((await session.listDir('d')).map(({ name, size }) => [name, size])).toEqual([
      ['a', 200_000],
      ['b', 100_000],
    ]);
  });

  it('of an empty file is possible', async () => {
    const { session } = await makeStore();
    await put(session, 'empty');
    expect(await get(session, 'empty')).toBe('');
  });

  it('keeps files readable by the owner of the server only', async () => {
    const { directory, session } = await makeStore();
    await put(session, 'd/a', 'x');
    if (process.platform === 'win32') return;
    expect((await stat(join(directory, keyId, 'd', 'a'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, keyId, 'd'))).mode & 0o777).toBe(0o700);
  });
});

describe('reading', () => {
  it('goes piece by piece to an empty end', async () => {
    const { session } = await makeStore();
    await put(session, 'a', '0123456789');
    const { handle, size } = await session.open('a', 'r');
    expect(size).toBe(10);
    const text = async (offset?: unknown, length?: unknown): Promise<string> =>
      new TextDecoder().decode(await session.read(handle, offset, length));
    expect(await text(0, 4)).toBe('0123');
    expect(await text(8, 4)).toBe('89');
    expect(await text(10, 4)).toBe('');
    expect(await text(99)).toBe('');
  });

  it.each([
    [-1, -1],
    ['2', 'all'],
    [1.5, 0],
    [null, Number.MAX_VALUE],
  ])('falls back when asked for offset %j and length %j', async (offset, length) => {
    const { session } = await makeStore();
    await put(session, 'a', '0123');
    const { handle } = await session.open('a');
    expect(await session.read(handle, offset, length)).toHaveLength(4);
  });

  it('gives at most 4 MiB at once', async () => {
    const { session } = await makeStore();
    await put(session, 'big', 'x'.repeat(4 * 1024 * 1024 + 5));
    const { handle } = await session.open('big');
    expect(await session.read(handle, 0, 9_000_000)).toHaveLength(4 * 1024 * 1024);
    expect(await session.read(handle, 4 * 1024 * 1024)).toHaveLength(5);
  });

  it('of what does not exist fails', async () => {
    const { session } = await makeStore();
    await expect(session.open('no/such.txt')).rejects.toMatchObject({
      code: 'file_not_found',
      message: 'File not found: no/such.txt',
    });
    await session.mkdir('d');
    await expect(session.open('d')).rejects.toThrow('Is a directory: d');
    await expect(session.open('d', 'w')).rejects.toThrow('Is a directory: d');
    await expect(session.open('')).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('a handle', () => {
  it('belongs to its connection and its mode', async () => {
    const { store, session } = await makeStore();
    await put(session, 'a', 'x');
    const { handle } = await session.open('a');
    await expect(store.session(keyId).read(handle)).rejects.toThrow('Handle belongs to another connection');
    await expect(store.session('ff').read(handle)).rejects.toThrow(`Invalid handle: ${handle}`);
    await expect(session.write(handle, bytes('x'))).rejects.toThrow(`Wrong handle mode: ${handle}`);
    await expect(session.close(handle, 'w')).rejects.toThrow(`Wrong handle mode: ${handle}`);
    await session.close(handle);
    await expect(session.close(handle)).rejects.toMatchObject({
      code: 'store_failed',
      message: `Invalid handle: ${handle}`,
    });
  });

  it('is one of 64 of a connection', async () => {
    const { store, session } = await makeStore();
    const opened = await Promise.allSettled(Array.from({ length: 70 }, (_, index) => session.open(`f${index}`, 'w')));
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(64);
    expect(opened.at(-1)).toMatchObject({ reason: { code: 'too_many' } });
    await put(store.session(keyId), 'of another connection', 'x');
    await session.dispose();
    await session.dispose();
    expect(await store.session(keyId).listDir()).toHaveLength(65);
  });
});

describe('the end of a connection', () => {
  it('saves what was written and frees the path', async () => {
    const { directory, store, session } = await makeStore();
    await put(session, 'read', 'x');
    await session.open('read');
    const { handle } = await session.open('log', 'w');
    void session.write(handle, bytes('half a line'));
    await session.dispose();
    const next = store.session(keyId);
    expect(await get(next, 'log')).toBe('half a line');
    await put(next, 'log', 'again');
    await expect(session.open('read')).rejects.toMatchObject({ code: 'connection_lost' });
    expect(await readdir(join(directory, '.partial'))).toEqual([]);
  });

  it('closes a handle whose opening it overtook', async () => {
    const { directory, store, session } = await makeStore();
    const opening = session.open('late', 'w');
    await session.dispose();
    await expect(opening).rejects.toMatchObject({ code: 'connection_lost' });
    await put(store.session(keyId), 'late', 'free');
    expect(await readdir(join(directory, '.partial'))).toEqual([]);
  });
});

describe('directories', () => {
  it('list their entries by name, and nothing when absent', async () => {
    const { session } = await makeStore();
    await put(session, 'b.txt', 'xy');
    await put(session, '.templates/t.json', '{}');
    await session.mkdir('a');
    const entries = await session.listDir('');
    expect(entries).toEqual([
      { name: '.templates', type: 'dir', modified: expect.any(Number) },
      { name: 'a', type: 'dir', modified: expect.any(Number) },
      { name: 'b.txt', type: 'file', size: 2, modified: expect.any(Number) },
    ]);
    expect(Math.abs((entries[2]?.modified ?? 0) - Date.now() / 1000)).toBeLessThan(600);
    expect(await session.listDir('absent/too')).toEqual([]);
    await expect(session.listDir('b.txt')).rejects.toThrow('Not a directory: b.txt');
  });

  it('are made with their parents, also twice', async () => {
    const { session } = await makeStore();
    await session.mkdir('a/b/c');
    await session.mkdir('a/b/c');
    expect(await session.stat('a/b/c')).toMatchObject({ exists: true, type: 'dir' });
    await put(session, 'f', 'x');
    await expect(session.mkdir('f')).rejects.toThrow('Already exists: f');
  });

  it('are removed when empty, or with all they hold', async () => {
    const { session } = await makeStore();
    await put(session, 'a/b/c', 'x');
    await expect(session.rmdir('a')).rejects.toThrow('Directory not empty: a');
    await session.rmdir('a', true);
    await session.mkdir('e');
    await session.rmdir('e', false);
    expect(await session.listDir()).toEqual([]);
    await expect(session.rmdir('a')).rejects.toMatchObject({ code: 'file_not_found' });
    await put(session, 'f', 'x');
    await expect(session.rmdir('f', true)).rejects.toThrow('Not a directory: f');
  });

  it.each(['', '.', './/'])('cannot be removed by the path %j', async (path) => {
    const { session } = await makeStore();
    await expect(session.rmdir(path, true)).rejects.toThrow('rmdir requires a non-empty "path" string');
  });

  it('need a boolean to say recursive', async () => {
    const { session } = await makeStore();
    await expect(session.rmdir('a', 'yes')).rejects.toThrow('rmdir "recursive" must be a boolean');
  });
});

describe('files', () => {
  it('are deleted, once', async () => {
    const { session } = await makeStore();
    await put(session, 'a', 'x');
    await session.delete('a');
    await expect(session.delete('a')).rejects.toThrow('File not found: a');
    await session.mkdir('d');
    await expect(session.delete('d')).rejects.toThrow('Is a directory: d');
  });

  it('are renamed, with new parents, but never over another', async () => {
    const { session } = await makeStore();
    await put(session, 'a', 'of a');
    await put(session, 'b', 'of b');
    await expect(session.rename('a', 'b')).rejects.toThrow('Destination already exists: b');
    await session.rename('a', 'new/place/a');
    expect(await get(session, 'new/place/a')).toBe('of a');
    await session.rename('new', 'newer');
    expect(await get(session, 'newer/place/a')).toBe('of a');
    await expect(session.rename('gone', 'x')).rejects.toThrow('File not found: gone');
    await expect(session.rename('newer', 'newer/inside')).rejects.toThrow('Cannot move newer into itself');
  });

  it('renamed by two at once to one name are both still there', async () => {
    const { session } = await makeStore();
    await Promise.all(['a', 'b', 'c'].map((name) => put(session, name, name)));
    const ends = await Promise.allSettled(['a', 'b', 'c'].map((name) => session.rename(name, 'd')));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await session.listDir()).toHaveLength(3);
  });

  it('below a file do not exist', async () => {
    const { session } = await makeStore();
    await put(session, 'f', 'x');
    expect(await session.stat('f/g')).toEqual({ exists: false });
    await expect(session.open('f/g', 'w')).rejects.toThrow('Not a directory: f/g');
  });
});

describe('the walls', () => {
  it('keep principals apart', async () => {
    const { store, session } = await makeStore();
    await put(session, 'mine', 'x');
    const other = store.session('ff');
    expect(await other.listDir()).toEqual([]);
    await expect(other.open('mine')).rejects.toMatchObject({ code: 'file_not_found' });
    expect(() => store.session('../00aa')).toThrow('must be hexadecimal');
  });

  it('keep every operation inside, whatever the path', async () => {
    const { directory, session } = await makeStore();
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'secret'), 'secret');
    const attempts = ['../secret', 'a/../../secret', '/etc/passwd', 'C:\\x', '..\\secret', 'a\0', 'nul', 'a:b'];
    for (const path of attempts) {
      const refusal = { code: 'store_failed' };
      await expect(session.open(path)).rejects.toMatchObject(refusal);
      await expect(session.open(path, 'w')).rejects.toMatchObject(refusal);
      await expect(session.delete(path)).rejects.toMatchObject(refusal);
      await expect(session.listDir(path)).rejects.toMatchObject(refusal);
      await expect(session.mkdir(path)).rejects.toMatchObject(refusal);
      await expect(session.rmdir(path, true)).rejects.toMatchObject(refusal);
      await expect(session.stat(path)).rejects.toMatchObject(refusal);
      await expect(session.rename(path, 'x')).rejects.toMatchObject(refusal);
      await expect(session.rename('x', path)).rejects.toMatchObject(refusal);
    }
    expect(await readFile(join(directory, 'secret'), 'utf8')).toBe('secret');
  });

  it('hold for links that somebody put into the store', async () => {
    const { directory, session } = await makeStore();
    await put(session, 'd/a', 'x');
    await writeFile(join(directory, 'secret'), 'secret');
    const kind = process.platform === 'win32' ? 'junction' : 'dir';
    await symlink(directory, join(directory, keyId, 'out'), kind);
    await symlink(join(directory, keyId, 'd'), join(directory, keyId, 'in'), kind);
    expect(await get(session, 'in/a')).toBe('x');
    expect((await session.listDir()).map(({ name }) => name)).toEqual(['d', 'in']);
    for (const attempt of [
      () => session.open('out/secret'),
      () => session.open('out/new', 'w'),
      () => session.delete('out/secret'),
      () => session.listDir('out'),
      () => session.mkdir('out/new'),
      () => session.rmdir('out', true),
      () => session.rename('d', 'out/d'),
    ]) {
      await expect(attempt()).rejects.toThrow('Path traversal not allowed');
    }
    expect((await readdir(directory)).sort()).toEqual(['.partial', keyId, 'secret']);
  });

  it('hold for any path: nothing appears outside the directory of the principal', async () => {
    const { directory, session } = await makeStore();
    const piece = fc.constantFrom('..', '.', '/', '\\', 'a', 'b', ' ', '~', ':', '\0', '%2e', 'con', 'ä');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
        const path = pieces.join('');
        await put(session, path, 'x').catch(() => session.mkdir(path).catch(() => undefined));
        await session.rename('a', path).catch(() => undefined);
      }),
      { numRuns: 150 },
    );
    const outside = await readdir(join(directory, '..'));
    expect(outside).toEqual(['files']);
    expect((await readdir(directory)).filter((name) => name !== '.partial')).toEqual([keyId]);
    expect(await readdir(join(directory, '.partial'))).toEqual([]);
  });
});

describe('a broken disk', () => {
  it('is told without paths of the server, and the handle can be opened again later', async () => {
    const base = await temporaryDirectory();
    const blocked = join(base, 'files');
    await writeFile(blocked, 'a file where the store should be');
    const session = new FileStore(blocked).session(keyId);
    for (let attempt = 0; attempt < 2; attempt++) {
      const failure: unknown = await session.open('a', 'w').catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ code: 'store_failed' });
      expect(String(failure)).not.toContain(base);
    }
  });

  it('that fails the commit leaves neither a half file nor a locked path', async () => {
    const { directory, session } = await makeStore();
    const { handle } = await session.open('d/a', 'w');
    await session.write(handle, bytes('x'));
    await put(session, 'd', 'a file where the directory should be');
    await expect(session.close(handle)).rejects.toMatchObject({ code: 'store_failed' });
    expect(await readdir(join(directory, '.partial'))).toEqual([]);
    await session.delete('d');
    await put(session, 'd/a', 'now');
    expect(await get(session, 'd/a')).toBe('now');
  });

  it('that fails a write never has the rest take the place of the file', async () => {
    const { directory, session } = await makeStore();
    await put(session, 'a', 'old');
    const { handle } = await session.open('a', 'w');
    await session.write(handle, bytes('new, first half'));
    // Any failure of the system call will do: here it is given something that is no data.
    await expect(session.write(handle, 5 as never)).rejects.toMatchObject({ code: 'store_failed' });
    await expect(session.write(handle, bytes('second half'))).rejects.toThrow('An earlier write failed');
    await expect(session.close(handle)).rejects.toThrow('An earlier write failed, so the file was not saved: a');
    expect(await get(session, 'a')).toBe('old');
    expect(await readdir(join(directory, '.partial'))).toEqual([]);
    await put(session, 'a', 'new');
  });

  it('leaves files that the next start removes', async () => {
    const { directory, store, session } = await makeStore();
    await put(session, 'a', 'x');
    const old = join(directory, '.partial', 'old');
    await writeFile(old, 'x');
    await writeFile(join(directory, '.partial', 'young'), 'x');
    const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 3600;
    await utimes(old, twoDaysAgo, twoDaysAgo);
    await store.removeLeftovers();
    expect(await readdir(join(directory, '.partial'))).toEqual(['young']);
  });
});
