import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpack } from './unpack.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-unpack-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Entry {
  name: string;
  text?: string;
  kind?: string;
  size?: string;
  prefix?: string;
}

function archive(...entries: Entry[]): Buffer {
  const blocks = entries.flatMap(({ name, text = '', kind = '0', size, prefix = '' }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(size ?? `${text.length.toString(8).padStart(11, '0')} `, 124);
    header.write(kind, 156);
    header.write('ustar\0', 257);
    header.write(prefix, 345);
    return [header, Buffer.concat([Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)])];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

describe('the package of the client', () => {
  it('is unpacked without its first folder', async () => {
    const long = { name: 'types/index.d.ts', prefix: 'package/dist', text: 'export {};' };
    await unpack(
      archive({ name: 'package/', kind: '5' }, { name: 'package/dist/cli.js', text: 'x'.repeat(600) }, long),
      folder,
    );
    expect((await readdir(folder, { recursive: true })).filter((name) => name.includes('.')).sort()).toEqual([
      path.join('dist', 'cli.js'),
      path.join('dist', 'types', 'index.d.ts'),
    ]);
    expect(await readFile(path.join(folder, 'dist', 'cli.js'), 'utf8')).toBe('x'.repeat(600));
  });

  it.each<[string, Entry]>([
    ['a name that leads out', { name: 'package/../../evil.js' }],
    ['an absolute name', { name: '/etc/evil.js' }],
    ['a name with a backslash', { name: 'package/..\\evil.js' }],
    ['a drive', { name: 'package/C:/evil.js' }],
    ['another first folder', { name: 'other/cli.js' }],
    ['no name', { name: 'package/' }],
    ['a symbolic link', { name: 'package/link', kind: '2' }],
    ['a hard link', { name: 'package/link', kind: '1' }],
    ['a device', { name: 'package/device', kind: '3' }],
    ['a size beyond its end', { name: 'package/a.js', size: '77777777777 ' }],
    ['a size that is none', { name: 'package/a.js', size: 'many' }],
  ])('is refused with %s', async (_, entry) => {
    await expect(unpack(archive(entry), folder)).rejects.toThrow('not as npm packs it');
    expect(await readdir(folder)).toEqual([]);
  });

  it('is refused when it is no archive', async () => {
    await expect(unpack(Buffer.from('<html>'), folder)).rejects.toThrow('not as npm packs it');
  });
});
