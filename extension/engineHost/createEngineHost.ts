import * as vscode from 'vscode';
import { settings } from '../identifiers.js';
import type { Log } from '../log.js';
import { readEngineSettings } from './engineCommand.js';
import { EngineHost } from './engineHost.js';

/** The engine of this window, which runs on the editor's own Node. */
export function createEngineHost(context: vscode.ExtensionContext, log: Log): EngineHost {
  const data = context.storageUri ?? context.globalStorageUri;
  return new EngineHost({
    program: {
      execPath: process.execPath,
      isElectron: process.versions.electron !== undefined,
      entry: vscode.Uri.joinPath(context.extensionUri, 'engine', 'dist', 'main.js').fsPath,
      dataDirectory: vscode.Uri.joinPath(data, 'engine').fsPath,
      env: process.env,
    },
    settings: () => {
      const configuration = vscode.workspace.getConfiguration('millrace');
      const given = {
        workerMemory: configuration.get<unknown>(settings.workerMemory),
        componentsFolder: configuration.get<unknown>(settings.componentsFolder),
      };
      const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
      return readEngineSettings(given, folder?.uri.fsPath);
    },
    mayStart: () => vscode.workspace.isTrusted,
    log,
  });
}

/** Restarts a running engine when one of its settings changes. */
export function followEngineSettings(engine: EngineHost, showFailure: (thrown: unknown) => void): vscode.Disposable {
  const names = [settings.workerMemory, settings.componentsFolder];
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (names.some((name) => event.affectsConfiguration(`millrace.${name}`))) {
      engine.settingsChanged().catch(showFailure);
    }
  });
}
