import fc from 'fast-check';
import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join, posix, relative, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectories } from '../../test/support/temporaryDirectory.js';
import { parseStorePath, resolveInside } from './paths.js';

const temporaryDirectory = temporaryDirectories();

describe('a path of the store', () => {
  it.each([
    ['', []],
    ['.', []],
    ['a.txt', ['a.txt']],
    ['a/b/c', ['a', 'b', 'c']],
    ['./a//b/', ['a', 'b']],
    ['.templates/x.json', ['.templates', 'x.json']],
    ['.logs/p/web-1.log', ['.logs', 'p', 'web-1.log']],
    ['ä ö/日本/…', ['ä ö', '日本', '…']],
    ['console/null.txt', ['console', 'null.txt']],
  ])('%j has the segments %j', (path, segments) => {
    expect(parseStorePath(path)).toEqual(segments);
  });

  it.each(['..', '../a', 'a/../b', 'a/..', '..\\a', 'a\\..\\..\\b', '/../a'])('%j is a traversal', (path) => {
    expect(() => parseStorePath(path)).toThrow(`Path traversal not allowed: ${path}`);
  });

  it.each([
    '/etc/passwd',
    '//server/share',
    '\\\\server\\share',
    'a\\b',
    'C:/x',
    'c:x',
    'a:stream',
    'a*',
    'a?',
    'a<b',
    'a>b',
    'a|b',
    'a"b',
    'a\0b',
    'a\nb',
    'a\u007fb',
    'a\u0085b',
    'a\ud800b',
    'con',
    'NUL.txt',
    'a/Com1/b',
    'lpt9.x.y',
    'name.',
    'name /x',
    '...',
    'x'.repeat(256),
    'ä'.repeat(200),
    'a/'.repeat(600),
  ])('%j is refused', (path) => {
    expect(() => parseStorePath(path)).toThrow('Invalid path: ');
  });

  it('that is accepted never leaves the root, on any platform', () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '/', '\\', ':', 'C:', '\0', ' ', 'a', '%2e%2e', 'nul', '~', '\u2024\u2024', '．．'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        let segments: string[];
        try {
          segments = parseStorePath(pieces.join(''));
        } catch {
          return;
        }
        for (const platform of [posix, win32]) {
          const root = platform === posix ? '/data/root' : 'D:\\data\\root';
          const path = platform.join(root, ...segments);
          const below = platform.relative(root, path);
          expect(platform.isAbsolute(below)).toBe(false);
          expect(below.split(platform.sep)).not.toContain('..');
          expect(path).toBe([root, ...segments].join(platform.sep));
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a link', () => {
  it('inside the root is followed, one that leaves it or leads nowhere is refused', async () => {
    const base = await realpath(await temporaryDirectory());
    const root = join(base, 'root');
    await mkdir(join(root, 'real'), { recursive: true });
    await mkdir(join(base, 'root-twin'));
    const kind = process.platform === 'win32' ? 'junction' : 'dir';
    await symlink(join(root, 'real'), join(root, 'inner'), kind);
    await symlink(base, join(root, 'outer'), kind);
    await symlink(join(base, 'root-twin'), join(root, 'twin'), kind);
    await symlink(join(base, 'nowhere'), join(root, 'dangling'), kind);
    expect(relative(root, await resolveInside(root, ['inner', 'new', 'file']))).toBe(join('inner', 'new', 'file'));
    for (const name of ['outer', 'twin', 'dangling']) {
      await expect(resolveInside(root, [name])).rejects.toThrow(`Path traversal not allowed: ${name}`);
      await expect(resolveInside(root, [name, 'new', 'file'])).rejects.toThrow('a link leaves the store');
    }
  });
});
