import * as vscode from 'vscode';
import { Emitter } from '../emitter.js';
import { settings } from '../identifiers.js';
import type { ConnectionSettings } from './profileStore.js';

/** The settings of the editor about connections. Changes are written where the value in force comes from. */
export class EditorConnectionSettings implements ConnectionSettings, vscode.Disposable {
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #subscription = vscode.workspace.onDidChangeConfiguration((event) => {
    const names = [settings.connection, settings.connections];
    if (names.some((name) => event.affectsConfiguration(`millrace.${name}`))) this.#changes.fire();
  });

  get connections(): unknown {
    return configuration().get(settings.connections);
  }

  get connection(): unknown {
    return configuration().get(settings.connection);
  }

  setConnections(value: readonly unknown[]): PromiseLike<void> {
    const inWorkspace = configuration().inspect(settings.connections)?.workspaceValue !== undefined;
    return configuration().update(settings.connections, value, targetOf(inWorkspace));
  }

  setConnection(name: string): PromiseLike<void> {
    const hasWorkspace =
      vscode.workspace.workspaceFolders !== undefined || vscode.workspace.workspaceFile !== undefined;
    return configuration().update(settings.connection, name, targetOf(hasWorkspace));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
  }
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('millrace');
}

function targetOf(workspace: boolean): vscode.ConfigurationTarget {
  return workspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
}
