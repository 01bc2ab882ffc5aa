import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryDirectories } from '../../test/support/temporaryDirectory.js';
import { DeploymentStore } from './deployments.js';
import { Scheduler } from './scheduler.js';

const temporaryDirectory = temporaryDirectories();
const keyId = '00aa';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: new Date(2026, 10, 20, 12, 0, 30) });
});
const disposables: { dispose(): void }[] = [];
afterEach(() => {
  for (const disposable of disposables.splice(0)) disposable.dispose();
  vi.useRealTimers();
});

interface Run {
  keyId: string;
  projectId: unknown;
  end(error?: Error): void;
}

interface Setup {
  store: DeploymentStore;
  scheduler: Scheduler;
  runs: Run[];
  log: string[];
}

async function setUp(...schedules: string[]): Promise<Setup> {
  const store = new DeploymentStore(join(await temporaryDirectory(), 'deployments'));
  for (const [index, schedule] of schedules.entries()) {
    await store.add(keyId, { pipeline: { project_id: `p${index}` }, schedule });
  }
  const runs: Run[] = [];
  const log: string[] = [];
  const scheduler = new Scheduler(store, {
    run: (key, pipeline) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void => (error === undefined ? resolve() : reject(error));
        runs.push({ keyId: key, projectId: pipeline.project_id, end });
      }),
    log: (line) => void log.push(line),
  });
  disposables.push(scheduler);
  return { store, scheduler, runs, log };
}

const minutes = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 60_000);

/** Polls with the real clock, as the store writes real files. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the scheduler', () => {
  it('runs what was there when it started, at its times', async () => {
    const { scheduler, runs } = await setUp('1-59/2 * * * *', '@hourly', 'manual');
    expect(scheduler.nextRun(keyId, 'p0')).toEqual(new Date(2026, 10, 20, 12, 1));
    expect(scheduler.nextRun(keyId, 'p1')).toEqual(new Date(2026, 10, 20, 13, 0));
    expect(scheduler.nextRun(keyId, 'p2')).toBeUndefined();
    await minutes(1);
    expect(runs.map(({ projectId }) => projectId)).toEqual(['p0']);
    expect(runs[0]?.keyId).toBe(keyId);
    await minutes(59);
    expect(runs.map(({ projectId }) => projectId)).toContain('p1');
    expect(runs.map(({ projectId }) => projectId)).not.toContain('p2');
  });

  it('follows what is added, updated and removed', async () => {
    const { store, scheduler, runs } = await setUp();
    await store.add(keyId, { pipeline: { project_id: 'new' }, schedule: '* * * * *' });
    await minutes(1);
    expect(runs).toHaveLength(1);
    runs[0]?.end();
    await store.update(keyId, { projectId: 'new', schedule: '@daily' });
    expect(scheduler.nextRun(keyId, 'new')).toEqual(new Date(2026, 10, 21, 0, 0));
    await minutes(5);
    expect(runs).toHaveLength(1);
    await store.update(keyId, { projectId: 'new', schedule: '* * * * *' });
    await store.remove(keyId, 'new');
    await minutes(5);
    expect(runs).toHaveLength(1);
  });

  it('runs the pipeline as it is when the time comes', async () => {
    const { store, runs } = await setUp('* * * * *');
    await store.update(keyId, { projectId: 'p0', pipeline: { components: [] } });
    await minutes(1);
    expect(runs.map(({ projectId }) => projectId)).toEqual(['p0']);
  });

  it('skips a time while the previous run goes on', async () => {
    const { runs, log } = await setUp('* * * * *');
    await minutes(3);
    expect(runs).toHaveLength(1);
    expect(log).toEqual([
      'Deployment p0 was skipped: its previous run is still going.',
      'Deployment p0 was skipped: its previous run is still going.',
    ]);
    runs[0]?.end();
    await minutes(1);
    expect(runs).toHaveLength(2);
  });

  it('marks a deployment that fails to start, tries it again, and clears the mark', async () => {
    const { store, runs, log } = await setUp('* * * * *');
    await minutes(1);
    runs[0]?.end(new Error('no such model'));
    await until(() => store.status(keyId, 'p0').state === 'errored', 'it is errored');
    expect(store.status(keyId, 'p0').error).toBe('no such model');
    expect(log).toEqual(['Deployment p0 failed to start: no such model']);
    await minutes(1);
    expect(runs).toHaveLength(2);
    runs[1]?.end();
    await until(() => store.status(keyId, 'p0').state === 'active', 'it is active');
  });

  it('leaves paused deployments alone', async () => {
    const { store, runs } = await setUp('* * * * *');
    await store.setState(keyId, 'p0', 'paused');
    await minutes(3);
    expect(runs).toHaveLength(0);
    await store.setState(keyId, 'p0', 'active');
    await minutes(1);
    expect(runs).toHaveLength(1);
  });

  it('starts nothing after it was disposed and leaves no timer', async () => {
    const { store, scheduler, runs } = await setUp('* * * * *');
    await minutes(1);
    scheduler.dispose();
    runs[0]?.end(new Error('too late'));
    await store.add(keyId, { pipeline: { project_id: 'new' }, schedule: '* * * * *' });
    await minutes(3);
    expect(runs).toHaveLength(1);
    expect(store.status(keyId, 'p0').state).toBe('active');
    expect(vi.getTimerCount()).toBe(0);
  });
});
