import type { Uri } from 'vscode';
import type { Catalogue } from '../../pipeline/catalogue.js';
import { LineIndex } from '../../pipeline/syntax/lineIndex.js';
import { isName } from '../../pipeline/values.js';
import { MillraceError } from '../../protocol/errors.js';
import type { Connection } from '../connections/connection.js';
import { watchTask } from '../debug/taskWatch.js';
import type { RunHost } from '../runs/runHost.js';
import type { Runs } from '../runs/runs.js';
import type { TerminalWork } from './taskTerminal.js';
import { findProblems, problemLine } from './validation.js';

/** A task of tasks.json whose fields were checked. */
export interface PipelineTask {
  readonly action: 'validate' | 'run';
  /** As it was written: an absolute path, or one from the workspace folder. */
  readonly file: string;
}

/** @throws MillraceError `invalid_argument` that names the field */
export function checkTask({ action, file }: Readonly<Record<string, unknown>>): PipelineTask {
  const hint = 'Correct the task in tasks.json.';
  if (action !== 'validate' && action !== 'run') {
    throw new MillraceError('invalid_argument', '"action" of a millrace task must be "validate" or "run"', { hint });
  }
  if (!isName(file)) {
    throw new MillraceError('invalid_argument', '"file" of a millrace task must be a pipeline file', { hint });
  }
  return { action, file };
}

export interface ValidateOptions {
  readonly host: Pick<RunHost, 'readPipeline'>;
  /** Asked only when it is connected. */
  readonly connection: Connection;
  readonly catalogue: Catalogue;
}

/** Prints a line for each problem; exit code 1 when one of them is an error. */
export function validateWork(uri: Uri, name: string, { host, connection, catalogue }: ValidateOptions): TerminalWork {
  return async (print) => {
    const text = await host.readPipeline(uri);
    const problems = await findProblems(text, catalogue, connection.connected);
    const lines = new LineIndex(text);
    for (const problem of problems) print(problemLine(name, lines, problem));
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    print(`${name}: ${plural(errors, 'error')}, ${plural(problems.length - errors, 'warning')}.`);
    return errors === 0 ? 0 : 1;
  };
}

/** Runs a pipeline and prints what its task says; ends with it. The signal stops a task that was started here. */
export function runWork(uri: Uri, name: string, runs: Runs): TerminalWork {
  return async (print, signal) => {
    const before = new Set(runs.all);
    const run = await runs.start(uri);
    const { connection, info } = run;
    const joined = before.has(run);
    print(joined ? `${name} was running already on ${connection.name}.` : `Started ${name} on ${connection.name}.`);
    const tell = ({ kind, text }: { kind: string; text: string }): void => {
      print(kind === 'error' ? `Error: ${text}` : kind === 'warning' ? `Warning: ${text}` : text);
    };
    const end = await watchTask({ connection, token: info.token, tell, signal });
    if (end === undefined) {
      if (!joined) await runs.stop(run);
      print(joined ? 'It goes on running.' : 'Stopped.');
      return 0;
    }
    print(`${end.reason.replace(/\.$/, '')}. Exit code ${end.exitCode}.`);
    return end.exitCode;
  };
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
