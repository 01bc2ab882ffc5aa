import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from '../../scripts/lock.mjs';
import { packageAll } from '../../scripts/package.mjs';

const root = path.resolve(import.meta.dirname, '..', '..');
const cache = path.join(root, '.cache', 'packages');
const folders = [
  'client',
  'docs',
  'engine',
  'extension',
  'live',
  'packaging',
  'pipeline',
  'protocol',
  'scripts',
  'webview',
];
const files = ['CHANGELOG.md', 'LICENSE', '.vscodeignore', 'esbuild.mjs', 'package.json', 'package-lock.json'];
const skipped = new Set(['node_modules', 'dist', '.venv', '__pycache__']);

/** The folder of what `npm run package` makes, made anew when a source changed; the files of a test run share it. */
export async function builtPackages(): Promise<string> {
  await mkdir(cache, { recursive: true });
  const folder = path.join(cache, 'packages');
  await withLock(path.join(cache, 'lock'), say, async () => {
    const stamp = path.join(cache, 'stamp');
    const wanted = await hashOfSources();
    if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
    await rm(folder, { recursive: true, force: true });
    await packageAll(folder);
    await writeFile(stamp, wanted);
  });
  return folder;
}

/** The extension among them, or the one that MILLRACE_VSIX names. */
export async function builtExtension(): Promise<string> {
  const given = process.env['MILLRACE_VSIX'];
  if (given !== undefined) return given;
  const folder = await builtPackages();
  const name = (await readdir(folder)).find((each) => each.endsWith('.vsix')) ?? '';
  return path.join(folder, name);
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const add = async (name: string): Promise<void> => {
    const { size, mtimeMs } = await stat(path.join(root, name));
    hash.update(`${name}\0${size}\0${mtimeMs}\n`);
  };
  const walk = async (folder: string): Promise<void> => {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) await walk(name);
      } else if (!/\.test\.tsx?$/.test(name)) await add(name);
    }
  };
  for (const folder of folders) await walk(folder);
  for (const file of files) await add(file);
  return hash.digest('hex');
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
