import * as vscode from 'vscode';
import { MillraceError } from '../../protocol/errors.js';
import { isRecord } from '../../pipeline/values.js';
import { languageId } from '../identifiers.js';
import type { PipelineFiles } from '../pipelines/pipelineFiles.js';
import type { PipelineRun, Runs } from '../runs/runs.js';

/** The file that a menu, a line of a tree or a CodeLens is about. */
export function fileOf(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument;
  // The language server knows addresses as text.
  if (typeof argument === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(argument)) return vscode.Uri.parse(argument, true);
  const uri: unknown =
    typeof argument === 'object' && argument !== null && 'uri' in argument ? argument.uri : undefined;
  return uri instanceof vscode.Uri ? uri : undefined;
}

/** The token of the task that a line of a tree or another caller is about. */
export function tokenOf(argument: unknown): string | undefined {
  if (typeof argument === 'string' && argument !== '') return argument;
  if (typeof argument !== 'object' || argument === null) return undefined;
  if ('token' in argument && typeof argument.token === 'string') return argument.token;
  const task: unknown = 'task' in argument ? argument.task : undefined;
  return isRecord(task) && typeof task.token === 'string' ? task.token : undefined;
}

/**
 * The pipeline a command is for: the one it was called on, else the one that is being edited, else the one that the
 * person picks. Undefined when the person gave up.
 *
 * @throws MillraceError `file_not_found` when there is no pipeline at all
 */
export async function pickPipeline(
  argument: unknown,
  files: PipelineFiles,
  title: string,
): Promise<vscode.Uri | undefined> {
  const given = fileOf(argument) ?? editedPipeline();
  if (given !== undefined) return given;
  const [first, second] = files.files;
  if (first === undefined) {
    throw new MillraceError('file_not_found', 'There is no pipeline in this window.', {
      hint: 'Open one, or make one with the command "New Pipeline from…".',
    });
  }
  if (second === undefined) return first.uri;
  const items = files.files.map(({ uri, path }) => ({ label: path, uri }));
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Choose a pipeline' });
  return picked?.uri;
}

/** One of several runs; undefined when the person gave up. */
export async function pickRun(all: readonly PipelineRun[], title: string): Promise<PipelineRun | undefined> {
  if (all.length < 2) return all[0];
  const items = all.map((run) => ({
    label: vscode.workspace.asRelativePath(run.file),
    description: [run.info.source, run.connection.name].filter((each) => each !== undefined).join(' · '),
    run,
  }));
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Choose a running pipeline' });
  return picked?.run;
}

/** Whether a pipeline takes questions: what runs of it says, else what its file says. */
export async function takesQuestions(
  { files, runs }: { readonly files: PipelineFiles; readonly runs: Runs },
  file: vscode.Uri,
): Promise<boolean> {
  const run = runs.of(file);
  if (run !== undefined) return run.isChat;
  const reading = await files.facts(file);
  return reading.kind === 'pipeline' && reading.isChat;
}

/** The run of the pipeline that is being edited, when it runs. */
export function editedRun(runs: Runs): PipelineRun | undefined {
  const file = editedPipeline();
  return file === undefined ? undefined : runs.of(file);
}

function editedPipeline(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === languageId ? document.uri : undefined;
}
