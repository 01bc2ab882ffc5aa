import * as vscode from 'vscode';
import { parseSyntax } from '../../pipeline/syntax/parser.js';
import { findComponents } from './componentPositions.js';

/** Opens a pipeline file with a component of it selected, in the column where the file is open. */
export async function showComponent(file: vscode.Uri, id: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(file);
  const found = findComponents(parseSyntax(document.getText())).find((component) => component.id === id);
  const at = new vscode.Range(document.positionAt(found?.idStart ?? 0), document.positionAt(found?.idEnd ?? 0));
  const isOpen = ({ document: shown }: vscode.TextEditor): boolean => shown.uri.toString() === file.toString();
  const viewColumn = vscode.window.visibleTextEditors.find(isOpen)?.viewColumn ?? vscode.ViewColumn.One;
  await vscode.window.showTextDocument(document, { viewColumn, selection: at });
}
