import { type ErrorCode, errorTable, MillraceError } from '../../../protocol/errors.js';

/** `{"status":"OK","data":…}`; `data` is left out when there is none. */
export function success(data?: unknown): { status: 'OK'; data?: unknown } {
  return data === undefined ? { status: 'OK' } : { status: 'OK', data };
}

export interface ErrorBody {
  message: string;
  /** The same text: clients in the field read the one or the other. */
  error: string;
  code: ErrorCode;
  hint: string;
}

/** `{"status":"Error","error":{…}}`. */
export function failure(error: MillraceError, short = error.message): { status: 'Error'; error: ErrorBody } {
  return { status: 'Error', error: { message: error.message, error: short, code: error.code, hint: error.hint } };
}

/** What a caller may see of an error: an internal one keeps its text to the log. */
export function publicError(thrown: unknown): MillraceError {
  if (thrown instanceof MillraceError && thrown.code !== 'internal') return thrown;
  return new MillraceError('internal', errorTable.internal.message, { cause: thrown });
}
