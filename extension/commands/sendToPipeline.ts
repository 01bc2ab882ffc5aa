import * as vscode from 'vscode';
import { MillraceError } from '../../protocol/errors.js';
import type { PipelineRun } from '../runs/runs.js';
import type { CommandDeps } from './dependencies.js';
import { sendAndShow } from './sendAndShow.js';
import { startPipeline } from './start.js';
import { pickRun } from './target.js';

/**
 * `Send to Pipeline…` on files and folders of the Explorer. With several running pipelines it asks which one, with none
 * it offers to run one.
 *
 * @param argument the line that was clicked
 * @param selected all lines that are selected
 */
export async function sendToPipeline(deps: CommandDeps, argument: unknown, selected: unknown): Promise<void> {
  const chosen = (Array.isArray(selected) && selected.length > 0 ? selected : [argument]).filter(
    (each): each is vscode.Uri => each instanceof vscode.Uri,
  );
  if (chosen.length === 0) {
    throw new MillraceError('file_not_found', 'No file is selected.', { hint: 'Select files in the Explorer first.' });
  }
  const run = await chooseRun(deps);
  if (run !== undefined) await sendAndShow(deps, run, chosen);
}

async function chooseRun(deps: CommandDeps): Promise<PipelineRun | undefined> {
  // A chat takes questions only.
  const running = deps.runs.all.filter(({ isChat }) => !isChat);
  if (running.length > 0) return pickRun(running, 'Send to Pipeline');
  const takesFiles = await Promise.all(
    deps.files.files.map(async (entry) => {
      const reading = await deps.files.facts(entry.uri);
      return reading.kind === 'pipeline' && reading.sources.some(({ provider }) => provider !== 'chat') ? [entry] : [];
    }),
  );
  const items = takesFiles.flat().map(({ uri, path }) => ({ label: `$(play) ${path}`, uri }));
  if (items.length === 0) {
    throw new MillraceError('file_not_found', 'There is no pipeline that takes files.', {
      hint: 'Open one, or make one with the command "New Pipeline from…".',
    });
  }
  const placeHolder = 'No pipeline is running. Choose one to run and send to';
  const picked = await vscode.window.showQuickPick(items, { title: 'Send to Pipeline', placeHolder });
  return picked === undefined ? undefined : startPipeline(deps, picked.uri);
}
