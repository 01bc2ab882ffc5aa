import * as vscode from 'vscode';
import { languageId } from '../identifiers.js';
import { resultText } from '../runs/results.js';
import type { CommandDeps } from './dependencies.js';
import { runOf } from './start.js';
import { pickPipeline, takesQuestions } from './target.js';

/** `Send Text…`: asks for a text, with the selection as default, and shows what the pipeline makes of it. */
export async function sendText(
  deps: CommandDeps,
  ask: (file: vscode.Uri) => Promise<void>,
  argument: unknown,
): Promise<void> {
  const file = await pickPipeline(argument, deps.files, 'Send Text');
  if (file === undefined) return;
  if (await takesQuestions(deps, file)) return ask(file);
  const text = await askForText();
  if (text === undefined || text === '') return;
  const run = await runOf(deps, file);
  const progress = { location: vscode.ProgressLocation.Window, title: 'Waiting for the result' };
  const result = await vscode.window.withProgress(progress, async () => {
    const client = await run.connection.client();
    return client.send(run.info.token, text, { name: 'Text' }, 'text/plain');
  });
  await deps.results.show(resultText(result, 'Text'));
}

/** The box has one line only, so a selection of several is offered as a whole. */
async function askForText(): Promise<string | undefined> {
  const selected = selection();
  const lines = selected.split(/\r\n|\r|\n/).length;
  const typed = await vscode.window.showInputBox({
    title: 'Send Text',
    prompt: 'The text goes into the pipeline as one object.',
    placeHolder: lines > 1 ? `Press Enter to send the ${lines} selected lines, or type another text` : 'Text',
    ...(lines > 1 ? {} : { value: selected }),
  });
  return typed === '' && lines > 1 ? selected : typed;
}

/** Of the editor in front, unless that is the pipeline itself. */
function selection(): string {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.document.languageId === languageId) return '';
  return editor.document.getText(editor.selection);
}
