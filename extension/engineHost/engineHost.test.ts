import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../client/typescript/src/index.js';
import { MillraceError } from '../../protocol/errors.js';
import { eventually } from '../../test/support/poll.js';
import { isAlive, processTree } from '../../test/support/processes.js';
import { type FixtureOptions, type HostFixture, hostFixture } from '../testing/engineHostFixture.js';
import type { EngineCrash } from './engineHost.js';
import type { EngineState } from './engineState.js';

const root = resolve(import.meta.dirname, '..', '..');
const pipeline = {
  source: 'in',
  project_id: 'host-test',
  components: [
    { id: 'in', provider: 'webhook', config: {} },
    { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'in', lane: 'text' }] },
  ],
};

let fixture: HostFixture | undefined;
const folders: string[] = [];
afterEach(async () => {
  await fixture?.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  fixture = undefined;
});

async function make(options?: FixtureOptions): Promise<HostFixture> {
  fixture = await hostFixture(options);
  return fixture;
}

/** A host of an entry that is no engine. */
async function makeWithScript(source: string, options: FixtureOptions = {}): Promise<HostFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-entry-'));
  folders.push(folder);
  const entry = join(folder, 'engine.mjs');
  await writeFile(entry, source);
  return make({ ...options, program: { entry } });
}

function kinds(host: HostFixture['host']): EngineState['kind'][] {
  const seen: EngineState['kind'][] = [];
  host.onDidChange(({ kind }) => seen.push(kind));
  return seen;
}

async function failure(promise: Promise<unknown>): Promise<MillraceError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof MillraceError)) throw new Error(`Not a MillraceError: ${String(error)}`);
  return error;
}

describe('EngineHost', () => {
  it('starts the engine once for all who ask, behind a key that appears in no log line and no command line', async () => {
    const { host, log } = await make();
    expect(host.state).toEqual({ kind: 'stopped' });
    const seen = kinds(host);
    const [first, second] = await Promise.all([host.start(), host.start()]);
    expect(second.pid).toBe(first.pid);
    expect(seen).toEqual(['starting', 'running']);
    expect(Buffer.from(first.key, 'base64url')).toHaveLength(32);
    const client = new MillraceClient({ uri: first.url, auth: first.key });
    await client.connect();
    expect((await client.getServerInfo()).version).not.toBe('');
    await client.disconnect();
    expect(log.lines.join()).toContain('--watch-stdin');
    expect(log.lines.join()).not.toContain(first.key);
    await host.stop();
    expect(host.state).toEqual({ kind: 'stopped' });
    expect(isAlive(first.pid)).toBe(false);
  });

  it('restarts at most twice for ten changed settings, and the last settings are in force', async () => {
    let memory = 100;
    const { host, log } = await make({ settings: () => ({ workerMemory: memory, componentsFolder: undefined }) });
    await host.start();
    const changes = Array.from({ length: 10 }, () => {
      memory += 1;
      return host.settingsChanged();
    });
    await Promise.all(changes);
    expect(host.state.kind).toBe('running');
    const starts = log.lines.filter((line) => line.includes('Starting the engine'));
    expect(starts.length - 1).toBeLessThanOrEqual(2);
    expect(starts.at(-1)).toContain('--worker-memory 110');
  });

  it('leaves a stopped engine alone when settings change', async () => {
    const { host } = await make();
    await host.settingsChanged();
    expect(host.state).toEqual({ kind: 'stopped' });
  });

  it('starts again after a crash and says so', async () => {
    const { host } = await make({ timing: { backoff: 50 } });
    const crashes: EngineCrash[] = [];
    const states: EngineState[] = [];
    host.onDidCrash((crash) => crashes.push(crash));
    host.onDidChange((state) => states.push(state));
    const before = await host.start();
    process.kill(before.pid, 'SIGKILL');
    await eventually('the end is noticed', () => crashes.length > 0);
    const after = await host.start();
    expect(after.pid).not.toBe(before.pid);
    expect(after.key).toBe(before.key);
    expect(crashes).toMatchObject([{ final: false, reason: expect.stringContaining('SIGKILL') as string }]);
    expect(states.find(({ kind }, index) => kind === 'starting' && index > 0)).toMatchObject({
      notice: { reason: expect.stringContaining('unexpectedly') as string },
    });
  });

  it('gives up after crashes in a row, until somebody asks again', async () => {
    const { host } = await make({ timing: { backoff: 10, crashes: 2 } });
    const crashes: EngineCrash[] = [];
    host.onDidCrash((crash) => crashes.push(crash));
    for (const round of [1, 2]) {
      process.kill((await host.start()).pid, 'SIGKILL');
      await eventually('the end is noticed', () => crashes.length === round);
    }
    expect(crashes[1]?.final).toBe(true);
    expect(host.state).toMatchObject({ kind: 'failed', reason: expect.stringContaining('2 times') as string });
    expect((await host.start()).kind).toBe('running');
  });

  it('names the file when the engine is missing, and the program when it cannot be run', async () => {
    const missing = await make({ program: { entry: join(root, 'no', 'main.js') } });
    const error = await failure(missing.host.start());
    expect(error.message).toContain(join('no', 'main.js'));
    expect(missing.host.state).toEqual({ kind: 'failed', reason: error.message, hint: 'Install the extension again.' });
    await missing.close();
    const unable = await make({ program: { execPath: join(root, 'no-such-node') } });
    expect((await failure(unable.host.start())).message).toContain('no-such-node');
    expect(unable.host.state.kind).toBe('failed');
  });

  it('passes on what the engine itself says about a start that failed', async () => {
    const settings = { workerMemory: 512, componentsFolder: join(root, 'no-components') };
    const { host, log } = await make({ settings: () => settings });
    const error = await failure(host.start());
    expect(error.message).toContain('components cannot be read');
    expect(error.hint).toBe('Check the setting millrace.engine.componentsFolder.');
    expect(log.lines.join()).toContain('components cannot be read');
  });

  it('shows the last words of an engine that ends without saying why', async () => {
    const { host } = await makeWithScript(`process.stderr.write('out of cheese\\n'); process.exitCode = 7;`);
    const { message, hint } = await failure(host.start());
    expect(message).toContain('exit code 7');
    expect(message).toContain('out of cheese');
    expect(hint).not.toBe('');
  });

  it('says that a start is slow, gives it up at last, and leaves no process', async () => {
    const { host, log } = await makeWithScript(
      `process.stderr.write('pid ' + process.pid + '\\n'); setInterval(() => {}, 1000);`,
      { timing: { slow: 20, start: 2_000, grace: 50 } },
    );
    const states: EngineState[] = [];
    host.onDidChange((state) => states.push(state));
    const error = await failure(host.start());
    expect(error.message).toContain('did not answer within 2 seconds');
    expect(states.map((state) => ('notice' in state && state.notice !== undefined ? 'slow' : state.kind))).toEqual([
      'starting',
      'slow',
      'failed',
    ]);
    const pid = Number(/pid (\d+)/.exec(log.lines.join())?.[1]);
    expect(isAlive(pid)).toBe(false);
  });

  it('can be stopped while it starts', async () => {
    const { host } = await make();
    const starting = failure(host.start());
    await host.stop();
    expect((await starting).code).toBe('cancelled');
    expect(host.state).toEqual({ kind: 'stopped' });
    expect((await host.start()).kind).toBe('running');
  });

  it('gives whoever waits for a start the engine of the restart that took its place', async () => {
    const { host } = await make();
    const [running] = await Promise.all([host.start(), host.restart()]);
    expect(host.state).toEqual(running);
  });

  it('does not start in a workspace that is not trusted, and says what to do', async () => {
    const { host } = await make({ mayStart: () => false });
    const error = await failure(host.start());
    expect(error.code).toBe('unsupported');
    expect(error.hint).toContain('Trust');
    expect(host.state).toEqual({ kind: 'stopped' });
  });

  it('leaves neither engine nor worker when the extension host is killed', async () => {
    const made = await make();
    const bundle = join(made.folder, 'parent.mjs');
    await build({
      stdin: { contents: parentSource(join(made.folder, 'killed')), resolveDir: root, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: bundle,
    });
    const parent = spawn(process.execPath, [bundle], { stdio: ['ignore', 'pipe', 'inherit'] });
    const { url, key } = JSON.parse(await firstLine(parent)) as { url: string; key: string };
    const client = new MillraceClient({ uri: url, auth: key });
    await client.connect();
    await client.use({ pipeline });
    const tree = processTree(parent.pid ?? 0);
    if (process.platform === 'linux') expect(tree.length).toBeGreaterThan(2);
    const ended = once(parent, 'exit');
    parent.kill('SIGKILL');
    await ended;
    await eventually('every process has ended', () => tree.every((pid) => !isAlive(pid)));
    await client.disconnect();
  });
});

/** A program that does what the extension host does with the engine, and no more. */
function parentSource(dataDirectory: string): string {
  const program = {
    execPath: process.execPath,
    isElectron: false,
    entry: join(root, 'engine', 'dist', 'main.js'),
    dataDirectory,
  };
  return `
    import { EngineHost } from './extension/engineHost/engineHost.js';
    const quiet = () => undefined;
    const host = new EngineHost({
      program: { ...${JSON.stringify(program)}, env: process.env },
      settings: () => ({ workerMemory: 512, componentsFolder: undefined }),
      mayStart: () => true,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    });
    const { url, key } = await host.start();
    process.stdout.write(JSON.stringify({ url, key }) + '\\n');
  `;
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('It has no output');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return line;
}
