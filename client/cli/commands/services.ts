import type { Command } from 'commander';
import { addExamples } from '../options.js';
import type { Runner } from '../run.js';
import { plain, table } from '../style.js';

export function addServices(program: Command, runner: Runner): void {
  const command = program
    .command('services [provider]')
    .description('list the providers of the server, or describe one');
  addExamples(command, 'services', 'services webhook');
  runner.bind(command, async (run, _options, provider?: string) => {
    const client = await run.connect();
    if (provider !== undefined) return run.printJson(await client.getService(provider));
    const catalogue = await client.getServices();
    if (run.json) return run.printJson(catalogue);
    const rows = Object.entries(catalogue.services)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, { title, classType }]) => [name, (classType ?? []).join(' '), title ?? ''].map(plain));
    run.print(table([['PROVIDER', 'KIND', 'TITLE'], ...rows]));
  });
}
