import * as vscode from 'vscode';
import { walkthrough } from '../identifiers.js';

/** The command `Get Started`. @param extensionId `publisher.name` of this extension */
export async function openWalkthrough(extensionId: string): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extensionId}#${walkthrough}`, false);
}
