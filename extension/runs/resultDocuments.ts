import * as vscode from 'vscode';
import { Emitter } from '../emitter.js';
import { livePanelType } from '../identifiers.js';
import type { ResultText } from './results.js';

export const resultScheme = 'millrace-result';

/** The editor's words for its groups in the commands that go to one. */
const ordinals = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth'];

/** A document that is shown, and may go on growing. */
export interface ShownResult {
  readonly uri: vscode.Uri;
  update(text: string): void;
}

/** Older results are forgotten; their editors keep what they show. */
const mostDocuments = 50;
/** UTF-16 units of all results together. */
const mostText = 64 * 1024 * 1024;

/** Results as read-only documents. */
export class ResultDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new Emitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;
  #count = 0;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(resultScheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? 'This result is not kept any more. Send the object again to see it.\n';
  }

  /** Opens a result beside what is being edited, where the results before it are, without taking the focus. */
  async show({ fileName, text }: ResultText): Promise<ShownResult> {
    const uri = vscode.Uri.from({ scheme: resultScheme, path: `/${++this.#count}/${fileName}` });
    this.#keep(uri, text);
    await this.#open(uri);
    return {
      uri,
      update: (newer) => {
        this.#keep(uri, newer);
        this.#changed.fire(uri);
      },
    };
  }

  /** Brings a result that was shown before to the front. */
  reveal({ uri }: ShownResult): Promise<void> {
    return this.#open(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
    this.#texts.clear();
  }

  async #open(uri: vscode.Uri): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    const known = groupOf(uri)?.viewColumn;
    const panel = liveViewGroup();
    const column: number = panel?.viewColumn ?? 0;
    const ordinal = ordinals[column - 1];
    if (known !== undefined || ordinal === undefined) {
      const viewColumn = known ?? vscode.ViewColumn.Beside;
      await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true, preview: false });
      return;
    }
    // The first result goes below the live view: in front of it, the view would be unloaded.
    const before = vscode.window.activeTextEditor;
    await vscode.commands.executeCommand(`workbench.action.focus${ordinal}EditorGroup`);
    await vscode.commands.executeCommand('workbench.action.newGroupBelow');
    // By its number, because the news of which group is active comes later.
    await vscode.window.showTextDocument(document, { viewColumn: column + 1, preview: false });
    if (before === undefined) return;
    const { viewColumn = vscode.ViewColumn.One } = before;
    await vscode.window.showTextDocument(before.document, { viewColumn });
  }

  #keep(uri: vscode.Uri, text: string): void {
    const key = uri.toString();
    this.#texts.delete(key);
    this.#texts.set(key, text);
    let size = [...this.#texts.values()].reduce((sum, each) => sum + each.length, 0);
    for (const [oldest, each] of this.#texts) {
      if (oldest === key || (this.#texts.size <= mostDocuments && size <= mostText)) break;
      this.#texts.delete(oldest);
      size -= each.length;
    }
  }
}

/** Where this result is, else where the other ones are. */
function groupOf(uri: vscode.Uri): vscode.TabGroup | undefined {
  const { all } = vscode.window.tabGroups;
  const shows = (group: vscode.TabGroup, wanted: (shown: vscode.Uri) => boolean): boolean =>
    group.tabs.some(({ input }) => input instanceof vscode.TabInputText && wanted(input.uri));
  const own = all.find((group) => shows(group, (shown) => shown.toString() === uri.toString()));
  return own ?? all.find((group) => shows(group, ({ scheme }) => scheme === resultScheme));
}

function liveViewGroup(): vscode.TabGroup | undefined {
  return vscode.window.tabGroups.all.find(({ activeTab }) => {
    const input = activeTab?.input;
    // The editor puts a prefix before the type of a panel.
    return input instanceof vscode.TabInputWebview && input.viewType.endsWith(livePanelType);
  });
}
