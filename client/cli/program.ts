import { Command, Option } from 'commander';
import { version } from '../typescript/src/index.js';
import { addChat } from './commands/chat.js';
import { addCompletion } from './commands/completion.js';
import { addEvents } from './commands/events.js';
import { addInit } from './commands/init.js';
import { addFormat } from './commands/format.js';
import { addLanguageServer } from './commands/languageServer.js';
import { addLint } from './commands/lint.js';
import { addList } from './commands/list.js';
import { addPipe } from './commands/pipe.js';
import { addSend } from './commands/send.js';
import { addServices } from './commands/services.js';
import { addStart } from './commands/start.js';
import { addStatus } from './commands/status.js';
import { addStop } from './commands/stop.js';
import { addStore } from './commands/store.js';
import { addUpload } from './commands/upload.js';
import { addValidate } from './commands/validate.js';
import { type ExitCode, exitCodeHelp, exitCodes } from './exitCodes.js';
import { failureOf } from './failures.js';
import type { Io } from './io.js';
import { addExamples, wholeNumber } from './options.js';
import { Runner } from './run.js';

const commands = [
  addStart,
  addSend,
  addUpload,
  addPipe,
  addChat,
  addStatus,
  addEvents,
  addList,
  addStop,
  addValidate,
  addLint,
  addFormat,
  addLanguageServer,
  addStore,
  addServices,
  addInit,
  addCompletion,
];

/** The whole command tree. */
export function buildProgram(runner: Runner): Command {
  const { io } = runner;
  const program = new Command('millrace')
    .description('Start pipelines, send them data and watch them.')
    .version(version)
    .addOption(option('--uri <address>', 'server; http://127.0.0.1:5565 unless given', 'MILLRACE_URI', io))
    .addOption(option('--apikey <key>', 'API key', 'MILLRACE_APIKEY', io))
    .addOption(option('--token <token>', 'token of a task', 'MILLRACE_TOKEN', io))
    .option(
      '--timeout <seconds>',
      'how long to wait for an answer, 0 for ever; 60 unless given, for ever while a pipeline works',
      wholeNumber(0),
    )
    .option('--json', 'write results as JSON')
    .addHelpText('after', exitCodeHelp)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns || 80,
      getErrHelpWidth: () => io.stderr.columns || 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('  → Run the command with --help for its options.')
    .exitOverride();
  addExamples(program, 'start ocr.pipe', 'upload --pipeline ocr.pipe scans/*.pdf', 'status --token TOKEN');
  for (const add of commands) add(program, runner);
  return program;
}

/** Commander reads the process's own variables; here they come from the command's surroundings. */
function option(flags: string, description: string, variable: string, io: Io): Option {
  const made = new Option(flags, `${description} (env: ${variable})`);
  const value = io.env[variable];
  return value === undefined || value === '' ? made : made.default(value, 'from the environment');
}

/** Runs one command line, without `node` and the script, and resolves with the exit code. Never rejects. */
export async function runCli(args: readonly string[], io: Io): Promise<ExitCode> {
  const runner = new Runner(io);
  const program = buildProgram(runner);
  try {
    await program.parseAsync(args, { from: 'user' });
    return io.signal.aborted ? exitCodes.interrupted : runner.exitCode;
  } catch (thrown) {
    if (io.signal.aborted) return exitCodes.interrupted;
    const { text, exitCode } = failureOf(thrown);
    if (text !== '') io.stderr.write(text);
    return exitCode;
  }
}
