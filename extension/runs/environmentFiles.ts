import { parseEnv } from 'node:util';
import type { Uri } from 'vscode';
import { isVariableName } from '../../pipeline/environment.js';
import type { RunHost } from './runHost.js';

/**
 * The variables for `${…}` in a pipeline: those of `.env` in the workspace folder, and over them those of `.env` beside
 * the file. Names that are never put into a pipeline are left out.
 */
export async function readEnvironment(
  file: Uri,
  host: Pick<RunHost, 'readText' | 'folderOf'>,
): Promise<Record<string, string>> {
  if (file.scheme === 'untitled') return {};
  const folder = host.folderOf(file);
  const beside = file.with({ path: file.path.replace(/[^/]*$/, '.env') });
  const above = folder?.with({ path: `${folder.path.replace(/\/$/, '')}/.env` });
  const files = above === undefined || above.path === beside.path ? [beside] : [above, beside];
  const texts = await Promise.all(files.map((each) => host.readText(each)));
  const variables = texts.flatMap((text) => Object.entries(parseEnv(text ?? '')));
  return Object.fromEntries(
    variables.filter((entry): entry is [string, string] => entry[1] !== undefined && isVariableName(entry[0])),
  );
}
