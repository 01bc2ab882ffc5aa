import type { Uri } from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node.js';
import { languageId } from '../identifiers.js';

/** The language server as a process of its own, so that a large file never makes the editor's other extensions wait. */
export function createLanguageClient(
  extensionUri: Uri,
  joinPath: (base: Uri, ...parts: string[]) => Uri,
): LanguageClient {
  const module = joinPath(extensionUri, 'dist', 'languageServer.cjs').fsPath;
  const server = { module, transport: TransportKind.ipc };
  return new LanguageClient(
    languageId,
    'Millrace Language',
    { run: server, debug: server },
    {
      documentSelector: [{ language: languageId }],
    },
  );
}
