import { MillraceError } from '../../protocol/errors.js';

/** Refuses a start with a path in which a variable was not replaced: `${MILLRACE_INPUT}` is never a folder's name. */
export function refuseUnsetVariables(key: string, path: string): void {
  const variable = /\$\{(\w+)\}/.exec(path)?.[1];
  if (variable === undefined) return;
  throw new MillraceError('start_failed', `${key} uses the variable ${variable}, which has no value`, {
    hint: `Set ${variable} in the environment or in the .env file, or write the path itself.`,
  });
}
