import type { Command } from 'commander';
import { exitCodes } from '../exitCodes.js';
import { UsageError } from '../failures.js';
import { readNamedFile } from '../input.js';
import { addExamples } from '../options.js';
import type { Runner } from '../run.js';
import { bytesText, plain, table } from '../style.js';

export function addStore(program: Command, runner: Runner): void {
  const store = program.command('store').description('files kept on the server');
  addExamples(store, 'store dir', 'store write notes/today.txt --content "Hello"', 'store type notes/today.txt');

  const dir = store.command('dir [path]').description('list a folder');
  runner.bind(dir, async (run, _options, path = '') => {
    const entries = await (await run.connect()).store.list(path);
    if (run.json) return run.printJson(entries);
    const rows = entries.map(({ name, type, size, modified }) => [
      type === 'dir' ? '<dir>' : bytesText(size ?? 0),
      modified === undefined ? '' : new Date(modified * 1000).toISOString(),
      plain(name),
    ]);
    run.print(table(rows));
  });

  const type = store.command('type <path>').description('print a file');
  runner.bind(type, async (run, _options, path = '') => {
    const client = await run.connect();
    for await (const piece of client.store.stream(path)) run.io.stdout.write(piece);
  });

  const write = store
    .command('write <path>')
    .description('write a file, replacing one that is there')
    .option('--file <path>', 'with the content of this file')
    .option('--content <text>', 'with this text');
  runner.bind<{ file?: string; content?: string }>(write, async (run, { file, content }, path = '') => {
    if ((file === undefined) === (content === undefined)) {
      throw new UsageError('Nothing to write was given, or two things', 'Pass --file PATH or --content TEXT.');
    }
    const data = file === undefined ? (content ?? '') : await readNamedFile(file);
    const size = await (await run.connect()).store.write(path, data);
    if (run.json) run.printJson({ path, bytesWritten: size });
    else run.note(`${bytesText(size)} written.\n`);
  });

  const rm = store
    .command('rm <path>')
    .description('delete a file')
    .option('--recursive', 'delete a folder with everything in it');
  runner.bind<{ recursive?: boolean }>(rm, async (run, { recursive }, path = '') => {
    const client = await run.connect();
    await (recursive === true ? client.store.rmdir(path, true) : client.store.remove(path));
  });

  const mkdir = store.command('mkdir <path>').description('make a folder');
  runner.bind(mkdir, async (run, _options, path = '') => (await run.connect()).store.mkdir(path));

  const stat = store.command('stat <path>').description('tell what a path is; exit code 1 when it does not exist');
  runner.bind(stat, async (run, _options, path = '') => {
    const found = await (await run.connect()).store.stat(path);
    if (run.json) run.printJson(found);
    else if (found.exists) run.print(`${found.type ?? 'file'}  ${bytesText(found.size ?? 0)}\n`);
    else run.note('It does not exist.\n');
    return found.exists ? exitCodes.ok : exitCodes.failed;
  });
}
