import * as vscode from 'vscode';
import { errorText } from '../../protocol/errors.js';
import { failureOf } from './remedy.js';

type Log = Pick<vscode.LogOutputChannel, 'info' | 'warn' | 'error' | 'debug'>;

/**
 * Tells a failure: one message with a button that helps.
 *
 * @param args what it is about, for example a file: given to the button's command when that is one about pipelines
 */
export type ShowFailure = (thrown: unknown, ...args: readonly unknown[]) => void;

/** The one place where errors become messages. A message that is still on the screen is not shown again. */
export function createShowFailure(log: Log): ShowFailure {
  const visible = new Set<string>();
  return (thrown, ...args) => {
    const failure = failureOf(thrown);
    if (failure === undefined) return;
    const { text, button, command } = failure;
    log.error(text);
    if (thrown instanceof Error && thrown.stack !== undefined) log.debug(thrown.stack);
    if (visible.has(text)) return;
    visible.add(text);
    const forget = (): void => void visible.delete(text);
    vscode.window.showErrorMessage(text, button).then(async (chosen) => {
      forget();
      if (chosen !== button) return;
      await vscode.commands
        .executeCommand(command, ...(command.startsWith('millrace.pipeline.') ? args : []))
        .then(undefined, (reason: unknown) => log.error(`${command}: ${errorText(reason)}`));
    }, forget);
  };
}
