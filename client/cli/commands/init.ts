import type { Command } from 'commander';
import { exitCodes } from '../exitCodes.js';
import { fetchBundle } from '../workspace/bundle.js';
import { type Change, install } from '../workspace/install.js';
import { addExamples } from '../options.js';
import type { Run, Runner } from '../run.js';
import { plain } from '../style.js';

export function addInit(program: Command, runner: Runner): void {
  const command = program
    .command('init [folder]')
    .description('set a workspace up for coding agents: docs, stubs, schemas and .env.example of the server')
    .option('--check', 'write nothing; say what would change, and exit with 1 if anything would');
  addExamples(command, 'init', 'init --check', 'init my-project --uri http://127.0.0.1:5565');
  runner.bind<{ check?: boolean }>(command, async (run, { check = false }, folder = '.') => {
    const { version, hash, ...bundle } = await fetchBundle(run.httpAddress, run);
    const changes = await install({ version, hash, ...bundle }, folder, check);
    const due = changes.filter(({ action }) => action !== 'keep').length;
    if (run.json) run.printJson({ version, hash, check, changes });
    else report(run, changes, check, due);
    return check && due > 0 ? exitCodes.failed : exitCodes.ok;
  });
}

function report(run: Run, changes: readonly Change[], check: boolean, due: number): void {
  for (const { action, file, reason } of changes) {
    run.print(plain(`${action.padEnd(6)}  ${file}${reason === undefined ? '' : `: ${reason}`}\n`));
  }
  const kept = changes.length - due;
  const left = kept === 0 ? '' : ` ${count(kept)} kept as you have ${kept === 1 ? 'it' : 'them'}.`;
  if (due === 0) run.note(`Nothing to do.${left}\n`);
  else run.note(`${count(due)} ${check ? 'would change' : 'changed'}.${left}\n`);
}

function count(files: number): string {
  return `${files} file${files === 1 ? '' : 's'}`;
}
