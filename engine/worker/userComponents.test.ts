import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Definition } from '../../pipeline/catalogue.js';
import { temporaryDirectories } from '../../test/support/temporaryDirectory.js';
import { builtWorker } from '../../test/support/worker.js';
import { WorkerProcess } from '../tasks/workerProcess.js';
import { ToWorker } from './messages.js';

const options = builtWorker();
const makeDirectory = temporaryDirectories();
const good = (id: string): string =>
  `export const definition = { id: '${id}', title: 'T', lanes: { text: ['text'] } };
   export const component = { start: () => ({ pipe: () => ({}) }) };`;

let worker: WorkerProcess;
beforeAll(() => {
  worker = new WorkerProcess(options());
});
afterAll(() => worker.stop('The tests are over', 1000));

/** Asks a real worker, because that is where these files are loaded. */
async function describeFolder(folder: string): Promise<Definition[]> {
  return JSON.parse((await worker.request(ToWorker.describe, folder)).toString()) as Definition[];
}

async function load(files: Record<string, string>): Promise<Definition[]> {
  const folder = await makeDirectory();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return describeFolder(folder);
}

describe('the components of a folder', () => {
  it('are its module files and the index of its sub-folders, in the order of their names', async () => {
    const found = await load({
      'b.mjs': good('b'),
      'a.mjs': good('a'),
      'c/index.mjs': good('c'),
      'c/other.mjs': 'throw new Error("must not be loaded");',
      'readme.md': '# no',
      'd/data.json': '{}',
    });
    expect(found.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(found[0]).toMatchObject({
      title: 'T',
      lanes: { text: ['text'] },
      description: '',
      capabilities: [],
      control: { takes: {}, offers: [] },
      config: { type: 'object' },
    });
  });

  it.each([
    ['does not parse', 'export const = ;', 'cannot be loaded'],
    ['throws', 'throw new Error("on load");', 'cannot be loaded: on load'],
    ['imports what is not there', 'import "./missing.mjs";', 'cannot be loaded'],
    ['exports nothing', '', 'must export a `definition` with id, title and lanes'],
    [
      'has a definition without lanes',
      'export const definition = { id: "a", title: "A" };',
      'must export a `definition`',
    ],
    [
      'has lanes that are null',
      'export const definition = { id: "a", title: "A", lanes: null };',
      'must export a `definition`',
    ],
    ['has no component', 'export const definition = { id: "a", title: "A", lanes: {} };', 'must export a `component`'],
    [
      'has a component that cannot start',
      'export const definition = { id: "a", title: "A", lanes: {} }; export const component = {};',
      'must export a `component` with a start function',
    ],
  ])('are refused with the name of the file that %s', async (_, text, message) => {
    const loading = load({ 'fine.mjs': good('fine'), 'wrong.mjs': text });
    await expect(loading).rejects.toMatchObject({ code: 'start_failed' });
    await expect(loading).rejects.toThrow(/wrong\.mjs/);
    await expect(loading).rejects.toThrow(message);
  });

  it('cannot be read from a folder that is not there', async () => {
    const folder = join(await makeDirectory(), 'missing');
    await expect(describeFolder(folder)).rejects.toMatchObject({ code: 'start_failed' });
  });

  it('may not share an id', async () => {
    await expect(load({ 'a.mjs': good('same'), 'b.mjs': good('same') })).rejects.toThrow(/same/);
  });
});
