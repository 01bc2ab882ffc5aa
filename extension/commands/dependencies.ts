import type { LogOutputChannel } from 'vscode';
import type { Connections } from '../connections/connection.js';
import type { PipelineFiles } from '../pipelines/pipelineFiles.js';
import type { ResultDocuments } from '../runs/resultDocuments.js';
import type { PipelineRun, Runs } from '../runs/runs.js';
import type { PipelineValidator } from '../pipelines/validator.js';

/** What the commands about pipelines and tasks work with. */
export interface CommandDeps {
  readonly files: PipelineFiles;
  readonly runs: Runs;
  readonly results: ResultDocuments;
  readonly connections: Connections;
  readonly validator: PipelineValidator;
  readonly log: Pick<LogOutputChannel, 'show'>;
  /** Opens the live view of a run beside its file. */
  readonly openLiveView: (run: PipelineRun) => unknown;
}
