import * as vscode from 'vscode';
import { MillraceError } from '../../protocol/errors.js';
import { Emitter } from '../emitter.js';
import { pipelineName } from '../pipelines/pipelineFile.js';

export const resolvedScheme = 'millrace-resolved';

/** Changes are shown when somebody pauses for this long, in milliseconds. */
const pause = 300;

/** Pipelines as they would run, as read-only documents that follow their files. */
export class ResolvedPipelines implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #resolve: (uri: vscode.Uri) => Promise<string | undefined>;
  readonly #changed = new Emitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #waiting = new Map<string, NodeJS.Timeout>();

  /** @param resolve what the language server answers about an open document */
  constructor(resolve: (uri: vscode.Uri) => Promise<string | undefined>) {
    this.#resolve = resolve;
    this.#subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(resolvedScheme, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#follow(document.uri)),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const file = vscode.Uri.parse(uri.query, true);
    // The language server knows open documents only.
    await vscode.workspace.openTextDocument(file);
    return (await this.#resolve(file)) ?? '// The language server does not know this file.\n';
  }

  /** Opens the pipeline as it would run beside its file. @throws MillraceError when it cannot be read */
  async show(file: vscode.Uri): Promise<void> {
    try {
      await vscode.workspace.openTextDocument(file);
    } catch (cause) {
      throw new MillraceError('file_not_found', `Cannot read ${vscode.workspace.asRelativePath(file)}`, { cause });
    }
    const uri = addressOf(file);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preview: true,
      preserveFocus: true,
    });
  }

  dispose(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    for (const each of this.#subscriptions) each.dispose();
    this.#changed.dispose();
  }

  #follow(file: vscode.Uri): void {
    const uri = addressOf(file);
    const key = uri.toString();
    if (!vscode.workspace.textDocuments.some((document) => document.uri.toString() === key)) return;
    clearTimeout(this.#waiting.get(key));
    this.#waiting.set(
      key,
      setTimeout(() => {
        this.#waiting.delete(key);
        this.#changed.fire(uri);
      }, pause),
    );
  }
}

function addressOf(file: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({
    scheme: resolvedScheme,
    path: `/${pipelineName(file.path)} (resolved).jsonc`,
    query: file.toString(),
  });
}
