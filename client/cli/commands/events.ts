import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import type { EventMessage, MonitorKey, MonitorType } from '../../typescript/src/index.js';
import { UsageError } from '../failures.js';
import { addExamples } from '../options.js';
import type { Run, Runner } from '../run.js';
import { plain } from '../style.js';

const types: readonly MonitorType[] = ['detail', 'summary', 'output', 'flow', 'task', 'sse', 'dashboard', 'all'];

interface Options {
  project?: string;
  source: string;
  log?: string;
}

export function addEvents(program: Command, runner: Runner): void {
  const command = program
    .command('events [types]')
    .description(`print events until Ctrl-C; types, separated by commas: ${types.join(', ')}`)
    .option('--project <id>', 'those of one project; of one task with --token; else of all tasks')
    .option('--source <id>', 'with --project: those of one source', '*')
    .option('--log <file>', 'append the events to this file too, one JSON object a line');
  addExamples(command, 'events', 'events flow,output --token TOKEN', 'events all --json --log events.jsonl');
  runner.bind<Options>(command, async (run, options, list = 'task,summary,output') => {
    const wanted = typesOf(list);
    const client = await run.connect();
    const log = options.log === undefined ? undefined : createWriteStream(options.log, { flags: 'a' });
    if (log !== undefined) run.atEnd(() => finished(log.end()));
    for await (const event of client.events({ key: keyOf(run, options), types: wanted, signal: run.signal })) {
      log?.write(`${JSON.stringify(event)}\n`);
      run.print(`${run.json ? JSON.stringify(event) : lineOf(event)}\n`);
    }
  });
}

function typesOf(list: string): MonitorType[] {
  return list.split(',').map((name) => {
    const type = types.find((known) => known === name.trim().toLowerCase());
    if (type === undefined) throw new UsageError(`Unknown event type "${name}"`, `Types: ${types.join(', ')}.`);
    return type;
  });
}

function keyOf(run: Run, { project, source }: Options): MonitorKey {
  if (project !== undefined) return { projectId: project, source };
  return run.hasToken ? { token: run.token } : '*';
}

function lineOf({ event, id, body }: EventMessage): string {
  return plain(`${event}${id === undefined ? '' : ` ${id}`} ${JSON.stringify(body)}`);
}
