import * as vscode from 'vscode';
import type { CommandDeps } from './dependencies.js';
import { sendAndShow } from './sendAndShow.js';
import { runOf } from './start.js';
import { pickPipeline } from './target.js';

/** `Send Files…`: asks for files and shows what the pipeline makes of them. */
export async function sendFiles(deps: CommandDeps, argument: unknown): Promise<void> {
  const file = await pickPipeline(argument, deps.files, 'Send Files');
  if (file === undefined) return;
  const chosen = await vscode.window.showOpenDialog({ canSelectMany: true, openLabel: 'Send', title: 'Send Files' });
  if (chosen === undefined || chosen.length === 0) return;
  await sendAndShow(deps, await runOf(deps, file), chosen);
}
