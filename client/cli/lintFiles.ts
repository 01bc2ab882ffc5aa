import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { errorText } from '../../protocol/errors.js';
import { largestText } from '../../pipeline/analysis.js';
import { UsageError } from './failures.js';
import { isText, readAll } from './input.js';
import type { Io } from './io.js';

/** Folders that hold other people's files. */
const foreignFolders: ReadonlySet<string> = new Set(['node_modules']);
/** A folder with more files below it is not the one that was meant. */
const mostFiles = 100_000;

/** What is to be checked: its name for people, and its text or why there is none. */
export type LintInput =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly unreadable: string }
  | { readonly file: string; readonly isTooLarge: true };

/**
 * The files that the operands mean: a file, a folder with all pipeline files below it, a pattern with `*`, `**` and `?`
 * where the shell has left one, or `-` for stdin.
 *
 * @throws UsageError for a folder or pattern without pipeline files
 */
export async function namedFiles(operands: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const operand of operands) {
    const info = operand === '-' ? undefined : await stat(operand).catch(() => undefined);
    if (info?.isDirectory() === true) files.push(...(await below(operand, isPipelineFile)));
    else if (operand !== '-' && info === undefined && /[*?]/.test(operand)) files.push(...(await matching(operand)));
    else files.push(operand);
  }
  return [...new Set(files)];
}

async function below(folder: string, isWanted: (file: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  const pending = [folder];
  for (let at = pending.shift(); at !== undefined; at = pending.shift()) {
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = path.join(at, entry.name);
      if (entry.isDirectory() && !entry.name.startsWith('.') && !foreignFolders.has(entry.name)) pending.push(name);
      else if (!entry.isDirectory() && isWanted(name)) found.push(name);
    }
    if (found.length > mostFiles)
      throw new UsageError(`There are too many files in ${folder}`, 'Name a smaller folder.');
  }
  if (found.length === 0) {
    const hint =
      'Pipeline files end in .pipe, .pipe.json or .pipe.json5; a file with another name can be named itself.';
    throw new UsageError(`No pipeline files in ${folder}`, hint);
  }
  return found;
}

async function matching(pattern: string): Promise<string[]> {
  const parts = pattern.split(/[\\/]/);
  const fixed = parts.slice(
    0,
    parts.findIndex((part) => /[*?]/.test(part)),
  );
  const folder = fixed.join(path.sep) || (pattern.startsWith('/') ? '/' : '.');
  const wanted = parts.slice(fixed.length);
  const isWanted = (file: string): boolean => matches(path.relative(folder, file).split(path.sep), wanted);
  return below(folder, isWanted).catch(() => {
    throw new UsageError(`No files match ${pattern}`, 'Check the pattern, or name the files.');
  });
}

/** Compares the parts of a path with those of a pattern. `*` and `?` stay inside of a part, `**` is any number of them. */
function matches(parts: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return parts.length === 0;
  if (first === '**') return matches(parts, rest) || (parts.length > 0 && matches(parts.slice(1), pattern));
  const [part, ...others] = parts;
  return part !== undefined && matchesPart(part, first) && matches(others, rest);
}

/** By hand: a regular expression made of many stars takes forever on a name that almost fits. */
function matchesPart(name: string, pattern: string): boolean {
  let [at, from, star, mark] = [0, 0, -1, 0];
  while (at < name.length) {
    if (pattern[from] === '*') [star, mark] = [from++, at];
    else if (from < pattern.length && (pattern[from] === '?' || pattern[from] === name[at]))
      [at, from] = [at + 1, from + 1];
    else if (star >= 0) [from, at] = [star + 1, ++mark];
    else return false;
  }
  while (pattern[from] === '*') from++;
  return from === pattern.length;
}

function isPipelineFile(file: string): boolean {
  return /\.pipe(?:\.json5?)?$/i.test(file);
}

/** The text of a file or of stdin; never throws for what a file is. */
export async function readInput(file: string, io: Pick<Io, 'stdin' | 'signal'>): Promise<LintInput> {
  const name = file === '-' ? 'stdin' : file;
  try {
    // A text has at most as many bytes in UTF-8 as three times its length.
    if (file !== '-' && (await stat(file)).size > 3 * largestText) return { file: name, isTooLarge: true };
    const bytes = file === '-' ? await readAll(io.stdin, io.signal) : await readFile(file);
    if (!isText(bytes)) return { file: name, unreadable: 'it is no text in UTF-8' };
    return { file: name, text: new TextDecoder().decode(bytes) };
  } catch (thrown) {
    if (io.signal.aborted) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    const known: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a folder',
      EACCES: 'it may not be read',
    };
    return { file: name, unreadable: known[code ?? ''] ?? errorText(thrown) };
  }
}

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
