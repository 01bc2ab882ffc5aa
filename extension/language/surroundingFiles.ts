import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { isVariableName } from '../../pipeline/environment.js';
import { pathOf } from './addresses.js';
import type { Environment, Variable } from './service/environment.js';
import { type LaunchVariables, launchVariables } from './service/launchFile.js';
import type { EnvironmentFile } from './service/quickFixes.js';

/** No `.env` or `launch.json` that somebody wrote is larger. In bytes. */
const largestFile = 1024 * 1024;

/** The patterns of the files, apart from what `envFile` names otherwise. */
export const surroundingPatterns = ['**/*.env', '**/.vscode/launch.json'] as const;

/** Whether an address is one of theirs. */
export function isSurrounding(uri: string): boolean {
  return /(?:\.env|\/\.vscode\/launch\.json)$/.test(uri);
}

/** `launch.json` of a folder of the workspace, seen from a pipeline. */
export interface LaunchFile {
  readonly uri: string;
  readonly text: string;
  /** Whether what stands in `program` is the pipeline. */
  isProgram(written: string): boolean;
}

/** What the files around pipelines say: the variables for `${…}`, and the launch configurations. */
export class SurroundingFiles {
  readonly #own: Environment;
  readonly #openText: (uri: string) => string | undefined;
  readonly #read = new Map<string, { readonly modified: number; readonly text: string }>();
  readonly #launch = new Map<string, { readonly text: string; readonly variables: readonly LaunchVariables[] }>();
  #roots: readonly string[] = [];

  /**
   * @param own the environment of the process
   * @param openText the text of a file that is open in the editor, where it may not be saved yet
   */
  constructor(own: Readonly<Record<string, string | undefined>>, openText: (uri: string) => string | undefined) {
    this.#own = new Map(variables(own, 'environment of the editor'));
    this.#openText = openText;
  }

  /** The addresses of the folders of the workspace. */
  setFolders(uris: readonly string[]): void {
    this.#roots = uris.flatMap((uri) => pathOf(uri) ?? []);
  }

  /** The folder of the workspace that a file is in, the innermost one. */
  rootOf(uri: string): string | undefined {
    const file = pathOf(uri);
    if (file === undefined) return undefined;
    const around = this.#roots.filter((root) => isInside(path.dirname(file), root));
    return around.sort((a, b) => b.length - a.length)[0];
  }

  /**
   * The variables of a file as a run would have them: those beside it before those of its folder of the workspace, and
   * these before what only its launch configurations set.
   */
  environment(uri: string): Environment {
    const file = pathOf(uri);
    if (file === undefined) return this.#own;
    const beside = path.dirname(file);
    const root = this.rootOf(uri);
    const places = root === undefined || root === beside ? [beside] : [root, beside];
    const found = places.flatMap((place) => this.#variablesIn(path.join(place, '.env'), beside));
    return new Map([...this.#own, ...this.#launchVariables(uri, beside), ...found]);
  }

  /** The `.env` beside a file. */
  environmentFile(uri: string): EnvironmentFile | undefined {
    const file = pathOf(uri);
    if (file === undefined) return undefined;
    const own = path.join(path.dirname(file), '.env');
    return { uri: pathToFileURL(own).href, text: this.text(own) };
  }

  /** Undefined where there is no such file. */
  launchFile(uri: string): LaunchFile | undefined {
    const file = pathOf(uri);
    const root = this.rootOf(uri);
    if (file === undefined || root === undefined) return undefined;
    const launchFile = path.join(root, '.vscode', 'launch.json');
    const text = this.text(launchFile);
    if (text === undefined) return undefined;
    const isProgram = (written: string): boolean => resolved(written, root) === path.resolve(file);
    return { uri: pathToFileURL(launchFile).href, text, isProgram };
  }

  /** The text of a small file, as it is in the editor if it is open there; undefined when it cannot be read. */
  text(file: string): string | undefined {
    const open = this.#openText(pathToFileURL(file).href);
    if (open !== undefined) return open;
    try {
      const { mtimeMs: modified, size } = statSync(file);
      if (size > largestFile) return undefined;
      const known = this.#read.get(file);
      if (known?.modified === modified) return known.text;
      const text = readFileSync(file, 'utf8');
      this.#read.set(file, { modified, text });
      return text;
    } catch {
      // Most pipelines have no such file.
      return undefined;
    }
  }

  #variablesIn(file: string, from: string): [string, Variable][] {
    return variables(parseEnv(this.text(file) ?? ''), path.relative(from, file).replaceAll('\\', '/'));
  }

  #launchVariables(uri: string, from: string): [string, Variable][] {
    const launch = this.launchFile(uri);
    const root = this.rootOf(uri);
    if (launch === undefined || root === undefined) return [];
    const known = this.#launch.get(launch.uri);
    const all = known?.text === launch.text ? known.variables : launchVariables(launch.text);
    this.#launch.set(launch.uri, { text: launch.text, variables: all });
    return all.flatMap(({ program, env, envFile }) => {
      if (program !== '${file}' && !launch.isProgram(program)) return [];
      const file = envFile === undefined ? undefined : resolved(envFile, root);
      return [...(file === undefined ? [] : this.#variablesIn(file, from)), ...variables(env, 'launch.json')];
    });
  }
}

/** A path as the editor reads it in `launch.json`; undefined where that takes another variable than the folder. */
function resolved(written: string, root: string): string | undefined {
  const whole = written.replaceAll(/\$\{workspaceFolder(:[^}]*)?\}/g, root);
  return whole.includes('${') ? undefined : path.resolve(root, whole);
}

function variables(values: Readonly<Record<string, string | undefined>>, origin: string): [string, Variable][] {
  return Object.entries(values).flatMap(([name, value]): [string, Variable][] =>
    value === undefined || !isVariableName(name) ? [] : [[name, { value, origin }]],
  );
}

function isInside(folder: string, root: string): boolean {
  const relative = path.relative(root, folder);
  return !relative.startsWith('..') && !path.isAbsolute(relative);
}
