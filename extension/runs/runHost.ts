import type { Event, Uri } from 'vscode';
import type { TraceLevel } from '../../protocol/events.js';
import type { PipelineSource } from '../pipelines/pipelineFile.js';

/** `millrace.run.*` for one file, checked. */
export interface RunSettings {
  readonly traceLevel: TraceLevel;
  /** Idle seconds, 0 = none. */
  readonly ttl: number;
  readonly threads: number;
}

/** What a run needs of the editor. */
export interface RunHost {
  /**
   * The text of a pipeline file, saved first when it has changes; of a file that cannot be saved the text as it is.
   *
   * @throws MillraceError `file_not_found`, or `invalid_argument` when the file is too large
   */
  readPipeline(file: Uri): Promise<string>;
  /** The text of another file, undefined when there is none. */
  readText(file: Uri): Promise<string | undefined>;
  /** The workspace folder that a file is in. */
  folderOf(file: Uri): Uri | undefined;
  settings(file: Uri): RunSettings;
  /** Asks which source to start. Undefined when the person gave up. */
  pickSource(name: string, sources: readonly PipelineSource[]): Promise<string | undefined>;
  readonly onDidRename: Event<readonly { readonly oldUri: Uri; readonly newUri: Uri }[]>;
}
