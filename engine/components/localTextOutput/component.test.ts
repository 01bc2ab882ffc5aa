import { mkdtemp, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectInfo } from '../../runtime/component.js';
import { openComponent, runComponent } from '../testing.js';
import { component } from './component.js';
import { localTextOutputDefinition } from './definition.js';
import { relativeTextPath } from './relativePath.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('local-text-output', () => {
  it('writes the joined text of an object below the folder, which it makes', async () => {
    const storePath = path.join(folder, 'made', 'here');
    await output({ storePath }, ['Zeile ', 'eins'], { name: 'a/b/report.pdf', path: 'a/b' });
    expect(await readFile(path.join(storePath, 'a', 'b', 'report.txt'), 'utf8')).toBe('Zeile eins');
  });

  it('writes nothing for an object without text', async () => {
    await output({ storePath: folder }, ['']);
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves out the start of the path that is excluded, and warns about other paths', async () => {
    const parameters = { storePath: folder, exclude: '/data/in' };
    await output(parameters, ['x'], { name: '/data/in/sub/a.md' });
    expect(await readFile(path.join(folder, 'sub', 'a.txt'), 'utf8')).toBe('x');
    const { warnings } = await output(parameters, ['x'], { name: '/data/inside/a.md' });
    expect(warnings).toEqual([expect.stringContaining('"/data/inside/a.md" was not written')]);
  });

  it('refuses a path that leads out of the folder', async () => {
    const { warnings } = await output({ storePath: path.join(folder, 'in') }, ['x'], { name: '../../evil.txt' });
    expect(warnings).toEqual([expect.stringContaining('leads out of the folder')]);
    expect(await readdir(folder)).toEqual(['in']);
  });

  it.skipIf(process.platform === 'win32')('refuses a link that leads out of the folder', async () => {
    const inside = path.join(folder, 'in');
    await mkdir(inside);
    await writeFile(path.join(folder, 'precious.txt'), 'kept');
    await symlink(folder, path.join(inside, 'out'));
    await symlink(path.join(folder, 'precious.txt'), path.join(inside, 'precious.txt'));
    for (const name of ['out/a.txt', 'precious.txt']) {
      const { warnings } = await output({ storePath: inside }, ['x'], { name });
      expect(warnings).toEqual([expect.stringContaining('is a link')]);
    }
    expect(await readFile(path.join(folder, 'precious.txt'), 'utf8')).toBe('kept');
    expect((await readdir(folder)).sort()).toEqual(['in', 'precious.txt']);
  });

  it.each([{}, { parameters: {} }, { parameters: { storePath: ' ' } }])('does not start with %j', async (config) => {
    await expect(openComponent(component, localTextOutputDefinition, config)).rejects.toThrow(
      'No output folder is set',
    );
  });

  it('does not make a folder named after a variable without a value', async () => {
    const parameters = { storePath: path.join(folder, '${MILLRACE_OUTPUT}') };
    await expect(openComponent(component, localTextOutputDefinition, { parameters })).rejects.toThrow(
      'MILLRACE_OUTPUT',
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('does not start when the folder cannot be made', async () => {
    await writeFile(path.join(folder, 'file'), '');
    const parameters = { storePath: path.join(folder, 'file', 'below') };
    await expect(openComponent(component, localTextOutputDefinition, { parameters })).rejects.toThrow('cannot be used');
  });
});

describe('the path of a text file', () => {
  it.each([
    ['report.tar.gz', 'N/A', 'report.tar.txt'],
    ['.env', 'N/A', '.env.txt'],
    ['C:\\data\\a.doc', 'N/A', 'C_/data/a.txt'],
    ['C:\\data\\a.doc', 'C:\\data', 'a.txt'],
    ['/data/a', '/data/', 'a.txt'],
    ['con.pdf', '', '_con.txt'],
    ['a:b?.txt', '', 'a_b_.txt'],
    ['a/./b.x', '', 'a/b.txt'],
    ['dots../b', '', 'dots._/b.txt'],
  ])('%s without %s is %s', (objectPath, exclude, expected) => {
    expect(relativeTextPath(objectPath, exclude)).toBe(expected);
  });

  it.each([
    ['a/../b', ''],
    ['..', ''],
    ['', ''],
    ['/data', '/data'],
    ['/data/../etc/x', '/data'],
  ])('%s without %s is refused', (objectPath, exclude) => {
    expect(relativeTextPath(objectPath, exclude)).toBeUndefined();
  });
});

function output(parameters: Record<string, unknown>, items: string[], object: Partial<ObjectInfo> = {}) {
  return runComponent(component, localTextOutputDefinition, { parameters }, { lane: 'text', items }, { object });
}
