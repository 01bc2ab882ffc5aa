import { type ErrorCode, errorTable, isErrorCode, MillraceError } from '../../../protocol/errors.js';
import type { ErrorOptions } from '../../../protocol/errors.js';
import type { ResponseMessage } from '../../../protocol/envelope.js';

/** The server refused the key, or the key may not do this. Codes `auth_*`, `not_authenticated`, `permission_denied`. */
export class AuthenticationError extends MillraceError {
  override readonly name = 'AuthenticationError';
}

/** No connection, or it was lost while a request was waiting. Codes `connection_failed`, `connection_lost`. */
export class ConnectionError extends MillraceError {
  override readonly name = 'ConnectionError';
}

/** No reply within the request's timeout. Code `timeout`. */
export class TimeoutError extends MillraceError {
  override readonly name = 'TimeoutError';
}

/** The caller's AbortSignal fired, or the client was disconnected while it was connecting. Code `cancelled`. */
export class CancelledError extends MillraceError {
  override readonly name = 'CancelledError';
}

/** An argument or a pipeline is wrong. Codes `invalid_argument`, `pipeline_*`, `source_*`, `provider_unknown`. */
export class ValidationError extends MillraceError {
  override readonly name = 'ValidationError';
}

/** The task could not be started or does not take the request. Codes `start_failed`, `task_*`, `token_required`. */
export class TaskError extends MillraceError {
  override readonly name = 'TaskError';
}

/** A pipe could not be opened, written or closed. Codes `pipe_*`, `component_failed`. */
export class PipeError extends MillraceError {
  override readonly name = 'PipeError';
}

/** Something named by the caller does not exist. Codes `file_not_found`, `not_found`, `service_unknown`. */
export class NotFoundError extends MillraceError {
  override readonly name: string = 'NotFoundError';
}

/** A local or stored file does not exist. Code `file_not_found`. */
export class FileNotFoundError extends NotFoundError {
  override readonly name = 'FileNotFoundError';
}

type ErrorClass = new (code: ErrorCode, message?: string, options?: ErrorOptions) => MillraceError;

const classes: Partial<Record<ErrorCode, ErrorClass>> = {
  not_authenticated: AuthenticationError,
  auth_missing: AuthenticationError,
  auth_invalid: AuthenticationError,
  auth_too_many: AuthenticationError,
  permission_denied: AuthenticationError,
  connection_lost: ConnectionError,
  connection_failed: ConnectionError,
  timeout: TimeoutError,
  cancelled: CancelledError,
  invalid_argument: ValidationError,
  pipeline_invalid: ValidationError,
  pipeline_syntax: ValidationError,
  source_missing: ValidationError,
  source_ambiguous: ValidationError,
  provider_unknown: ValidationError,
  token_required: TaskError,
  task_unknown: TaskError,
  task_exists: TaskError,
  task_ended: TaskError,
  task_stopping: TaskError,
  task_failed: TaskError,
  start_failed: TaskError,
  pipe_not_found: PipeError,
  pipe_failed: PipeError,
  pipe_abandoned: PipeError,
  component_failed: PipeError,
  not_found: NotFoundError,
  service_unknown: NotFoundError,
  file_not_found: FileNotFoundError,
};

/** The error of the class that belongs to `code`. */
export function createError(code: ErrorCode, message?: string, options?: ErrorOptions): MillraceError {
  const Class = classes[code] ?? MillraceError;
  return new Class(code, message, options);
}

/** A time in milliseconds, as messages tell it in every client. */
export function seconds(ms: number): string {
  return `${Math.round(ms) / 1000} s`;
}

/** Servers without error codes say only a text; the command then tells what kind of failure it is. */
const fallbackCodes: Record<string, ErrorCode> = {
  auth: 'auth_invalid',
  execute: 'start_failed',
  restart: 'start_failed',
  terminate: 'task_failed',
  process: 'pipe_failed',
  validate: 'pipeline_invalid',
  services: 'service_unknown',
  store: 'store_failed',
};

const codesByText = new Map(
  (Object.keys(errorTable) as ErrorCode[]).map((code) => [errorTable[code].message as string, code]),
);

/** The error a failed response stands for. */
export function errorOfResponse(command: string, response: ResponseMessage): MillraceError {
  const message = response.message === undefined || response.message === '' ? undefined : response.message;
  const code = isErrorCode(response.code) ? response.code : codeOf(command, message ?? '');
  const hint = typeof response.hint === 'string' ? { hint: response.hint } : {};
  return createError(code, message ?? `The server refused ${command} without saying why`, hint);
}

function codeOf(command: string, message: string): ErrorCode {
  const known = codesByText.get(message);
  if (known !== undefined) return known;
  const name = command.replace(/^[a-z]*ext_/, '');
  return fallbackCodes[name] ?? (name.startsWith('deploy_') ? 'deployment_failed' : 'internal');
}
