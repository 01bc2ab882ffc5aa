import * as vscode from 'vscode';
import { Emitter } from '../emitter.js';
import { commands, languageId } from '../identifiers.js';
import { readPipelineText } from '../pipelines/pipelineFile.js';
import type { Runs } from '../runs/runs.js';
import { lensesOf } from './lenses.js';

/** What can be done with a pipeline, in a line above it. */
export class PipelineCodeLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #runs: Runs;
  readonly #changed = new Emitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(runs: Runs) {
    this.#runs = runs;
    this.#subscriptions = [
      runs.onDidChange(() => this.#changed.fire()),
      vscode.languages.registerCodeLensProvider({ language: languageId }, this),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const { uri } = document;
    const reading = readPipelineText(document.getText(), uri.path);
    const start = document.positionAt(reading.kind === 'pipeline' ? reading.start : 0);
    const range = new vscode.Range(start, start);
    const run = this.#runs.of(uri);
    const task = run && { token: run.info.token, name: uri.path.replace(/^.*\//, ''), connection: run.connection };
    return lensesOf(reading, run).map(({ title, command }) => {
      const argument = command === commands.attachToTask ? task : uri;
      return new vscode.CodeLens(range, { title, command, arguments: [argument] });
    });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }
}
