import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { errorText, MillraceError } from '../../protocol/errors.js';
import { isVariableName } from '../../pipeline/environment.js';

/**
 * The variables of `envFile` with those of `env` over them.
 *
 * @throws MillraceError `file_not_found` when the file cannot be read
 */
export async function readVariables(
  envFile: string | undefined,
  env: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  if (envFile === undefined) return { ...env };
  const text = await readFile(envFile, 'utf8').catch((cause: unknown) => {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'does not exist' : `cannot be read: ${errorText(cause)}`;
    throw new MillraceError('file_not_found', `The file of "envFile" ${why}: ${envFile}`, { cause });
  });
  const fromFile = Object.entries(parseEnv(text)).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(fromFile), ...env };
}

/** The names that are never put into a pipeline, whatever it says. */
export function uselessNames(env: Readonly<Record<string, string>>): string[] {
  return Object.keys(env).filter((name) => !isVariableName(name));
}
