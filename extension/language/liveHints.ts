import * as vscode from 'vscode';
import { parseSyntax } from '../../pipeline/syntax/parser.js';
import { Emitter } from '../emitter.js';
import { languageId } from '../identifiers.js';
import { findComponents } from '../pipelines/componentPositions.js';
import type { Runs } from '../runs/runs.js';
import type { TaskList } from '../views/taskList.js';
import { Throttle } from '../views/throttle.js';
import { liveCounts } from './liveCounts.js';

/** The hints follow a task twice a second at most. */
const refreshMs = 500;

/** While a pipeline runs, how many objects have gone through each component and how many are in it, behind its id. */
export class LiveHints implements vscode.InlayHintsProvider, vscode.Disposable {
  readonly #runs: Runs;
  readonly #tasks: TaskList;
  readonly #changed = new Emitter<void>();
  readonly onDidChangeInlayHints = this.#changed.event;
  readonly #refresh = new Throttle(() => this.#changed.fire(), refreshMs);
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(runs: Runs, tasks: TaskList) {
    this.#runs = runs;
    this.#tasks = tasks;
    this.#subscriptions = [
      runs.onDidChange(() => this.#refresh.trigger()),
      tasks.onDidChange(() => {
        if (runs.all.length > 0) this.#refresh.trigger();
      }),
      vscode.languages.registerInlayHintsProvider({ language: languageId }, this),
    ];
  }

  provideInlayHints(document: vscode.TextDocument, range: vscode.Range): vscode.InlayHint[] {
    const run = this.#runs.of(document.uri);
    const status = run === undefined ? undefined : this.#tasks.find(run.info.token)?.status;
    if (status === undefined) return [];
    return liveCounts(findComponents(parseSyntax(document.getText())), status).flatMap(({ at, label, tooltip }) => {
      const position = document.positionAt(at);
      if (!range.contains(position)) return [];
      const hint = new vscode.InlayHint(position, label);
      hint.tooltip = tooltip;
      hint.paddingLeft = true;
      return [hint];
    });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#refresh.dispose();
    this.#changed.dispose();
  }
}
