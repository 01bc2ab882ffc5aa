import type { Command } from 'commander';
import { addExamples } from '../options.js';
import type { Runner } from '../run.js';

export function addStop(program: Command, runner: Runner): void {
  const command = program.command('stop').description('end a task and wait until it has ended');
  addExamples(command, 'stop --token TOKEN');
  runner.bind(command, async (run) => {
    const { token } = run;
    const client = await run.connect();
    await client.terminate(token);
    if (run.json) run.printJson({ token, stopped: true });
    else run.note('Stopped.\n');
  });
}
