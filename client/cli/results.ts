import { Answer, type PipelineResult, resultKeys } from '../typescript/src/index.js';
import { type ExitCode, exitCodes } from './exitCodes.js';
import type { Run } from './run.js';
import { plain } from './style.js';

/** Shows what a pipeline made: texts as they are, everything else as JSON. */
export function showResult(run: Run, result: PipelineResult): ExitCode {
  if (run.json) run.printJson(result);
  else {
    const items = resultKeys(result).flatMap((key) => asList(result[key]));
    for (const item of items) run.print(`${(typeof item === 'string' ? plain(item) : json(item)).trimEnd()}\n`);
    if (items.length === 0 && result.error === undefined) {
      run.note('The pipeline returned nothing: no response component got data of this type.\n');
    }
  }
  return showError(run, result);
}

/** Shows the answers of a chat. */
export function showAnswers(run: Run, result: PipelineResult): ExitCode {
  if (run.json) return showResult(run, result);
  for (const answer of Answer.of(result)) run.print(`${plain(answer.getText()).trimEnd()}\n`);
  return showError(run, result);
}

export function showError(run: Run, { error }: PipelineResult): ExitCode {
  if (error === undefined) return exitCodes.ok;
  const where = error.component === undefined ? '' : `${error.component}: `;
  run.io.stderr.write(`error: ${plain(where + error.message)}\n`);
  return exitCodes.failed;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}
