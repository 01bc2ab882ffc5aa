import path from 'node:path';
import * as vscode from 'vscode';
import { toMillraceError } from '../../protocol/errors.js';
import type { Connections } from '../connections/connection.js';
import { commands, languageId } from '../identifiers.js';
import type { PipelineFiles } from '../pipelines/pipelineFiles.js';
import type { RunHost } from '../runs/runHost.js';
import { checkConfiguration } from './configuration.js';
import { isAddress } from './debugSession.js';
import { isEmptyConfiguration, launchOf, withSettings, withTaskPicker } from './configurationDefaults.js';

export interface ConfigurationProviderDeps {
  readonly connections: Connections;
  readonly pipelines: Pick<PipelineFiles, 'files'>;
  readonly host: Pick<RunHost, 'settings'>;
  readonly fileUri: (path: string) => vscode.Uri;
}

/** More would make the list of what can be started useless. */
const mostListed = 50;

/** Completes and checks configurations before a session starts. */
export class MillraceConfigurationProvider implements vscode.DebugConfigurationProvider {
  readonly #deps: ConfigurationProviderDeps;

  constructor(deps: ConfigurationProviderDeps) {
    this.#deps = deps;
  }

  async resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (!isEmptyConfiguration(configuration)) return withTaskPicker(configuration);
    const file = activePipeline() ?? (await this.#pickPipeline());
    if (file === undefined) return undefined;
    return { ...configuration, ...launchOf(programOf(file), vscode.workspace.asRelativePath(file)) };
  }

  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    try {
      const checked = checkConfiguration(configuration);
      if (checked.connection !== undefined) this.#deps.connections.get(checked.connection);
      if (checked.request === 'attach') return configuration;
      const inFolder = !path.isAbsolute(checked.program) && !isAddress(checked.program) && folder !== undefined;
      const file = inFolder ? vscode.Uri.joinPath(folder.uri, checked.program) : this.#deps.fileUri(checked.program);
      return withSettings(configuration, checked, this.#deps.host.settings(file));
    } catch (thrown) {
      const { message, hint } = toMillraceError(thrown);
      const open = 'Open launch.json';
      const picked = await vscode.window.showErrorMessage(`${message}. ${hint}`, open);
      // Null makes the editor open the file.
      return picked === open ? (null as unknown as undefined) : undefined;
    }
  }

  /** Asks which one when none is in front. */
  async #pickPipeline(): Promise<vscode.Uri | undefined> {
    const { files } = this.#deps.pipelines;
    if (files.length === 0) {
      void this.#offerPipeline();
      return undefined;
    }
    const items = files.map((file) => ({ label: file.path, uri: file.uri }));
    const picked = await vscode.window.showQuickPick(items, { placeHolder: 'Pipeline to run' });
    return picked?.uri;
  }

  async #offerPipeline(): Promise<void> {
    const message = 'There is no pipeline to run. Open a file whose name ends in .pipe, or make one.';
    const make = 'New Pipeline from…';
    const picked = await vscode.window.showErrorMessage(message, make);
    if (picked === make) await vscode.commands.executeCommand(commands.newPipeline);
  }
}

/** The pipelines of the workspace, in the list that "Select and Start Debugging" shows. */
export class PipelineConfigurations implements vscode.DebugConfigurationProvider {
  readonly #pipelines: Pick<PipelineFiles, 'files'>;

  constructor(pipelines: Pick<PipelineFiles, 'files'>) {
    this.#pipelines = pipelines;
  }

  provideDebugConfigurations(folder: vscode.WorkspaceFolder | undefined): vscode.DebugConfiguration[] {
    const inFolder = this.#pipelines.files.filter(({ uri }) => {
      return folder === undefined || vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() === folder.uri.toString();
    });
    return inFolder.slice(0, mostListed).map(({ uri }) => {
      const name = vscode.workspace.asRelativePath(uri, false);
      return launchOf(folder === undefined ? programOf(uri) : `\${workspaceFolder}/${name}`, name);
    });
  }
}

function activePipeline(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === languageId ? document.uri : undefined;
}

function programOf(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? uri.fsPath : uri.toString();
}
