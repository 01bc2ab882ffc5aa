import { CommanderError } from 'commander';
import { AuthenticationError, ConnectionError, MillraceError } from '../typescript/src/index.js';
import { type ExitCode, exitCodes } from './exitCodes.js';

/** The command line is wrong in a way that only the command itself can see. */
export class UsageError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

export interface Failure {
  /** Lines for stderr, each with its line end; empty when everything was said already. */
  text: string;
  exitCode: ExitCode;
}

/** The one place that turns what was thrown into what a person reads and the shell gets. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof CommanderError) {
    return { text: '', exitCode: thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage };
  }
  if (thrown instanceof UsageError) return { text: textOf(thrown.message, thrown.hint), exitCode: exitCodes.usage };
  if (thrown instanceof MillraceError)
    return { text: textOf(thrown.message, thrown.hint), exitCode: exitCodeOf(thrown) };
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { text: textOf(message, ''), exitCode: exitCodes.failed };
}

function exitCodeOf(error: MillraceError): ExitCode {
  if (error instanceof AuthenticationError) return exitCodes.notAuthenticated;
  if (error instanceof ConnectionError) return exitCodes.noConnection;
  return exitCodes.failed;
}

function textOf(message: string, hint: string): string {
  return `error: ${message}\n${hint === '' ? '' : `  → ${hint}\n`}`;
}
