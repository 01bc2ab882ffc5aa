import { type Command, Option } from 'commander';
import type { TraceLevel } from '../../typescript/src/index.js';
import { addExamples, wholeNumber } from '../options.js';
import type { Runner } from '../run.js';
import { watchStatus } from '../statusView.js';

interface Options {
  source?: string;
  name?: string;
  threads?: number;
  ttl?: number;
  trace?: TraceLevel;
  useExisting?: boolean;
  args?: string[];
  attach?: boolean;
}

export function addStart(program: Command, runner: Runner): void {
  const command = program
    .command('start <file>')
    .description('start a pipeline and print the token of its task')
    .option('--source <id>', 'entry component, in place of the one in the file')
    .option('--name <name>', 'display name; that of the pipeline or else of its file unless given')
    .option('--threads <n>', 'objects worked on at once', wholeNumber(1))
    .option('--ttl <seconds>', 'end the task after this time without work; 0 for never', wholeNumber(0))
    .addOption(
      new Option('--trace <level>', 'what to record of each object').choices(['none', 'metadata', 'summary', 'full']),
    )
    .option('--use-existing', 'join the task that runs under the same token')
    .option('--args <arg...>', 'arguments for the pipeline')
    .option('--attach', 'stay and show the status; Ctrl-C ends the task');
  addExamples(command, 'start ocr.pipe', 'start ocr.pipe --token nightly --ttl 0', 'start chat.pipe --attach');
  runner.bind<Options>(command, async (run, options, file = '') => {
    const { trace, attach, ...rest } = options;
    const client = await run.connect();
    const token = run.hasToken ? { token: run.token } : {};
    const request = { ...rest, ...token, filepath: file, pipelineTraceLevel: trace };
    if (attach === true) {
      const started = await run.startTask(client, request);
      run.note(`${started}\n`);
      return watchStatus(run, client, started);
    }
    const started = await run.leaveTask(client, request);
    if (run.json) run.printJson(started);
    else run.print(`${started.token}\n`);
    return undefined;
  });
}
