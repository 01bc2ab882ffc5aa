import { createRequire } from 'node:module';
import * as vscode from 'vscode';
import { errorText } from '../../protocol/errors.js';
import { languageId } from '../identifiers.js';
import type { Log } from '../log.js';

/**
 * Starts the language client with the first pipeline that is open. Its code is large, and an editor without a pipeline
 * on the screen has no use for it: it is a bundle of its own.
 */
export class LazyLanguageClient implements vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #log: Log;
  readonly #opened: vscode.Disposable;
  #client: Promise<vscode.Disposable | undefined> | undefined;
  #disposed = false;

  constructor(extensionUri: vscode.Uri, log: Log) {
    this.#extensionUri = extensionUri;
    this.#log = log;
    this.#opened = vscode.workspace.onDidOpenTextDocument((document) => this.#see(document));
    // After the activation, which the editor waits for.
    setImmediate(() => vscode.workspace.textDocuments.forEach((document) => this.#see(document)));
  }

  dispose(): void {
    this.#disposed = true;
    this.#opened.dispose();
    void this.#client?.then((client) => {
      client?.dispose();
    });
  }

  #see({ languageId: language }: vscode.TextDocument): void {
    if (language === languageId && !this.#disposed) this.#client ??= this.#start();
  }

  async #start(): Promise<vscode.Disposable | undefined> {
    try {
      const bundle = vscode.Uri.joinPath(this.#extensionUri, 'dist', 'languageClient.cjs').fsPath;
      const { startLanguageClient } = createRequire(bundle)(bundle) as typeof import('./client.js');
      return await startLanguageClient(this.#extensionUri, this.#log);
    } catch (thrown) {
      this.#log.error(`The language server did not start: ${errorText(thrown)}`);
      return undefined;
    }
  }
}
