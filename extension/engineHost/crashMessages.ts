import * as vscode from 'vscode';
import { commands } from '../identifiers.js';
import type { EngineHost } from './engineHost.js';

const showLog = 'Show Log';
const restart = 'Restart Engine';

/** Says that the engine has crashed, once for crashes in a row, and that it is not started again. */
export function tellCrashes(engine: Pick<EngineHost, 'onDidCrash'>): vscode.Disposable {
  let isShown = false;
  return engine.onDidCrash(async ({ reason, hint, final }) => {
    const text = `${reason}. ${hint}`;
    if (final) {
      const chosen = await vscode.window.showErrorMessage(text, restart, showLog);
      if (chosen !== undefined) {
        await vscode.commands.executeCommand(chosen === restart ? commands.restartEngine : commands.showLog);
      }
    } else if (!isShown) {
      isShown = true;
      const chosen = await vscode.window.showWarningMessage(text, showLog);
      isShown = false;
      if (chosen === showLog) await vscode.commands.executeCommand(commands.showLog);
    }
  });
}
