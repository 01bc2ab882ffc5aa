import * as vscode from 'vscode';
import { contextKeys } from '../identifiers.js';
import type { Runs } from './runs.js';

/** Keeps the context key that menus ask whether a file runs. */
export function followRunningPipelines(runs: Runs): vscode.Disposable {
  const update = (): void => {
    // The editor asks with the path of the disk for local files, and with the path of the address for others.
    const paths = runs.all.flatMap(({ file }) => [file.fsPath, file.path]);
    const running = Object.fromEntries(paths.map((path) => [path, true]));
    void vscode.commands.executeCommand('setContext', contextKeys.runningPipelines, running);
  };
  update();
  return runs.onDidChange(update);
}
