/**
 * The one table of error codes. A published code is permanent: clients decide on codes, never on message text.
 * `http` is the status of the HTTP door; `message` is the default text; `hint` says what to do.
 */
export const errorTable = {
  not_authenticated: {
    http: 401,
    message: 'Not authenticated',
    hint: 'Send `auth` with an API key first.',
  },
  auth_missing: {
    http: 401,
    message: 'No authorization provided',
    hint: 'Pass an API key: --apikey, MILLRACE_APIKEY, or the header `Authorization: Bearer KEY`.',
  },
  auth_invalid: {
    http: 401,
    message: 'Invalid API key',
    hint: 'Check the key; the server printed where its key is stored when it started.',
  },
  auth_too_many: {
    http: 429,
    message: 'Too many authentication attempts',
    hint: 'Open a new connection.',
  },
  permission_denied: {
    http: 403,
    message: 'Permission denied',
    hint: 'Use an API key: a task or public key covers its own task only.',
  },
  origin_refused: {
    http: 403,
    message: 'This origin may not use the service',
    hint: 'Call the service from a program, or add the origin with --allow-origin.',
  },
  host_refused: {
    http: 421,
    message: 'This host name is not served here',
    hint: 'Use the address the server printed, or add the name with --allow-host.',
  },
  invalid_message: {
    http: 400,
    message: 'The message is not valid',
    hint: 'Send one JSON object per WebSocket message, as docs/wire describes.',
  },
  invalid_argument: {
    http: 400,
    message: 'An argument is not valid',
    hint: 'Check the arguments of the command.',
  },
  too_large: {
    http: 413,
    message: 'The message is too large',
    hint: 'Send large data through a pipe in chunks of at most 1 MiB.',
  },
  too_many: {
    http: 429,
    message: 'Too many at once',
    hint: 'Wait for earlier requests to finish, or close what is no longer used.',
  },
  unknown_command: {
    http: 404,
    message: 'Invalid command',
    hint: 'See docs/wire for the commands of this server.',
  },
  unsupported: {
    http: 501,
    message: 'This server does not offer that',
    hint: 'See the documentation for what a self-hosted server offers.',
  },
  media_type_refused: {
    http: 415,
    message: 'This content type is not accepted here',
    hint: 'Send `Content-Type: application/json`.',
  },
  method_not_allowed: {
    http: 405,
    message: 'This method is not allowed here',
    hint: 'See the header `Allow` of the answer, or /openapi.json for the routes.',
  },
  not_found: { http: 404, message: 'Not found', hint: 'See /openapi.json for the routes.' },
  package_missing: {
    http: 404,
    message: 'This server does not have that package',
    hint: 'Build the packages with `npm run package` in a clone and start the server again, or name their folder with --packages.',
  },
  token_required: {
    http: 400,
    message: 'Task token is required',
    hint: 'Pass the token that starting the pipeline returned.',
  },
  task_unknown: {
    http: 400,
    message: 'Your pipeline is not running',
    hint: 'Start the pipeline first; finished tasks are forgotten after five minutes.',
  },
  task_exists: {
    http: 409,
    message: 'Pipeline is already running.',
    hint: 'Use `useExisting`, another token, or terminate the running task.',
  },
  task_ended: {
    http: 400,
    message: 'Task has already completed',
    hint: 'Start the pipeline again.',
  },
  task_stopping: {
    http: 400,
    message: 'Task is terminating, cannot process data requests',
    hint: 'Start the pipeline again.',
  },
  task_failed: {
    http: 400,
    message: 'The task ended unexpectedly',
    hint: 'See `exitMessage` and `errors` of the task status, then start the pipeline again.',
  },
  start_failed: {
    http: 400,
    message: 'The pipeline failed to start',
    hint: 'Correct what the message names, then start again.',
  },
  pipeline_invalid: {
    http: 400,
    message: 'The pipeline is not valid',
    hint: 'Run `millrace validate` for the list of problems.',
  },
  pipeline_syntax: {
    http: 400,
    message: 'The pipeline file is not valid JSON5',
    hint: 'Correct the file at the line and column given.',
  },
  source_missing: {
    http: 400,
    message: 'Pipeline does not have a source component defined',
    hint: 'Set `source` to the id of the entry component, or give that component `config.mode: "Source"`.',
  },
  source_ambiguous: {
    http: 400,
    message: 'Pipeline has multiple source components, please specify one explicitly',
    hint: 'Pass `source` with the id of the one to start.',
  },
  provider_unknown: {
    http: 400,
    message: 'Unknown provider',
    hint: 'See `millrace services` for the providers of this server.',
  },
  service_unknown: {
    http: 400,
    message: 'Service not found',
    hint: 'Please check the service name and try again.',
  },
  pipe_not_found: {
    http: 400,
    message: 'Pipe not found',
    hint: 'Open the pipe first; a pipe belongs to the connection that opened it.',
  },
  pipe_failed: {
    http: 400,
    message: 'The pipe has failed',
    hint: 'Close the pipe; its result carries the error.',
  },
  pipe_abandoned: {
    http: 400,
    message: 'The pipe was closed after 60 s without activity',
    hint: 'Close every pipe you open.',
  },
  component_failed: {
    http: 400,
    message: 'A component failed',
    hint: 'See the message; the task goes on with the next object.',
  },
  store_failed: { http: 400, message: 'The file store refused', hint: 'See the message.' },
  deployment_failed: { http: 400, message: 'The deployment was refused', hint: 'See the message.' },
  timeout: {
    http: 504,
    message: 'The request timed out',
    hint: 'Raise the timeout, or check that the server is reachable.',
  },
  cancelled: { http: 499, message: 'The request was cancelled', hint: 'Send it again if it is still wanted.' },
  connection_lost: {
    http: 503,
    message: 'The connection was lost',
    hint: 'Check that the server is running; with `persist` the client reconnects by itself.',
  },
  connection_failed: {
    http: 503,
    message: 'Could not connect to the server',
    hint: 'Check the address and that the server is running: `millrace-engine serve`.',
  },
  file_not_found: { http: 404, message: 'File not found', hint: 'Check the path.' },
  internal: {
    http: 500,
    message: 'Internal error',
    hint: 'This is a defect: please report it with the log of the server.',
  },
} as const satisfies Record<string, { http: number; message: string; hint: string }>;

export type ErrorCode = keyof typeof errorTable;

export interface ErrorOptions {
  hint?: string | undefined;
  cause?: unknown;
}

/** An error with a code from the table. `message` is what a person reads, `hint` says what to do. */
export class MillraceError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message?: string, options: ErrorOptions = {}) {
    super(message ?? errorTable[code].message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'MillraceError';
    this.code = code;
    this.hint = options.hint ?? errorTable[code].hint;
  }

  get httpStatus(): number {
    return errorTable[this.code].http;
  }
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorTable, value);
}

/** Whatever was thrown, as a MillraceError; foreign errors become `fallback` and keep their text. */
export function toMillraceError(thrown: unknown, fallback: ErrorCode = 'internal'): MillraceError {
  if (thrown instanceof MillraceError) return thrown;
  return new MillraceError(fallback, errorText(thrown), { cause: thrown });
}

/** A text for whatever was thrown, never empty. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  try {
    return String(thrown) || 'Unknown error';
  } catch {
    // An object without a prototype has no text.
    return 'Unknown error';
  }
}
