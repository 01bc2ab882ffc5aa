import * as vscode from 'vscode';
import { showProviderCommand } from '../identifiers.js';

/** What the link in a hover does: shows what is written about a provider, as a page and not as text. */
export function registerShowProvider(extensionUri: vscode.Uri): vscode.Disposable {
  const page = vscode.Uri.joinPath(extensionUri, 'docs', 'providers.md');
  return vscode.commands.registerCommand(showProviderCommand, (id: string) =>
    vscode.commands.executeCommand('markdown.showPreview', page.with({ fragment: id })),
  );
}
