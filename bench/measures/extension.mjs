import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageExtension, packFolder } from '../../scripts/package.mjs';
import { launchBrowser, newWindow } from '../../test/editor/host/browser.mjs';
import { EditorUnavailable, installEditor } from '../../test/editor/host/install.mjs';
import { EditorServer, installExtensions } from '../../test/editor/host/server.mjs';
import { root } from '../lab.mjs';
import { byTurns, medianOf } from '../rounds.mjs';
import { judge, row } from '../rows.mjs';

const ours = 'millrace.millrace-vscode';
const other = 'millrace.empty';
const first = 'millrace.first';

/** Activation of the packed extension in a real extension host: from the call to its end, the loading of its code included. */
export async function P19(lab) {
  const editor = await editorOrNothing();
  if (editor === undefined) return [];
  const extensions = path.join(await lab.folder(), 'extensions');
  const packages = [await packageExtension({ file: path.join(await lab.folder(), 'millrace.vsix') })];
  for (const [folder, name] of [
    ['emptyExtension', 'first'],
    ['emptyExtension', 'empty'],
    ['activationProbe', 'probe'],
  ])
    packages.push(await packReference(lab, folder, name));
  await installExtensions(editor, extensions, packages);
  const rounds = await activations(editor, extensions, lab.rounds);
  const what = 'activation of the extension in the editor, its code included';
  const cells = row(rounds, {
    ...{ id: 'P19', what, reference: 'an empty extension', floor: 10, goal: 10, atMost: true },
    ...{ value: (ms) => ms, show: (ms) => `${ms.toFixed(1)} ms` },
  });
  const figure = medianOf(rounds, (round) => round.ours);
  const inMilliseconds = judge(figure, { floor: 80, goal: 40, atMost: true, unit: 'ms' });
  return [cells, { ...cells, what: 'the same in milliseconds', ...inMilliseconds, spread: '' }];
}

async function packReference(lab, folder, name) {
  const copy = await lab.folder();
  await cp(path.join(root, 'bench', 'reference', folder), copy, { recursive: true });
  const manifest = JSON.parse(await readFile(path.join(copy, 'package.json'), 'utf8'));
  await writeFile(path.join(copy, 'package.json'), JSON.stringify({ ...manifest, name }));
  const file = path.join(await lab.folder(), `${name}.vsix`);
  await packFolder(copy, file);
  return file;
}

/** Each measurement is a window of its own, and so an extension host of its own, which activates both by turns. */
async function activations(editor, extensions, count) {
  const server = await EditorServer.start(editor, { extensions });
  const browser = await launchBrowser(editor);
  try {
    const folder = path.join(server.folder, 'activations');
    await mkdir(folder);
    let windows = 0;
    const measure = async () => {
      // The first activation of all pays for what every one needs.
      const order = [first, ...(windows % 2 === 0 ? [ours, other] : [other, ours])];
      await writeFile(path.join(folder, 'activate.json'), JSON.stringify(order));
      const page = await newWindow(browser, server);
      await page.goto(server.address({ folder }));
      const times = await lineOf(path.join(folder, 'times.jsonl'), windows++);
      await page.context().close();
      if (times[ours] === null || times[other] === null)
        throw new Error('an extension was active before it was asked to');
      return times;
    };
    const rounds = await byTurns(count, { times: measure });
    return rounds.map(({ times }) => ({ ours: times[ours], other: times[other] }));
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function lineOf(file, at) {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await delay(50)) {
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
    if (lines.length > at + 1) return JSON.parse(lines[at]);
  }
  throw new Error('the editor did not activate the extensions in a minute');
}

async function editorOrNothing() {
  try {
    return await installEditor();
  } catch (error) {
    if (!(error instanceof EditorUnavailable)) throw error;
    process.stdout.write(`SKIPPED: P19 needs the editor: ${error.message}\n`);
  }
}

/** The packed extension with the engine inside, for all platforms. */
export async function P20(lab) {
  const { size } = await stat(await packageExtension({ file: path.join(await lab.folder(), 'millrace.vsix') }));
  const megabytes = size / 1e6;
  const what = 'size of the extension with its engine, for every platform';
  const limits = judge(megabytes, { floor: 12, goal: 5, atMost: true, unit: 'MB' });
  return [{ id: 'P20', what, ours: `${megabytes.toFixed(2)} MB`, reference: '', ...limits, spread: '' }];
}
