import type { Command } from 'commander';
import { exitCodes } from '../exitCodes.js';
import { addExamples } from '../options.js';
import type { Runner } from '../run.js';

export function addLanguageServer(program: Command, runner: Runner): void {
  const command = program
    .command('language-server')
    .description('serve an editor that speaks the Language Server Protocol; needs no server')
    .requiredOption('--stdio', 'over stdin and stdout, the only way there is');
  addExamples(command, 'language-server --stdio');
  runner.bind(command, async ({ io }) => {
    await io.serveLanguage();
    // The language server ends the process when its editor says so or is gone; Ctrl-C is left.
    if (!io.signal.aborted)
      await new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve(), { once: true }));
    return exitCodes.interrupted;
  });
}
