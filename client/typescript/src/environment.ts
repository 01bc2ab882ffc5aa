import { readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'dotenv';
import { isVariableName } from '../../../pipeline/environment.js';

/** What the environment says: the process's variables win over those of `.env` in the working directory. */
export class Environment {
  readonly #process: Readonly<Record<string, string | undefined>>;
  readonly #file: string;

  constructor(processVariables: Readonly<Record<string, string | undefined>>, folder: string) {
    this.#process = processVariables;
    this.#file = path.join(folder, '.env');
  }

  /** The variables that may be put into pipelines, read anew each time. */
  async pipelineVariables(): Promise<Record<string, string>> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    const all = Object.entries({ ...parse(text), ...this.#process });
    return Object.fromEntries(all.filter((entry): entry is [string, string] => isVariable(entry)));
  }

  /** One variable, undefined when it is not set or empty. */
  get(name: string): string | undefined {
    return this.#process[name] || parse(this.#fileText())[name] || undefined;
  }

  #fileText(): string {
    try {
      return readFileSync(this.#file, 'utf8');
    } catch {
      return '';
    }
  }
}

function isVariable([name, value]: [string, string | undefined]): boolean {
  return value !== undefined && isVariableName(name);
}
