import * as vscode from 'vscode';
import { MillraceError } from '../../protocol/errors.js';
import { tokenOf } from './target.js';

const shownMs = 4000;

/** `Copy Token` of a task. */
export async function copyToken(argument: unknown): Promise<void> {
  const token = tokenOf(argument);
  if (token === undefined)
    throw new MillraceError('token_required', 'No task is selected.', { hint: 'Select a task.' });
  await vscode.env.clipboard.writeText(token);
  vscode.window.setStatusBarMessage('$(copy) The token is in the clipboard', shownMs);
}
