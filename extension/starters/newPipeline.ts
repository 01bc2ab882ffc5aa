import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { errorText, MillraceError } from '../../protocol/errors.js';
import { languageId } from '../identifiers.js';
import { fillStarter, freeName, nameProblem, pathOf, type Starter, starters } from './starters.js';

/** The command `New Pipeline from…`. */
export class NewPipeline {
  readonly #folder: vscode.Uri;

  /** @param extensionUri the folder of the extension, which has the starters */
  constructor(extensionUri: vscode.Uri) {
    this.#folder = vscode.Uri.joinPath(extensionUri, 'extension', 'starters');
  }

  /**
   * Asks for a starter and a name, makes the file in the workspace and opens it; without a folder the text opens
   * untitled.
   *
   * @param id the starter, so that nobody has to choose it
   * @throws MillraceError when the file cannot be written
   */
  async run(id?: unknown): Promise<void> {
    const starter = starters.find((each) => each.id === id) ?? (await pickStarter());
    if (starter === undefined) return;
    const text = await this.#textOf(starter);
    if (vscode.workspace.workspaceFolders === undefined) return openUntitled(text);
    const folder = await pickFolder();
    const file = folder === undefined ? undefined : await askForFile(starter, folder);
    if (file === undefined) return;
    await create(file, text);
    await vscode.window.showTextDocument(file, { preview: false });
  }

  async #textOf(starter: Starter): Promise<string> {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.#folder, `${starter.id}.pipe.json5`));
    return fillStarter(new TextDecoder().decode(bytes), randomUUID());
  }
}

async function pickStarter(): Promise<Starter | undefined> {
  const items = starters.map((starter) => ({
    label: starter.title,
    description: `takes ${starter.takes}`,
    detail:
      starter.variables.length === 0
        ? starter.description
        : `${starter.description} Needs ${starter.variables.join(', ')}.`,
    starter,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: 'New Pipeline',
    placeHolder: 'Choose what to start from',
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.starter;
}

/** The only folder, else that of the file being edited, else the one a person picks. */
async function pickFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 1) return folders[0];
  const active = vscode.window.activeTextEditor?.document.uri;
  const own = active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active);
  return own ?? vscode.window.showWorkspaceFolderPick({ placeHolder: 'Choose the folder for the new pipeline' });
}

async function askForFile(starter: Starter, folder: vscode.WorkspaceFolder): Promise<vscode.Uri | undefined> {
  const at = (name: string): vscode.Uri => vscode.Uri.joinPath(folder.uri, ...pathOf(name).split('/'));
  const name = await freeName(starter.id, (each) => exists(at(each)));
  const typed = await vscode.window.showInputBox({
    title: 'New Pipeline',
    prompt: `Name of the file in ${folder.name}`,
    value: name,
    valueSelection: [0, name.indexOf('.')],
    ignoreFocusOut: true,
    async validateInput(value) {
      const problem = nameProblem(value);
      if (problem !== undefined) return problem;
      return (await exists(at(value))) ? `${pathOf(value)} exists already.` : undefined;
    },
  });
  return typed === undefined ? undefined : at(typed);
}

async function create(file: vscode.Uri, text: string): Promise<void> {
  try {
    // Somebody else may have made the file since its name was typed.
    if (await exists(file)) throw new Error('it exists already');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  } catch (cause) {
    const message = `${vscode.workspace.asRelativePath(file)} could not be written: ${errorText(cause)}`;
    throw new MillraceError('invalid_argument', message, { cause, hint: 'Choose another name or folder.' });
  }
}

async function openUntitled(text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: languageId, content: text });
  await vscode.window.showTextDocument(document);
}

async function exists(file: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(file);
    return true;
  } catch {
    return false;
  }
}
