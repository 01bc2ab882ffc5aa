import * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node.js';
import { errorText } from '../../protocol/errors.js';
import { languageId } from '../identifiers.js';
import type { Log } from '../log.js';

/** Starts the language server as a process of its own, so that a large file never makes other extensions wait. */
export async function startLanguageClient(extensionUri: vscode.Uri, log: Log): Promise<vscode.Disposable> {
  const module = vscode.Uri.joinPath(extensionUri, 'dist', 'languageServer.cjs').fsPath;
  const server = { module, transport: TransportKind.ipc };
  const client = new LanguageClient(
    languageId,
    'Millrace Language',
    { run: server, debug: server },
    { documentSelector: [{ language: languageId }], initializationFailedHandler: () => false },
  );
  await client.start();
  return { dispose: () => void client.dispose().catch((thrown: unknown) => log.debug(errorText(thrown))) };
}
