import { type Dirent, type Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { errorText } from '../../../protocol/errors.js';
import type { Pattern } from './patterns.js';

export interface FoundFile {
  /** Absolute, with forward slashes. */
  path: string;
  /** Bytes. */
  size: number;
  /** Seconds since 1970. */
  modifyTime: number;
}

export interface WalkOptions {
  include: readonly Pattern[];
  exclude: readonly Pattern[];
  followLinks: boolean;
  signal: AbortSignal;
  warn(message: string): void;
}

/** The files that are included and not excluded, depth first in the order of names, each once. */
export async function* walk(options: WalkOptions): AsyncGenerator<FoundFile> {
  const seen = new Set<string>();
  for (const pattern of options.include) {
    let found = false;
    for await (const file of walkPattern(pattern, options)) {
      found = true;
      if (options.include.length > 1) {
        if (seen.has(file.path)) continue;
        seen.add(file.path);
      }
      yield file;
    }
    if (!found && (await lstat(pattern.base).catch(() => undefined)) === undefined) {
      options.warn(`"${pattern.written}" was not read: "${pattern.base}" does not exist`);
    }
  }
}

async function* walkPattern(pattern: Pattern, options: WalkOptions): AsyncGenerator<FoundFile> {
  const { exclude, followLinks, signal, warn } = options;
  yield* visit(pattern.base, false, []);

  /** `wanted`: a parent matched, so everything below is read. `real`: the real folders on the way, against loops. */
  async function* visit(file: string, wanted: boolean, real: readonly string[]): AsyncGenerator<FoundFile> {
    if (signal.aborted || exclude.some((excluded) => excluded.matches(file))) return;
    const facts = await inspect(file);
    if (facts === undefined) return;
    const matched = wanted || pattern.matches(file);

    if (facts.isFile()) {
      if (matched) yield { path: file, size: facts.size, modifyTime: Math.floor(facts.mtimeMs / 1000) };
      return;
    }
    if (!facts.isDirectory()) return;
    const target = followLinks ? await realpath(file).catch(() => file) : file;
    if (real.includes(target)) return;
    const entries = await list(file);
    const below = [...real, target];
    for (const { name } of entries) yield* visit(file.endsWith('/') ? file + name : `${file}/${name}`, matched, below);
  }

  async function inspect(file: string): Promise<Stats | undefined> {
    try {
      const facts = await lstat(file);
      if (!facts.isSymbolicLink()) return facts;
      // A link the configuration names itself is meant to be followed.
      return followLinks || file === pattern.base ? await stat(file) : undefined;
    } catch (thrown) {
      if (file !== pattern.base) warn(`"${file}" was not read: ${errorText(thrown)}`);
      return undefined;
    }
  }

  async function list(folder: string): Promise<Dirent[]> {
    try {
      const entries = await readdir(folder, { withFileTypes: true });
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (thrown) {
      warn(`The folder "${folder}" was not read: ${errorText(thrown)}`);
      return [];
    }
  }
}
