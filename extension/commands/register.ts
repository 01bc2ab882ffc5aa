import * as vscode from 'vscode';
import { type CommandName, commands } from '../identifiers.js';
import { createAsk } from './ask.js';
import { copyToken } from './copyToken.js';
import type { CommandDeps } from './dependencies.js';
import { runPipeline } from './runPipeline.js';
import { sendFiles } from './sendFiles.js';
import { sendText } from './sendText.js';
import { sendToPipeline } from './sendToPipeline.js';
import { showLog } from './showLog.js';
import type { ShowFailure } from './showFailure.js';
import { stopPipeline } from './stopPipeline.js';
import { stopTask } from './stopTask.js';
import { validatePipeline } from './validatePipeline.js';

export type CommandHandler = (...args: readonly unknown[]) => unknown;

/** Every command: one that is forgotten does not compile. */
export type CommandHandlers = Readonly<Record<CommandName, CommandHandler>>;

type PipelineCommand =
  | 'runPipeline'
  | 'stopPipeline'
  | 'sendFiles'
  | 'sendText'
  | 'ask'
  | 'validatePipeline'
  | 'sendToPipeline'
  | 'stopTask'
  | 'copyToken'
  | 'showLog';

/** The commands about pipelines and tasks. */
export function pipelineCommands(deps: CommandDeps): Pick<CommandHandlers, PipelineCommand> {
  const ask = createAsk(deps);
  return {
    runPipeline: (argument) => runPipeline(deps, argument),
    stopPipeline: (argument) => stopPipeline(deps, argument),
    sendFiles: (argument) => sendFiles(deps, argument),
    sendText: (argument) => sendText(deps, ask, argument),
    ask: (argument) => ask(argument),
    validatePipeline: (argument) => validatePipeline(deps, argument),
    sendToPipeline: (argument, selected) => sendToPipeline(deps, argument, selected),
    stopTask: (argument) => stopTask(deps, argument),
    copyToken: (argument) => copyToken(argument),
    showLog: () => showLog(deps),
  };
}

/** Registers every command; what one throws is shown once, with a button that knows what the command was for. */
export function registerCommands(handlers: CommandHandlers, showFailure: ShowFailure): vscode.Disposable {
  const names = Object.keys(commands) as CommandName[];
  const registrations = names.map((name) =>
    vscode.commands.registerCommand(commands[name], async (...args: unknown[]) => {
      try {
        await handlers[name](...args);
      } catch (thrown) {
        showFailure(thrown, ...args.slice(0, 1));
      }
    }),
  );
  return vscode.Disposable.from(...registrations);
}
