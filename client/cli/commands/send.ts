import path from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../failures.js';
import { isText, readAll, readNamedFile } from '../input.js';
import { addExamples, addTaskOptions } from '../options.js';
import { showResult } from '../results.js';
import type { Run, Runner, TaskOptions } from '../run.js';

interface Options extends TaskOptions {
  file?: string;
  mime?: string;
  name?: string;
}

export function addSend(program: Command, runner: Runner): void {
  const command = addTaskOptions(
    program
      .command('send [text]')
      .description('send one text or file and print what the pipeline made of it; without either, read stdin')
      .option('--file <path>', 'send this file')
      .option('--mime <type>', 'MIME type of the data')
      .option('--name <name>', 'name of the object'),
  );
  addExamples(
    command,
    'send --token TOKEN "Hello"',
    'send --pipeline ocr.pipe --file scan.pdf --json',
    'send --token TOKEN --mime text/csv < table.csv',
  );
  runner.bind<Options>(command, async (run, options, text?: string) => {
    const { data, name } = await read(run, options, text);
    const client = await run.connectForWork();
    const token = await run.task(client, options);
    const info = options.name ?? name;
    const objinfo = info === undefined ? {} : { name: info };
    return showResult(run, await client.send(token, data, objinfo, options.mime, { signal: run.signal }));
  });
}

async function read(
  run: Run,
  { file }: Options,
  text: string | undefined,
): Promise<{ data: string | Uint8Array; name?: string }> {
  if (text !== undefined && file !== undefined) {
    throw new UsageError('Both a text and --file were given', 'Pass one of them.');
  }
  if (text !== undefined) return { data: text };
  if (file !== undefined) return { data: await readNamedFile(file), name: path.basename(file) };
  if (run.io.stdin.isTTY === true) {
    throw new UsageError('There is nothing to send', 'Pass a text, --file PATH, or pipe the data in.');
  }
  const data = await readAll(run.io.stdin, run.signal);
  return { data: isText(data) ? new TextDecoder().decode(data) : data };
}
