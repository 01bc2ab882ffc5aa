import * as vscode from 'vscode';
import { settings } from '../identifiers.js';
import { pipelineName } from '../pipelines/pipelineFile.js';
import type { PipelineRun } from '../runs/runs.js';
import type { CommandDeps } from './dependencies.js';

/** Starts a pipeline, or gives the run that is there. Opens the live view of a new run, unless the settings say no. */
export async function startPipeline(
  { runs, openLiveView }: Pick<CommandDeps, 'runs' | 'openLiveView'>,
  file: vscode.Uri,
): Promise<PipelineRun> {
  const before = new Set(runs.all);
  const progress = { location: vscode.ProgressLocation.Window, title: `Starting ${pipelineName(file.path)}` };
  const run = await vscode.window.withProgress(progress, () => runs.start(file));
  const wanted = vscode.workspace.getConfiguration('millrace', file).get<unknown>(settings.openLiveView) !== false;
  if (wanted && !before.has(run)) await openLiveView(run);
  return run;
}

/** The run of a file that something is to be sent to; started when it does not run yet. */
export async function runOf(deps: Pick<CommandDeps, 'runs' | 'openLiveView'>, file: vscode.Uri): Promise<PipelineRun> {
  return deps.runs.of(file) ?? (await startPipeline(deps, file));
}
