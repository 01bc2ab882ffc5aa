import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import { isVariableName } from '../../../pipeline/environment.js';
import type { Environment, Variable } from '../service/environment.js';
import type { EnvironmentFile } from '../service/quickFixes.js';
import { servedCatalogue } from '../service/servedCatalogue.js';
import { pathOf } from './pipelineIndex.js';

/** No `.env` that somebody wrote is larger. In bytes. */
const largestFile = 1024 * 1024;

/** What is known beyond the texts: the providers of the connected server, and the variables for `${…}`. */
export class Knowledge {
  readonly #bundle: Catalogue;
  readonly #own: Environment;
  readonly #files = new Map<string, { readonly modified: number; readonly text: string }>();
  readonly #listeners: (() => void)[] = [];
  #served: Catalogue | undefined;
  #roots: readonly string[] = [];

  /** @param own the environment of the process */
  constructor(bundle: Catalogue, own: Readonly<Record<string, string | undefined>>) {
    this.#bundle = bundle;
    this.#own = new Map(variables(own, 'environment of the editor'));
  }

  /** When something is known differently. */
  onDidChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get catalogue(): Catalogue {
    return this.#served ?? this.#bundle;
  }

  /** What the connected server says of its providers; anything else brings the bundle back. */
  setServices(services: unknown): void {
    this.#served = servedCatalogue(services, this.#bundle);
    this.changed();
  }

  /** The addresses of the folders of the workspace. */
  setFolders(uris: readonly string[]): void {
    this.#roots = uris.flatMap((uri) => pathOf(uri) ?? []);
  }

  /** Tells the listeners, because a file has changed. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The folder of the workspace that a file is in, the innermost one. */
  rootOf(uri: string): string | undefined {
    const file = pathOf(uri);
    if (file === undefined) return undefined;
    const around = this.#roots.filter((root) => isInside(path.dirname(file), root));
    return around.sort((a, b) => b.length - a.length)[0];
  }

  /** The variables of a file as a run would have them: those beside it before those of its folder of the workspace. */
  environment(uri: string): Environment {
    const file = pathOf(uri);
    if (file === undefined) return this.#own;
    const beside = path.dirname(file);
    const root = this.rootOf(uri);
    const places = root === undefined || root === beside ? [beside] : [root, beside];
    const found = places.flatMap((place) => {
      const name = place === beside ? '.env' : path.join(path.relative(beside, place), '.env').replaceAll('\\', '/');
      return variables(parseEnv(this.read(path.join(place, '.env')) ?? ''), name);
    });
    return new Map([...this.#own, ...found]);
  }

  /** The `.env` beside a file. */
  environmentFile(uri: string): EnvironmentFile | undefined {
    const file = pathOf(uri);
    if (file === undefined) return undefined;
    const own = path.join(path.dirname(file), '.env');
    return { uri: pathToFileURL(own).href, text: this.read(own) };
  }

  /** The text of a small file; undefined when it cannot be read. */
  read(file: string): string | undefined {
    try {
      const { mtimeMs: modified, size } = statSync(file);
      if (size > largestFile) return undefined;
      const known = this.#files.get(file);
      if (known?.modified === modified) return known.text;
      const text = readFileSync(file, 'utf8');
      this.#files.set(file, { modified, text });
      return text;
    } catch {
      // Most pipelines have no such file.
      return undefined;
    }
  }
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
