import { createRequire } from 'node:module';
import * as vscode from 'vscode';
import { errorText, MillraceError } from '../../protocol/errors.js';
import { languageId } from '../identifiers.js';
import type { LanguageClientOptions, RunningLanguage } from './client.js';

/**
 * Starts the language client with the first pipeline that is open. Its code is large, and an editor without a pipeline
 * on the screen has no use for it: it is a bundle of its own.
 */
export class LazyLanguageClient implements vscode.Disposable {
  readonly #options: LanguageClientOptions;
  readonly #opened: vscode.Disposable;
  #client: Promise<RunningLanguage | undefined> | undefined;
  #disposed = false;

  constructor(options: LanguageClientOptions) {
    this.#options = options;
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

  /** The pipeline of an open document as it would run. @throws MillraceError when there is no language server */
  async resolvedPipeline(uri: vscode.Uri): Promise<string | undefined> {
    const client = await (this.#client ??= this.#start());
    if (client === undefined) {
      throw new MillraceError('internal', 'The language server is not running', { hint: 'See the log of Millrace.' });
    }
    return client.resolvedPipeline(uri);
  }

  async #start(): Promise<RunningLanguage | undefined> {
    try {
      const bundle = vscode.Uri.joinPath(this.#options.extensionUri, 'dist', 'languageClient.cjs').fsPath;
      const { startLanguageClient } = createRequire(bundle)(bundle) as typeof import('./client.js');
      return await startLanguageClient(this.#options);
    } catch (thrown) {
      this.#options.log.error(`The language server did not start: ${errorText(thrown)}`);
      return undefined;
    }
  }
}
