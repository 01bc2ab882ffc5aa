import type { Command } from 'commander';
import { bytesOfInput } from '../input.js';
import { addExamples, addTaskOptions } from '../options.js';
import { showResult } from '../results.js';
import type { Runner, TaskOptions } from '../run.js';

interface Options extends TaskOptions {
  mime: string;
  name?: string;
}

export function addPipe(program: Command, runner: Runner): void {
  const command = addTaskOptions(
    program
      .command('pipe')
      .description('stream stdin into a pipeline as one object, piece by piece as it arrives')
      .option('--mime <type>', 'MIME type of the data', 'application/octet-stream')
      .option('--name <name>', 'name of the object'),
  );
  addExamples(command, 'pipe --token TOKEN --mime text/plain < app.log', 'pipe --pipeline ocr.pipe < scan.pdf');
  runner.bind<Options>(command, async (run, options) => {
    const client = await run.connectForWork();
    const token = await run.task(client, options);
    const objinfo = options.name === undefined ? {} : { name: options.name };
    const pipe = await client.pipe(token, objinfo, options.mime, undefined, { signal: run.signal }).open();
    // An interrupted or failed command leaves no pipe open.
    run.atEnd(() => pipe.abandon());
    for await (const piece of bytesOfInput(run.io.stdin, run.signal)) await pipe.write(piece);
    return showResult(run, await pipe.close());
  });
}
