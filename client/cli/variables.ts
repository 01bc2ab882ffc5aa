import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { errorText } from '../../protocol/errors.js';
import { UsageError } from './failures.js';
import type { Io } from './io.js';

/**
 * The names of the variables of the process, of `.env` in the working directory and of the files named. Values are not kept.
 *
 * @throws UsageError for a named file that cannot be read
 */
export async function variableNames(env: Io['env'], files: readonly string[]): Promise<Set<string>> {
  const own = await readFile('.env', 'utf8').catch(() => '');
  const named = files.map((file) =>
    readFile(file, 'utf8').catch((thrown: unknown) => {
      throw new UsageError(
        `Cannot read ${file}: ${errorText(thrown)}`,
        '--variables takes a file with lines such as NAME=value.',
      );
    }),
  );
  const texts = [own, ...(await Promise.all(named))];
  return new Set([...Object.keys(env), ...texts.flatMap((text) => Object.keys(parseEnv(text)))]);
}

/** Those of the `.env` beside a file. */
export async function namesBeside(file: string): Promise<string[]> {
  const text = await readFile(path.join(path.dirname(file), '.env'), 'utf8').catch(() => '');
  return Object.keys(parseEnv(text));
}
