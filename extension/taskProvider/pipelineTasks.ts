import type { Uri } from 'vscode';
import { compilerWord } from '../../pipeline/rules.js';
import { isName } from '../../pipeline/values.js';
import { MillraceError } from '../../protocol/errors.js';
import type { Connection } from '../connections/connection.js';
import { watchTask } from '../debug/taskWatch.js';
import type { AnalysisOptionsOf } from '../pipelines/analysisOptions.js';
import { countFindings, type Finding, findProblems, localCheck, serverCheck } from '../pipelines/validation.js';
import type { RunHost } from '../runs/runHost.js';
import type { Runs } from '../runs/runs.js';
import type { TerminalWork } from './taskTerminal.js';

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
  readonly analysis: AnalysisOptionsOf;
}

/** Prints a line with the absolute path for each problem; exit code 1 when one of them is an error. */
export function validateWork(uri: Uri, name: string, options: ValidateOptions): TerminalWork {
  return async (print) => {
    const text = await options.host.readPipeline(uri);
    const findings = await findAll(text, uri, options);
    for (const finding of findings) print(problemLine(uri.fsPath, finding));
    print(`${name}: ${countFindings(findings) || 'no problems'}.`);
    return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
  };
}

/** The server knows components of its own; without it, or when it fails, the catalogue alone decides. */
async function findAll(text: string, uri: Uri, { connection, analysis }: ValidateOptions): Promise<readonly Finding[]> {
  const client = connection.connected;
  const known = analysis(uri);
  const own = (): Promise<Finding[]> => findProblems(text, uri.path, localCheck, known);
  return client === undefined ? own() : findProblems(text, uri.path, serverCheck(client), known).catch(own);
}

/** `file:line:column: severity CODE: message`, as the problem matcher reads it. */
function problemLine(file: string, { severity, code, message, start }: Finding): string {
  const oneLine = message.replace(/\s*\n\s*/g, ' ');
  return `${file}:${start.line + 1}:${start.character + 1}: ${compilerWord(severity)} ${code}: ${oneLine}`;
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
