import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectories } from '../../test/support/temporaryDirectory.js';
import { DeploymentStore, type Deployment } from './deployments.js';

const temporaryDirectory = temporaryDirectories();
const keyId = '00aa';

interface Setup {
  directory: string;
  store: DeploymentStore;
  reopen(): Promise<DeploymentStore>;
  reports: string[];
}

async function makeStore(): Promise<Setup> {
  const directory = join(await temporaryDirectory(), 'deployments');
  const reports: string[] = [];
  let time = 1000_000;
  const open = (): DeploymentStore =>
    new DeploymentStore(directory, { now: () => (time += 1000), report: (message) => reports.push(message) });
  return {
    directory,
    store: open(),
    reports,
    async reopen() {
      const store = open();
      await store.load();
      return store;
    },
  };
}

const pipeline = { project_id: 'p1', components: [], extra: { deep: [1] } };

describe('a deployment', () => {
  it('is kept as received, also over a restart', async () => {
    const { store, reopen } = await makeStore();
    const added = await store.add(keyId, { pipeline, schedule: '@daily' });
    const expected: Deployment = {
      pipeline,
      schedule: '@daily',
      state: 'active',
      created_by: keyId,
      created_at: 1001,
      updated_at: 1001,
    };
    expect(added).toEqual(expected);
    const again = await reopen();
    expect(again.status(keyId, 'p1')).toEqual(expected);
    expect(again.list(keyId)).toEqual([expected]);
  });

  it('is manual when no schedule is given', async () => {
    const { store } = await makeStore();
    expect((await store.add(keyId, { pipeline })).schedule).toBe('manual');
    expect((await store.add(keyId, { pipeline: { project_id: 'p2' }, schedule: null })).schedule).toBe('manual');
  });

  it('is added once, also by two at the same moment', async () => {
    const { store } = await makeStore();
    const ends = await Promise.allSettled([store.add(keyId, { pipeline }), store.add(keyId, { pipeline })]);
    expect(ends[1]).toMatchObject({
      reason: { code: 'deployment_failed', message: 'Deployment already exists: p1' },
    });
  });

  it('belongs to its principal', async () => {
    const { store } = await makeStore();
    await store.add(keyId, { pipeline });
    expect(store.list('ff')).toEqual([]);
    expect(() => store.status('ff', 'p1')).toThrow('Deployment not found: p1');
    await store.add('ff', { pipeline });
    await store.remove('ff', 'p1');
    expect(store.list(keyId)).toHaveLength(1);
  });

  it('is updated in part, and its project stays', async () => {
    const { store, reopen } = await makeStore();
    await store.add(keyId, { pipeline, schedule: '@daily' });
    await store.update(keyId, { projectId: 'p1', schedule: '*/5 * * * *' });
    expect(store.status(keyId, 'p1')).toMatchObject({ schedule: '*/5 * * * *', pipeline, updated_at: 1002 });
    await store.update(keyId, { projectId: 'p1', pipeline: { project_id: 'other', components: [1] } });
    const stored = (await reopen()).status(keyId, 'p1');
    expect(stored.pipeline).toEqual({ project_id: 'p1', components: [1] });
    expect(stored).toMatchObject({ schedule: '*/5 * * * *', created_at: 1001, updated_at: 1003 });
  });

  it('that failed keeps the reason until it is updated', async () => {
    const { store, reopen } = await makeStore();
    await store.add(keyId, { pipeline });
    await store.setState(keyId, 'p1', 'errored', 'no such model');
    expect((await reopen()).status(keyId, 'p1')).toMatchObject({ state: 'errored', error: 'no such model' });
    await store.update(keyId, { projectId: 'p1' });
    expect(store.status(keyId, 'p1')).toMatchObject({ state: 'active' });
    expect(store.status(keyId, 'p1')).not.toHaveProperty('error');
  });

  it('is removed', async () => {
    const { store, reopen } = await makeStore();
    await store.add(keyId, { pipeline });
    await store.remove(keyId, 'p1');
    expect((await reopen()).list(keyId)).toEqual([]);
  });

  it('may have any name of a project', async () => {
    const { store, reopen } = await makeStore();
    for (const project_id of ['__proto__', '../../x', 'a/b', '💥'])
      await store.add(keyId, { pipeline: { project_id } });
    expect((await reopen()).list(keyId)).toHaveLength(4);
  });
});

describe('a refusal', () => {
  it.each([
    [{}, 'pipeline is required'],
    [{ pipeline: null }, 'pipeline is required'],
    [{ pipeline: 'x' }, 'pipeline must be an object'],
    [{ pipeline: [] }, 'pipeline must be an object'],
    [{ pipeline: {} }, 'pipeline.project_id is required'],
    [{ pipeline: { project_id: 7 } }, 'pipeline.project_id is required'],
    [{ pipeline, schedule: '' }, "Invalid schedule ''. "],
    [{ pipeline, schedule: 5 }, "Invalid schedule '5'. "],
    [{ pipeline, schedule: 'daily' }, "Invalid schedule 'daily'. "],
    [{ pipeline, schedule: '@reboot' }, "Invalid schedule '@reboot'. "],
    [{ pipeline, schedule: '* * * * * *' }, "Invalid schedule '* * * * * *'. "],
    [{ pipeline, schedule: '60 * * * *' }, "Invalid schedule '60 * * * *'. "],
    [{ pipeline, schedule: '0 0 31 2 *' }, "Invalid schedule '0 0 31 2 *'. "],
  ])('answers %j', async (given, message) => {
    const { store } = await makeStore();
    await expect(store.add(keyId, given)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
    });
    expect(store.list(keyId)).toEqual([]);
  });

  it.each(['0 6 * * 1-5', '*/15 * * * *', '0 0 1,15 * MON', '0 0 29 2 *', '@hourly', '@midnight'])(
    'is not given to %s',
    async (schedule) => {
      const { store } = await makeStore();
      expect((await store.add(keyId, { pipeline, schedule })).schedule).toBe(schedule);
    },
  );

  it('names a project that is missing or unknown', async () => {
    const { store } = await makeStore();
    await expect(store.remove(keyId, undefined)).rejects.toThrow('projectId is required');
    await expect(store.remove(keyId, 'x')).rejects.toThrow('Deployment not found: x');
    await expect(store.update(keyId, {})).rejects.toThrow('projectId is required');
    await expect(store.update(keyId, { projectId: 'x' })).rejects.toThrow('Deployment not found: x');
    await expect(store.setState(keyId, 'x', 'errored', 'gone')).resolves.toBeUndefined();
  });
});

describe('the disk', () => {
  it('holds a file that only the owner of the server can read', async () => {
    const { directory, store } = await makeStore();
    await store.add(keyId, { pipeline });
    expect(await readdir(directory)).toEqual([`${keyId}.json`]);
    if (process.platform === 'win32') return;
    expect((await stat(join(directory, `${keyId}.json`))).mode & 0o777).toBe(0o600);
  });

  it('that refuses leaves the memory as it was, without paths in the message', async () => {
    const { directory, store } = await makeStore();
    await writeFile(directory, 'a file where the directory should be');
    const failure: unknown = await store.add(keyId, { pipeline }).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'deployment_failed' });
    expect(String(failure)).not.toContain(directory);
    expect(store.list(keyId)).toEqual([]);
  });

  it.each(['{"half', '[]', '{"deployments":[{}]}', '{"deployments":[null]}'])(
    'with %j in it stops nothing, and the file is kept',
    async (content) => {
      const { directory, store, reopen, reports } = await makeStore();
      await store.add('ff', { pipeline });
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, `${keyId}.json`), content);
      const again = await reopen();
      expect(again.list(keyId)).toEqual([]);
      expect(again.list('ff')).toHaveLength(1);
      const kept = (await readdir(directory)).find((name) => name.includes('broken')) ?? '';
      expect(await readFile(join(directory, kept), 'utf8')).toBe(content);
      expect(reports).toEqual([expect.stringContaining(kept)]);
    },
  );
});
