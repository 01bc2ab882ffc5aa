import * as vscode from 'vscode';
import { isRuleCode } from '../../pipeline/rules.js';
import { showProblemCommand, showProviderCommand } from '../identifiers.js';

/** What the links in hovers and at codes do: show what is written about a provider or a problem, as a page and not as text. */
export function registerShowPages(extensionUri: vscode.Uri): vscode.Disposable {
  const docs = vscode.Uri.joinPath(extensionUri, 'docs');
  const show = (page: vscode.Uri): Thenable<unknown> => vscode.commands.executeCommand('markdown.showPreview', page);
  return vscode.Disposable.from(
    vscode.commands.registerCommand(showProviderCommand, (id: string) =>
      show(vscode.Uri.joinPath(docs, 'providers.md').with({ fragment: id })),
    ),
    vscode.commands.registerCommand(showProblemCommand, (code: string) =>
      show(vscode.Uri.joinPath(docs, 'problems', isRuleCode(code) ? `${code}.md` : 'README.md')),
    ),
  );
}
