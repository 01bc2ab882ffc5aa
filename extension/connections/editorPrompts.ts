import * as vscode from 'vscode';
import type { Choice, Prompts, TextQuestion } from './prompts.js';

/** The editor's own input boxes. They stay open when the window loses focus: a key is often copied from elsewhere. */
export const editorPrompts: Prompts = {
  async ask({ title, prompt, value, placeHolder, isSecret = false, problem }: TextQuestion) {
    return vscode.window.showInputBox({
      title,
      prompt,
      password: isSecret,
      ignoreFocusOut: true,
      ...(value === undefined ? {} : { value }),
      ...(placeHolder === undefined ? {} : { placeHolder }),
      ...(problem === undefined ? {} : { validateInput: (answer) => problem(answer) }),
    });
  },

  async pick<T>(title: string, placeHolder: string, choices: readonly Choice<T>[]) {
    const items = choices.map(({ label, description, detail, value }) => ({
      label,
      value,
      ...(description === undefined ? {} : { description }),
      ...(detail === undefined ? {} : { detail }),
    }));
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
    return picked?.value;
  },

  async during(title, action) {
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, action);
  },

  tell(text) {
    void vscode.window.showInformationMessage(text);
  },
};
