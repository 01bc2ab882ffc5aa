import type { Event, Uri } from 'vscode';
import type { StartInfo } from '../../client/typescript/src/index.js';
import type { TraceLevel } from '../../protocol/events.js';
import type { Connection } from '../connections/connection.js';

/** How a pipeline is to be started. What is absent comes from the settings of its file. */
export interface RunOptions {
  readonly source?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly threads?: number | undefined;
  /** Idle seconds, 0 = none. */
  readonly ttl?: number | undefined;
  readonly traceLevel?: TraceLevel | undefined;
  /** Variables for `${…}` in the pipeline, over those of `.env`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The current connection when absent. */
  readonly connection?: Connection | undefined;
}

/** A pipeline file that this window started and that has not ended. */
export interface PipelineRun {
  readonly file: Uri;
  readonly info: StartInfo;
  readonly connection: Connection;
  /** Whether its source takes questions. */
  readonly isChat: boolean;
}

/** The pipelines that this window runs, at most one run per file and source. */
export interface Runs {
  readonly all: readonly PipelineRun[];
  readonly onDidChange: Event<void>;
  /** The run of a file, the newest one when several sources run. */
  of(file: Uri): PipelineRun | undefined;
  /** Saves the file, checks it and starts it; the running one when it runs already. @throws MillraceError */
  start(file: Uri, options?: RunOptions): Promise<PipelineRun>;
  stop(run: PipelineRun): Promise<void>;
}
