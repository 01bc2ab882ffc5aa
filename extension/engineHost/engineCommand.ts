import { isAbsolute, resolve } from 'node:path';
import { nodeFlags } from '../../protocol/engineProcess.js';
import { MillraceError } from '../../protocol/errors.js';

/** A program with its arguments and its whole environment, as `spawn` takes them. */
export interface EngineCommand {
  readonly execPath: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a person may set for the engine inside the editor. */
export interface EngineSettings {
  /** Megabytes of one task. */
  readonly workerMemory: number;
  /** An absolute folder of own components, if there is one. */
  readonly componentsFolder: string | undefined;
}

/** The editor's own Node and where the engine is. */
export interface EngineProgram {
  /** `process.execPath` of the extension host. */
  readonly execPath: string;
  /** Whether `execPath` is Electron, which is a Node only when it is told so. */
  readonly isElectron: boolean;
  /** The engine's bundle. */
  readonly entry: string;
  /** Where the engine keeps files and deployments. */
  readonly dataDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const workerMemory = { min: 64, max: 65_536, standard: 2048 };

/** The key goes through the environment: other users of the machine can read command lines. */
export function engineCommand(program: EngineProgram, settings: EngineSettings, key: string): EngineCommand {
  const { execPath, isElectron, entry, dataDirectory, env } = program;
  const components = settings.componentsFolder === undefined ? [] : ['--components', settings.componentsFolder];
  return {
    execPath,
    args: [
      ...nodeFlags,
      entry,
      'serve',
      '--port',
      '0',
      '--json',
      '--watch-stdin',
      '--data-dir',
      dataDirectory,
      '--worker-memory',
      String(settings.workerMemory),
      ...components,
    ],
    env: { ...env, MILLRACE_APIKEY: key, ...(isElectron ? { ELECTRON_RUN_AS_NODE: '1' } : {}) },
  };
}

/**
 * Checks what the settings hold. A relative folder starts at the first workspace folder.
 *
 * @param given values of `millrace.engine.workerMemory` and `millrace.engine.componentsFolder`
 * @param folder the first workspace folder on a disk
 * @throws MillraceError `invalid_argument` when a relative folder has nothing to start at
 */
export function readEngineSettings(
  given: { workerMemory: unknown; componentsFolder: unknown },
  folder: string | undefined,
): EngineSettings {
  return { workerMemory: memoryOf(given.workerMemory), componentsFolder: folderOf(given.componentsFolder, folder) };
}

function memoryOf(given: unknown): number {
  if (typeof given !== 'number' || !Number.isFinite(given)) return workerMemory.standard;
  return Math.min(workerMemory.max, Math.max(workerMemory.min, Math.round(given)));
}

function folderOf(given: unknown, folder: string | undefined): string | undefined {
  const text = typeof given === 'string' ? given.trim() : '';
  if (text === '') return undefined;
  if (isAbsolute(text)) return text;
  if (folder !== undefined) return resolve(folder, text);
  throw new MillraceError('invalid_argument', `The components folder "${text}" is relative, but no folder is open`, {
    hint: 'Give the whole path in the setting millrace.engine.componentsFolder, or open a folder.',
  });
}
