import * as vscode from 'vscode';
import { showUsesCommand } from '../identifiers.js';

/** A place as the protocol writes it. */
interface Place {
  readonly line: number;
  readonly character: number;
}

interface Use {
  readonly uri: string;
  readonly range: { readonly start: Place; readonly end: Place };
}

/** What a lens above a component does: shows where it is used. Only the language server calls it. */
export function registerShowUses(): vscode.Disposable {
  const position = ({ line, character }: Place): vscode.Position => new vscode.Position(line, character);
  return vscode.commands.registerCommand(showUsesCommand, (uri: string, at: Place, uses: readonly Use[]) => {
    const locations = uses.map(({ uri: file, range }) => {
      return new vscode.Location(vscode.Uri.parse(file), new vscode.Range(position(range.start), position(range.end)));
    });
    return vscode.commands.executeCommand(
      'editor.action.showReferences',
      vscode.Uri.parse(uri),
      position(at),
      locations,
    );
  });
}
