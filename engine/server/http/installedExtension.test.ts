import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findInstalledExtension, packInstalled } from './installedExtension.js';

let folder: string;
let packages: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-installed-'));
  packages = path.join(folder, 'engine', 'dist', 'packages');
  await mkdir(packages, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const description = {
  fileName: 'millrace-1.0.0.vsix',
  envelope: { 'extension.vsixmanifest': '<x/>' },
  files: ['a.js'],
};
const describeAs = (text: string) => writeFile(path.join(packages, 'vsix.json'), text);

describe('an installed extension', () => {
  it('is found by what its package says of itself', async () => {
    expect(findInstalledExtension(packages)).toBeUndefined();
    await describeAs(JSON.stringify(description));
    expect(findInstalledExtension(packages)).toEqual({ kind: 'vscode', ...description, folder });
  });

  it.each([
    ['nothing', ''],
    ['no object', 'null'],
    ['no envelope', JSON.stringify({ ...description, envelope: 'x' })],
    ['a file above', JSON.stringify({ ...description, files: ['a.js', '../secret'] })],
    ['a file above, on the way', JSON.stringify({ ...description, files: ['a/../../secret'] })],
    ['a file anywhere', JSON.stringify({ ...description, files: ['/etc/passwd'] })],
    ['another separator', JSON.stringify({ ...description, files: ['..\\secret'] })],
    ['a name that is none', JSON.stringify({ ...description, fileName: 'x"\r\nset-cookie: y' })],
  ])('is not packed from a description with %s', async (_, text) => {
    await describeAs(text);
    expect(findInstalledExtension(packages)).toBeUndefined();
  });

  it('is packed whole or not at all', async () => {
    await describeAs(JSON.stringify(description));
    const found = findInstalledExtension(packages);
    if (found === undefined) throw new Error('The description was not read.');
    await expect(packInstalled(found)).rejects.toThrow('a.js');
    await writeFile(path.join(folder, 'a.js'), 'one');
    const chunks = [];
    for await (const chunk of await packInstalled(found)) chunks.push(chunk);
    const archive = Buffer.concat(chunks).toString('latin1');
    expect(archive).toContain('extension/a.js');
    expect(archive).toContain('extension.vsixmanifest');
  });
});
