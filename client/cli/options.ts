import { type Command, InvalidArgumentError } from 'commander';

/** An option's value that must be a whole number of at least `least`. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isInteger(value) || value < least) {
      throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
    }
    return value;
  };
}

/** Options of the commands that work on a running task or start one for themselves. */
export function addTaskOptions(command: Command): Command {
  return command
    .option('--pipeline <file>', 'start this pipeline for the command, and end it afterwards')
    .option('--source <id>', 'with --pipeline: the entry component')
    .option('--threads <n>', 'with --pipeline: objects worked on at once', wholeNumber(1));
}

export function addExamples(command: Command, ...lines: string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ millrace ${line}\n`).join('')}`);
}
