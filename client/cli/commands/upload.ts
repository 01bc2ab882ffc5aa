import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { EventMessage, UploadProgress, UploadResult } from '../../typescript/src/index.js';
import { exitCodes } from '../exitCodes.js';
import { UsageError } from '../failures.js';
import { filesBelow, filesMatching } from '../input.js';
import { isLive } from '../io.js';
import { addExamples, addTaskOptions, wholeNumber } from '../options.js';
import type { Runner, TaskOptions } from '../run.js';
import { plain } from '../style.js';
import { UploadView } from '../uploadView.js';

interface Options extends TaskOptions {
  maxConcurrent: number;
  mime?: string;
}

interface Found {
  file: string;
  /** How the object is called: with the folders below the one that was named. */
  name: string;
  size: number;
}

export function addUpload(program: Command, runner: Runner): void {
  const command = addTaskOptions(
    program
      .command('upload <files...>')
      .description('send files, folders or patterns, several at a time')
      .option('--max-concurrent <n>', 'files under way at once', wholeNumber(1), 5)
      .option('--mime <type>', 'MIME type of all files; found by their names unless given'),
  );
  addExamples(command, 'upload --token TOKEN report.pdf', 'upload --pipeline ocr.pipe "scans/**/*.pdf" more/');
  runner.bind<Options>(command, async (run, options, ...operands) => {
    const files = await findFiles(operands.flat());
    const client = await run.connectForWork();
    const token = await run.task(client, options);
    const total = files.reduce((sum, { size }) => sum + size, 0);
    const live = isLive(run.io, run.io.stderr) && !run.json;
    const view = live ? new UploadView(run.io.stderr, files.length, total) : undefined;
    const stop = client.listen(({ event, body }: EventMessage) => {
      if (event === 'apaevt_status_upload') view?.progress(body as UploadProgress);
    });
    const entries = files.map(({ file, name }) => ({ file, objinfo: { name }, mimetype: options.mime }));
    let results: UploadResult[];
    try {
      results = await client.sendFiles(entries, token, { concurrency: options.maxConcurrent, signal: run.signal });
    } finally {
      stop();
      view?.end();
    }
    if (run.json) run.printJson(results);
    else for (const result of results) run.print(`${lineOf(result)}\n`);
    return results.some(({ action }) => action === 'error') ? exitCodes.someFilesFailed : exitCodes.ok;
  });
}

function lineOf({ action, filepath, error }: UploadResult): string {
  return plain(action === 'complete' ? `ok     ${filepath}` : `error  ${filepath}: ${error ?? ''}`);
}

/** The files that paths, folders and patterns stand for; each once, in the order given. */
async function findFiles(operands: readonly string[]): Promise<Found[]> {
  const found = new Map<string, Found>();
  for (const operand of operands) {
    const info = await stat(operand).catch(() => undefined);
    if (info?.isFile() === true) {
      found.set(path.resolve(operand), { file: operand, name: path.basename(operand), size: info.size });
      continue;
    }
    const matches = info?.isDirectory() === true ? await inFolder(operand) : await byPattern(operand);
    for (const match of matches) if (!found.has(path.resolve(match.file))) found.set(path.resolve(match.file), match);
  }
  return [...found.values()];
}

async function inFolder(folder: string): Promise<Found[]> {
  const files = await filesBelow(folder);
  if (files.length === 0) throw new UsageError(`There are no files in ${folder}`, 'Name another folder.');
  return Promise.all(
    files.map((file) => describeFile(file, path.relative(folder, file).replaceAll(path.sep, path.posix.sep))),
  );
}

async function byPattern(operand: string): Promise<Found[]> {
  const files = (await filesMatching(operand)) ?? [];
  if (files.length === 0) throw new UsageError(`File not found: ${operand}`, 'Check the path or the pattern.');
  return Promise.all(files.map((file) => describeFile(file, path.basename(file))));
}

async function describeFile(file: string, name: string): Promise<Found> {
  return { file, name, size: (await stat(file)).size };
}
