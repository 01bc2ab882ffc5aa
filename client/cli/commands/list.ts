import type { Command } from 'commander';
import { addExamples } from '../options.js';
import type { Runner } from '../run.js';
import { plain, table } from '../style.js';

export function addList(program: Command, runner: Runner): void {
  const command = program.command('list').description('list the running tasks of this key');
  addExamples(command, 'list', 'list --json');
  runner.bind(command, async (run) => {
    const client = await run.connect();
    const tasks = await client.getTasks();
    if (run.json) return run.printJson(tasks);
    if (tasks.length === 0) return run.note('No task is running.\n');
    const rows = tasks.map(({ token, name, source, status }) => [token, name, source, status].map(plain));
    run.print(table([['TOKEN', 'NAME', 'SOURCE', 'STATUS'], ...rows]));
  });
}
