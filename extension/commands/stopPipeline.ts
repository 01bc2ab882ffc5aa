import * as vscode from 'vscode';
import type { PipelineRun, Runs } from '../runs/runs.js';
import type { CommandDeps } from './dependencies.js';
import { editedRun, fileOf, pickRun } from './target.js';

/** `Stop Pipeline`: every run of the file it is called on, else the one that the person picks. */
export async function stopPipeline({ runs }: Pick<CommandDeps, 'runs'>, argument: unknown): Promise<void> {
  const chosen = await chooseRuns(runs, fileOf(argument));
  const progress = { location: vscode.ProgressLocation.Window, title: 'Stopping' };
  await vscode.window.withProgress(progress, () => Promise.all(chosen.map((run) => runs.stop(run))));
}

async function chooseRuns(runs: Runs, file: vscode.Uri | undefined): Promise<PipelineRun[]> {
  if (file !== undefined) return runs.all.filter((run) => run.file.toString() === file.toString());
  const run = editedRun(runs) ?? (await pickRun(runs.all, 'Stop Pipeline'));
  return run === undefined ? [] : [run];
}
