import { Argument, type Command } from 'commander';
import { completionScript, type Shell, shells } from '../completionScript.js';
import { addExamples } from '../options.js';
import type { Runner } from '../run.js';

export function addCompletion(program: Command, runner: Runner): void {
  const command = program
    .command('completion')
    .description('print what makes a shell complete the commands and options')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells));
  addExamples(
    command,
    'completion bash >> ~/.bashrc',
    'completion zsh > "${fpath[1]}/_millrace"',
    'completion fish > ~/.config/fish/completions/millrace.fish',
  );
  runner.bind(command, async (run, _options, shell) => {
    run.print(completionScript(program, shell as Shell));
    return Promise.resolve(undefined);
  });
}
