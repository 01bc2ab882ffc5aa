import * as vscode from 'vscode';
import { pipelineName } from '../pipelines/pipelineFile.js';
import { countFindings } from '../pipelines/validation.js';
import type { CommandDeps } from './dependencies.js';
import { pickPipeline } from './target.js';

const shownMs = 8000;

/** `Validate Pipeline`: problems go to the Problems view, the sum to the status bar. */
export async function validatePipeline(
  { files, validator }: Pick<CommandDeps, 'files' | 'validator'>,
  argument: unknown,
): Promise<void> {
  const file = await pickPipeline(argument, files, 'Validate Pipeline');
  if (file === undefined) return;
  const name = pipelineName(file.path);
  const progress = { location: vscode.ProgressLocation.Window, title: `Validating ${name}` };
  const findings = await vscode.window.withProgress(progress, () => validator.validate(file));
  const count = countFindings(findings);
  if (count === '') {
    vscode.window.setStatusBarMessage(`$(pass) ${name} is valid`, shownMs);
    return;
  }
  const icon = findings.some(({ severity }) => severity === 'error') ? '$(error)' : '$(warning)';
  vscode.window.setStatusBarMessage(`${icon} ${name}: ${count}`, shownMs);
  await vscode.commands.executeCommand('workbench.actions.view.problems');
}
