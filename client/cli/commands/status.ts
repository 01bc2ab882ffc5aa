import type { Command } from 'commander';
import { addExamples } from '../options.js';
import type { Runner } from '../run.js';
import { exitCodeOf, statusLines, watchStatus } from '../statusView.js';

export function addStatus(program: Command, runner: Runner): void {
  const command = program
    .command('status')
    .description('show how a task is doing, until it ends')
    .option('--once', 'show it once');
  addExamples(command, 'status --token TOKEN', 'status --token TOKEN --once --json');
  runner.bind<{ once?: boolean }>(command, async (run, { once }) => {
    const { token } = run;
    const client = await run.connect();
    if (once !== true) return watchStatus(run, client, token);
    const status = await client.getTaskStatus(token, { timeout: run.timeout });
    if (run.json) run.printJson(status);
    else run.print(`${statusLines(status, run.style).join('\n')}\n`);
    return exitCodeOf(status);
  });
}
