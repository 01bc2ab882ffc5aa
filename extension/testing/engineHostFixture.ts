import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EngineHost, type EngineHostOptions } from '../engineHost/engineHost.js';
import type { EngineProgram } from '../engineHost/engineCommand.js';
import { type RecordingLog, recordingLog } from './recordingLog.js';

export const builtEngine = resolve(import.meta.dirname, '..', '..', 'engine', 'dist', 'main.js');

export interface HostFixture {
  readonly host: EngineHost;
  readonly log: RecordingLog;
  readonly folder: string;
  close(): Promise<void>;
}

export interface FixtureOptions extends Partial<Omit<EngineHostOptions, 'program' | 'log'>> {
  readonly program?: Partial<EngineProgram>;
}

/** A host of the built engine, with data in a folder of its own. */
export async function hostFixture({ program, ...options }: FixtureOptions = {}): Promise<HostFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-host-'));
  const log = recordingLog();
  const host = new EngineHost({
    program: {
      execPath: process.execPath,
      isElectron: false,
      entry: builtEngine,
      dataDirectory: join(folder, 'data'),
      env: process.env,
      ...program,
    },
    settings: () => ({ workerMemory: 512, componentsFolder: undefined }),
    mayStart: () => true,
    log,
    ...options,
  });
  return {
    host,
    log,
    folder,
    async close() {
      await host.shutdown();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
