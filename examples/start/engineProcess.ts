import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nodeFlags } from '../../protocol/engineProcess.js';

export interface EngineProcess {
  readonly url: string;
  readonly key: string;
  /** Ends the engine and everything it started. Resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts the engine as the editor does: a free port, a fresh key, data in a folder of its own that is removed at the
 * end. The engine ends when this process does, because it watches its standard input.
 *
 * @param entry the engine's bundle
 */
export async function startEngineProcess(entry: string): Promise<EngineProcess> {
  const key = randomBytes(32).toString('base64url');
  const dataDirectory = await mkdtemp(join(tmpdir(), 'millrace-'));
  const args = [...nodeFlags, entry, 'serve', '--port', '0', '--json', '--watch-stdin', '--data-dir', dataDirectory];
  const child = spawn(process.execPath, args, {
    // A group of its own keeps Ctrl-C away from it: it is stopped in order instead.
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, MILLRACE_APIKEY: key },
    windowsHide: true,
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.stdin?.end();
    await exited;
    await rm(dataDirectory, { recursive: true, force: true });
  };
  try {
    return { url: await listening(child), key, stop };
  } catch (error) {
    child.kill();
    await stop();
    throw error;
  }
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The engine ended with exit code ${code} before it listened`)));
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve((JSON.parse(line) as { url: string }).url);
    });
  });
}
