/** What a send or the close of a pipe returns. Lane results stand beside the fixed fields under their own keys. */
export interface PipelineResult {
  objectId: string;
  name?: string;
  /** Directory part of the object's path; empty for a plain name. */
  path?: string;
  /** Key → lane (inside the engine and for existing clients), or the list of keys (specification). */
  result_types?: Record<string, string> | string[];
  metadata?: Record<string, unknown>;
  error?: ResultError;
  [key: string]: unknown;
}

/** Why an object failed. `component` is the id of the component that threw. */
export interface ResultError {
  message: string;
  code: string;
  component?: string;
  file?: string;
  line?: number;
  function?: string;
}

/** One per file of `sendFiles`. Sizes in bytes, time in seconds. */
export interface UploadResult {
  action: 'complete' | 'error';
  filepath: string;
  bytes_sent: number;
  file_size: number;
  upload_time: number;
  result?: PipelineResult;
  error?: string;
}

/** A finding about a pipeline, with a stable code. */
export interface Diagnostic {
  severity: 'error' | 'warning';
  code: string;
  message: string;
  /** Id of the component concerned, when there is one. */
  component?: string;
  /** JSON path of the value concerned, for example `["components", 2, "input", 0, "from"]`. */
  path?: (string | number)[];
}

export interface Resolved {
  id: string;
  provider: string;
}

/** The answer to `validate` in our dialect. */
export interface ValidationResult {
  errors: string[];
  warnings: string[];
  diagnostics: Diagnostic[];
  resolved?: Resolved;
  /** Ids of the components that run, in topological order, controlled components included. */
  chain: string[];
  pipeline?: unknown;
  component?: unknown;
}
