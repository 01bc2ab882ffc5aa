import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Feed, FeedEntry, TaskContext } from '../../runtime/component.js';
import { component } from './component.js';
import type { FilesysConfig } from './definition.js';

const noLinks = process.platform === 'win32';
let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'millrace-')));
  await mkdir(path.join(root, 'sub', 'deep'), { recursive: true });
  await write('a.txt', 'A');
  await write('b.pdf', 'BB');
  await write(path.join('sub', 'c.txt'), 'CCC');
  await write(path.join('sub', 'deep', '.d (1).txt'), '');
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

describe('filesys', () => {
  it('reads a folder with everything below it, in order, and then ends', async () => {
    const run = await read({ include: [{ path: root }] });
    expect(run.files).toEqual(['a.txt=A', 'b.pdf=BB', 'sub/c.txt=CCC', 'sub/deep/.d (1).txt=']);
    expect(run.warnings).toEqual([]);
  });

  it('tells name, URL, type and size of each file', async () => {
    const { entries } = await read({ include: [{ path: path.join(root, 'a.txt') }] });
    expect(entries).toEqual([
      {
        name: path.join(root, 'a.txt').replaceAll('\\', '/'),
        url: expect.stringMatching(/^file:\/\/\/.*a\.txt$/),
        mimeType: 'application/octet-stream',
        size: 1,
        properties: { modifyTime: expect.any(Number) },
      },
    ]);
    expect(fileURLToPath(entries[0]?.url ?? '')).toBe(path.join(root, 'a.txt'));
  });

  it.each([
    ['*.txt', ['a.txt=A']],
    ['**/*.txt', ['a.txt=A', 'sub/c.txt=CCC', 'sub/deep/.d (1).txt=']],
    ['s*', ['sub/c.txt=CCC', 'sub/deep/.d (1).txt=']],
    ['*/deep', ['sub/deep/.d (1).txt=']],
    ['?.pdf', ['b.pdf=BB']],
    ['*/deep/.d (1).*', ['sub/deep/.d (1).txt=']],
    ['nothing*', []],
  ])('reads what the pattern %s matches, folders with everything below', async (pattern, files) => {
    expect((await read({ include: [{ path: `${root}/${pattern}` }] })).files).toEqual(files);
  });

  it('leaves out what is excluded, folders with everything below', async () => {
    const config = {
      include: [{ path: root }],
      exclude: [{ path: path.join(root, 'sub') }, { path: `${root}/**/*.pdf` }],
    };
    expect((await read(config)).files).toEqual(['a.txt=A']);
  });

  it('reads a file once when several patterns name it', async () => {
    const config = {
      include: [{ path: `${root}/*.txt` }, { path: path.join(root, 'a.txt') }, { path: `${root}/*.pdf` }],
    };
    expect((await read(config)).files).toEqual(['a.txt=A', 'b.pdf=BB']);
  });

  it('warns about a path that does not exist and goes on', async () => {
    const run = await read({
      include: [{ path: path.join(root, 'missing', '*.txt') }, { path: path.join(root, 'a.txt') }],
    });
    expect(run.files).toEqual(['a.txt=A']);
    expect(run.warnings).toEqual([expect.stringMatching(/missing" does not exist$/)]);
  });

  it.skipIf(noLinks)('leaves links out by default', async () => {
    await symlink(path.join(root, 'a.txt'), path.join(root, 'sub', 'link.txt'));
    await symlink(root, path.join(root, 'sub', 'loop'));
    expect((await read({ include: [{ path: path.join(root, 'sub') }] })).files).toEqual([
      'sub/c.txt=CCC',
      'sub/deep/.d (1).txt=',
    ]);
  });

  it.skipIf(noLinks)('follows links when told to, without running in circles', async () => {
    await symlink(path.join(root, 'a.txt'), path.join(root, 'sub', 'link.txt'));
    await symlink(path.join(root, 'sub'), path.join(root, 'sub', 'loop'));
    await symlink(path.join(root, 'gone'), path.join(root, 'sub', 'dangling'));
    const config = { include: [{ path: path.join(root, 'sub') }], parameters: { excludeSymlinks: false } };
    const run = await read(config);
    expect(run.files).toEqual(['sub/c.txt=CCC', 'sub/deep/.d (1).txt=', 'sub/link.txt=A']);
    expect(run.warnings).toEqual([expect.stringContaining('dangling" was not read')]);
  });

  it('streams a large file in pieces of at most 1 MiB', async () => {
    await writeFile(path.join(root, 'big.bin'), new Uint8Array(2_500_000));
    const { pieces } = await read({ include: [{ path: path.join(root, 'big.bin') }] });
    expect(pieces.reduce((sum, size) => sum + size, 0)).toBe(2_500_000);
    expect(Math.max(...pieces)).toBeLessThanOrEqual(1024 * 1024);
  });

  it('hands over as many files at a time as the task has pipes', async () => {
    const run = await read({ include: [{ path: root }] }, { threads: 2 });
    expect(run.most).toBe(2);
  });

  it('warns about a file that cannot be processed and goes on', async () => {
    const run = await read({ include: [{ path: root }] }, { refuse: 'a.txt' });
    expect(run.files).toEqual(['b.pdf=BB', 'sub/c.txt=CCC', 'sub/deep/.d (1).txt=']);
    expect(run.warnings).toEqual([expect.stringMatching(/a\.txt" was not processed: refused$/)]);
  });

  it('ends when the task stops', async () => {
    const run = await read({ include: [{ path: root }] }, { stopAfter: 1 });
    expect(run.files).toEqual(['a.txt=A']);
  });

  it.each([{}, { include: [] }, { include: [{ path: ' ' }] }])('does not start with %j', (config) => {
    expect(() => component.start({ config } as TaskContext<FilesysConfig>)).toThrow('No files are named');
  });
});

describe('a path with a variable that has no value', () => {
  it('refuses the start and names the variable', () => {
    const config = { include: [{ path: '${MILLRACE_INPUT}/*.pdf' }] };
    expect(() => component.start({ config } as TaskContext<FilesysConfig>)).toThrow(
      'MILLRACE_INPUT, which has no value',
    );
  });
});

interface ReadOptions {
  threads?: number;
  refuse?: string;
  stopAfter?: number;
}

async function read(config: FilesysConfig, { threads = 1, refuse, stopAfter }: ReadOptions = {}) {
  const entries: FeedEntry[] = [];
  const files: string[] = [];
  const pieces: number[] = [];
  const warnings: string[] = [];
  const stop = new AbortController();
  let open = 0;
  let most = 0;
  const feed: Feed = {
    async object(entry, write) {
      open++;
      most = Math.max(most, open);
      const written: Uint8Array[] = [];
      try {
        if (refuse !== undefined && entry.name.endsWith(refuse)) throw new Error('refused');
        await write({
          write(data) {
            pieces.push(data.length);
            written.push(data);
            return Promise.resolve();
          },
        });
      } finally {
        open--;
      }
      entries.push(entry);
      files.push(
        `${path.relative(root, entry.name).replaceAll('\\', '/')}=${Buffer.concat(written).toString().slice(0, 20)}`,
      );
      if (files.length === stopAfter) stop.abort();
    },
  };
  const started = await component.start({
    config,
    signal: stop.signal,
    task: { projectId: '', source: '', args: [], threads },
    warn: (message: string) => warnings.push(message),
  } as unknown as TaskContext<FilesysConfig>);
  await started.run?.(feed);
  return { entries, files, pieces, warnings, most };
}

function write(name: string, content: string): Promise<void> {
  return writeFile(path.join(root, name), content);
}
