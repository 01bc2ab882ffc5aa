import * as vscode from 'vscode';
import { traceLevels } from '../../protocol/events.js';
import { errorText, MillraceError } from '../../protocol/errors.js';
import { settings } from '../identifiers.js';
import { largestPipeline, type PipelineSource, tooLarge } from '../pipelines/pipelineFile.js';
import type { RunHost, RunSettings } from './runHost.js';

/** No `.env` that somebody wrote is larger. */
const largestText = 1024 * 1024;

/** What a run needs, from the real editor. */
export class EditorRunHost implements RunHost {
  readonly onDidRename: RunHost['onDidRename'] = (listener, thisArgs, disposables) =>
    vscode.workspace.onDidRenameFiles(({ files }) => void listener.call(thisArgs, files), undefined, disposables);

  async readPipeline(file: vscode.Uri): Promise<string> {
    const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
    if (open !== undefined) {
      // A file that cannot be saved, or has no place yet, is run as it is on the screen.
      if (open.isDirty && !open.isUntitled) await open.save().then(undefined, () => false);
      return open.getText();
    }
    try {
      const { size } = await vscode.workspace.fs.stat(file);
      if (size > largestPipeline) {
        const { message, hint } = tooLarge(file.path, size);
        const name = vscode.workspace.asRelativePath(file);
        throw new MillraceError('invalid_argument', `Cannot read ${name}: ${message}`, { hint });
      }
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    } catch (cause) {
      if (cause instanceof MillraceError) throw cause;
      const name = vscode.workspace.asRelativePath(file);
      throw new MillraceError('file_not_found', `Cannot read ${name}: ${errorText(cause)}`, { cause });
    }
  }

  async readText(file: vscode.Uri): Promise<string | undefined> {
    try {
      const { size } = await vscode.workspace.fs.stat(file);
      if (size > largestText) return undefined;
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    } catch {
      // Most pipelines have no such file.
      return undefined;
    }
  }

  folderOf(file: vscode.Uri): vscode.Uri | undefined {
    return vscode.workspace.getWorkspaceFolder(file)?.uri;
  }

  settings(file: vscode.Uri): RunSettings {
    const section = vscode.workspace.getConfiguration('millrace', file);
    const level: unknown = section.get(settings.traceLevel);
    return {
      traceLevel: traceLevels.find((each) => each === level) ?? 'summary',
      ttl: wholeNumber(section.get(settings.ttl), 0, Number.MAX_SAFE_INTEGER, 900),
      threads: wholeNumber(section.get(settings.threads), 1, 64, 4),
    };
  }

  async pickSource(name: string, sources: readonly PipelineSource[]): Promise<string | undefined> {
    const items = sources.map(({ id, provider }) => ({ label: id, description: provider }));
    const picked = await vscode.window.showQuickPick(items, {
      title: `Run ${name}`,
      placeHolder: 'Choose the component that the pipeline starts at',
    });
    return picked?.label;
  }
}

function wholeNumber(value: unknown, least: number, most: number, otherwise: number): number {
  return Number.isInteger(value) ? Math.min(most, Math.max(least, value as number)) : otherwise;
}
