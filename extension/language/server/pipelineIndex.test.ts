import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PipelineIndex } from './pipelineIndex.js';

let folder = '';
const address = (file: string): string => pathToFileURL(path.join(folder, file)).href;
const write = async (file: string, id: string): Promise<void> => {
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), `{ components: [{ id: '${id}', provider: 'parse' }, { id: '' }] }`);
};
const names = async (index: PipelineIndex): Promise<string[]> =>
  [...(await index.files()).values()].flat().map(({ name }) => name);

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-index-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the index of pipelines', () => {
  it('has the components of the pipeline files below its folders, and nothing of packages', async () => {
    await write('a.pipe', 'one');
    await write('deep/er/b.pipe.json5', 'two');
    await write('node_modules/c.pipe', 'three');
    await write('notes.json', 'four');
    const index = new PipelineIndex([pathToFileURL(folder).href, 'untitled:nowhere', 'file:///does/not/exist']);
    expect((await names(index)).sort()).toEqual(['one', 'two']);
  });

  it('follows what is written, made and removed', async () => {
    await write('a.pipe', 'one');
    const index = new PipelineIndex([pathToFileURL(folder).href]);
    // Nothing is read before somebody asks.
    await index.refresh(address('a.pipe'));
    expect(await names(index)).toEqual(['one']);
    await write('a.pipe', 'first');
    await write('b.pipe', 'second');
    await index.refresh(address('a.pipe'));
    await index.refresh(address('b.pipe'));
    await index.refresh(address('notes.json'));
    expect(await names(index)).toEqual(['first', 'second']);
    await rm(path.join(folder, 'a.pipe'));
    await index.refresh(address('a.pipe'));
    expect(await names(index)).toEqual(['second']);
    index.setFolders([]);
    expect(await names(index)).toEqual([]);
  });

  it('leaves out files that nobody writes by hand', async () => {
    await writeFile(path.join(folder, 'large.pipe'), `{ components: [{ id: 'a' }] } // ${'x'.repeat(1024 * 1024)}`);
    expect(await names(new PipelineIndex([pathToFileURL(folder).href]))).toEqual([]);
  });
});
