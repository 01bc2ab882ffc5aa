import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bundle, sha256 } from './bundle.js';
import { install } from './install.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-init-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const guide = '.millrace/docs/guide.md';

function bundle(words: string, targets = [guide, 'AGENTS.md', '.env.example']): Bundle {
  const files = targets.map((target) => {
    const text = `${words} for ${target}\n`;
    const merge = target === guide ? ('file' as const) : ('block' as const);
    return { path: target, sha256: sha256(text), size: text.length, target, merge, text };
  });
  return { version: '1.0.0', hash: words, files };
}

const read = (name: string) => readFile(path.join(folder, name), 'utf8');
const write = async (name: string, text: string) => {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
  await writeFile(path.join(folder, name), text);
};
const run = async (words: string, { check = false, targets = undefined as string[] | undefined } = {}) => {
  const changes = await install(targets === undefined ? bundle(words) : bundle(words, targets), folder, check);
  return changes.map(({ action, file, reason }) => [action, file, ...(reason === undefined ? [] : [reason])].join(' '));
};
/** Names, contents and times of everything. */
async function state() {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(names.sort().map(async (name) => [name, (await stat(path.join(folder, name))).mtimeMs]));
}

describe('the files of a workspace', () => {
  it('are written once, and not again while the bundle is the same', async () => {
    expect(await run('first')).toEqual([`create ${guide}`, 'create AGENTS.md', 'create .env.example']);
    expect(await read(guide)).toBe(`first for ${guide}\n`);
    expect(await read('.env.example')).toMatch(/^# millrace:begin \w+ .*\nfirst for .env.example\n# millrace:end\n$/);
    const before = await state();
    expect(await run('first')).toEqual([]);
    expect(await run('first', { check: true })).toEqual([]);
    expect(await state()).toEqual(before);
  });

  it('are told and not written with check', async () => {
    expect(await run('first', { check: true })).toHaveLength(3);
    expect(await readdir(folder)).toEqual([]);
    await run('first');
    const before = await state();
    expect(await run('second', { check: true })).toEqual([
      `update ${guide}`,
      'update AGENTS.md',
      'update .env.example',
    ]);
    expect(await state()).toEqual(before);
  });

  it('change only between the markers where others write as well, with the line ends that are there', async () => {
    await write('AGENTS.md', '# Mine\r\n\r\nBe kind.');
    await run('first');
    const text = await read('AGENTS.md');
    expect(text.startsWith('# Mine\r\n\r\nBe kind.\r\n\r\n<!-- millrace:begin ')).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    await write('AGENTS.md', `${text}\r\nAnd brief.\r\n`);
    expect(await run('first')).toEqual([]);
    expect(await run('second')).toContain('update AGENTS.md');
    expect(await read('AGENTS.md')).toMatch(
      /^# Mine\r\n\r\nBe kind\.\r\n[^]*second for AGENTS[^]*\r\n\r\nAnd brief\.\r\n$/,
    );
  });

  it('stay as a person changed or removed them', async () => {
    await run('first');
    await write(guide, 'my own words');
    await write('AGENTS.md', (await read('AGENTS.md')).replace('first', 'my'));
    await rm(path.join(folder, '.env.example'));
    expect(await run('second')).toEqual([
      `keep ${guide} you changed it`,
      'keep AGENTS.md you changed our part of it',
      'keep .env.example you removed it',
    ]);
    expect(await read(guide)).toBe('my own words');
    expect(await read('AGENTS.md')).toContain('my for AGENTS.md');
    expect(await run('second')).toHaveLength(3);
  });

  it('stay when they were there before, and when their markers are damaged', async () => {
    await write(guide, 'theirs');
    await write('AGENTS.md', 'text\n<!-- millrace:begin 0123456789ab -->\nmore\n');
    await write('.env.example', Buffer.from([0xff, 0xfe, 0x41, 0]).toString('latin1'));
    expect(await run('first')).toEqual([
      `keep ${guide} it was there before`,
      'keep AGENTS.md its millrace markers are damaged',
      'update .env.example',
    ]);
    expect(await read(guide)).toBe('theirs');
  });

  it('stay when they hold something that is no text, or are no files', async () => {
    await writeFile(path.join(folder, 'AGENTS.md'), Buffer.from([0xff, 0xfe, 0x41, 0]));
    await mkdir(path.join(folder, '.env.example'));
    await write('.millrace/docs', 'a file');
    expect(await run('first')).toEqual([
      expect.stringMatching(/^keep .millrace\/docs\/guide.md it cannot be read/),
      expect.stringMatching(/^keep AGENTS.md it cannot be read/),
      'keep .env.example it is no file',
    ]);
  });

  it('stay when they are read-only, and the others are written all the same', async () => {
    await write('AGENTS.md', '# Mine\n');
    await chmod(path.join(folder, 'AGENTS.md'), 0o444);
    for (const check of [true, false]) {
      expect(await run('first', { check })).toEqual([
        `create ${guide}`,
        'keep AGENTS.md it is read-only',
        'create .env.example',
      ]);
    }
    expect(await read('AGENTS.md')).toBe('# Mine\n');
    await chmod(path.join(folder, 'AGENTS.md'), 0o644);
    expect(await run('first')).toEqual(['update AGENTS.md']);
    await chmod(path.join(folder, 'AGENTS.md'), 0o444);
    // Nothing is to be done to it, so nothing is said.
    expect(await run('first')).toEqual([]);
    expect(await run('first', { targets: [guide, '.env.example'] })).toEqual(['keep AGENTS.md it is read-only']);
    await chmod(path.join(folder, 'AGENTS.md'), 0o644);
    expect(await run('first', { targets: [guide, '.env.example'] })).toEqual(['update AGENTS.md']);
    expect(await read('AGENTS.md')).toBe('# Mine\n');
  });

  it.skipIf(process.platform !== 'linux')('do not hold each other up where one cannot write', async () => {
    // Nobody makes a file there, not even root. What is said in the end is about the record.
    const nowhere = '/sys/kernel';
    await expect(install(bundle('first'), nowhere, false)).rejects.toThrow(
      '.millrace cannot be used here: it cannot be written',
    );
  });

  it('are left alone altogether where there is no folder, or none for what is ours', async () => {
    await expect(install(bundle('first'), path.join(folder, 'none'), false)).rejects.toThrow('There is no folder');
    await writeFile(path.join(folder, '.millrace'), 'a file');
    await expect(run('first')).rejects.toThrow('.millrace cannot be used here');
    expect(await readdir(folder)).toEqual(['.millrace']);
  });

  it('go when the bundle does not have them any more, unless a person changed them', async () => {
    await write('AGENTS.md', '# Mine\n');
    await run('first');
    expect(await run('first', { targets: ['.env.example'] })).toEqual([`remove ${guide}`, 'update AGENTS.md']);
    expect(await read('AGENTS.md')).toBe('# Mine\n');
    await run('first');
    await write(guide, 'mine now');
    expect(await run('first', { targets: ['AGENTS.md', '.env.example'] })).toEqual([]);
    expect(await read(guide)).toBe('mine now');
  });

  it.skipIf(process.platform === 'win32')('are never written through a link that leads out', async () => {
    const outside = await mkdtemp(path.join(tmpdir(), 'millrace-outside-'));
    try {
      await writeFile(path.join(outside, 'AGENTS.md'), 'theirs');
      await mkdir(path.join(folder, '.millrace'));
      await symlink(outside, path.join(folder, '.millrace', 'docs'));
      await symlink(path.join(outside, 'AGENTS.md'), path.join(folder, 'AGENTS.md'));
      await expect(run('first')).resolves.toEqual([
        `keep ${guide} a link leads out of the workspace`,
        'keep AGENTS.md a link leads out of the workspace',
        'create .env.example',
      ]);
      expect(await readdir(outside)).toEqual(['AGENTS.md']);
      expect(await readFile(path.join(outside, 'AGENTS.md'), 'utf8')).toBe('theirs');
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it.skipIf(process.platform === 'win32')('are not made behind a link that leads nowhere', async () => {
    await symlink('nowhere.md', path.join(folder, 'AGENTS.md'));
    expect(await run('first')).toContain('keep AGENTS.md it is a link that leads nowhere');
    expect(await readdir(folder)).not.toContain('nowhere.md');
  });

  it.skipIf(process.platform === 'win32')('are written once where two of them are one by a link', async () => {
    await write('AGENTS.md', 'mine\n');
    await symlink('AGENTS.md', path.join(folder, 'CLAUDE.md'));
    const same = bundle('first', ['AGENTS.md', 'CLAUDE.md']);
    const [first] = same.files;
    const files = same.files.map((file) => ({ ...file, text: first?.text ?? '' }));
    expect(await install({ ...same, files }, folder, false)).toEqual([{ action: 'update', file: 'AGENTS.md' }]);
    expect((await stat(path.join(folder, 'CLAUDE.md'))).isFile()).toBe(true);
    expect((await read('AGENTS.md')).match(/millrace:begin/g)).toHaveLength(1);
  });

  it('are not removed because of a record that somebody forged', async () => {
    await write('precious.txt', 'precious');
    await write(
      '.millrace/installed.json',
      JSON.stringify({ hash: 'x', files: { '../x': 'y', 'precious.txt': sha256('precious') } }),
    );
    await run('first');
    expect(await read('precious.txt')).toBe('precious');
  });
});
