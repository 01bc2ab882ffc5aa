import { errorText, MillraceError } from '../../protocol/errors.js';
import { systemCode } from './atomicFile.js';
import { Queue } from './queue.js';
import { readOrSetAside, RecordFiles } from './records.js';

/** The beginnings of the variables that pipelines may use. */
export const environmentPrefixes = ['ROCKETRIDE_', 'MILLRACE_', 'SERVICE_'] as const;

const variableName = new RegExp(`^(?:${environmentPrefixes.join('|')})[A-Za-z0-9_]+$`);

/** The variables each principal keeps on the server for its pipelines. They may be secrets: gate and log accordingly. */
export class EnvironmentStore {
  readonly #files: RecordFiles;
  readonly #report: (message: string) => void;
  readonly #changes = new Queue();

  constructor(directory: string, report: (message: string) => void = () => undefined) {
    this.#files = new RecordFiles(directory);
    this.#report = report;
  }

  async keys(keyId: string): Promise<string[]> {
    return Object.keys(await this.get(keyId)).sort();
  }

  async get(keyId: string): Promise<Record<string, string>> {
    return this.#changes.run(() => guard('read', () => this.#read(keyId)));
  }

  /**
   * Replaces all variables of the principal.
   *
   * @throws MillraceError `invalid_argument` when `env` is not an object of texts with names that pipelines can use
   */
  async set(keyId: string, env: unknown): Promise<void> {
    const checked = checkEnvironment(env);
    await this.#changes.run(() => guard('saved', () => this.#files.write(keyId, checked)));
  }

  async #read(keyId: string): Promise<Record<string, string>> {
    return (await readOrSetAside(this.#files, keyId, checkEnvironment, this.#report)) ?? {};
  }
}

function checkEnvironment(env: unknown): Record<string, string> {
  if (typeof env !== 'object' || env === null || Array.isArray(env)) throw invalid('env must be an object');
  const entries = Object.entries(env);
  for (const [name, value] of entries) {
    if (!variableName.test(name)) {
      throw invalid(
        `${name} cannot be a variable: a name begins with ${environmentPrefixes.join(', ')} and goes on with ` +
          'letters, digits and _',
      );
    }
    if (typeof value !== 'string') throw invalid(`The value of ${name} must be a string`);
  }
  return Object.fromEntries(entries);
}

function invalid(message: string): MillraceError {
  return new MillraceError('invalid_argument', message);
}

async function guard<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (thrown) {
    if (thrown instanceof MillraceError) throw thrown;
    const message = `The variables could not be ${what} (${systemCode(thrown) ?? errorText(thrown)})`;
    throw new MillraceError('store_failed', message, { cause: thrown });
  }
}
