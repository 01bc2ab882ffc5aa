import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectories } from '../../test/support/temporaryDirectory.js';
import { EnvironmentStore } from './environment.js';

const temporaryDirectory = temporaryDirectories();
const keyId = '00aa';

async function makeStore(): Promise<{ directory: string; store: EnvironmentStore; reports: string[] }> {
  const directory = join(await temporaryDirectory(), 'environment');
  const reports: string[] = [];
  return { directory, reports, store: new EnvironmentStore(directory, (message) => reports.push(message)) };
}

describe('the variables of a principal', () => {
  it('are replaced as a whole and outlive the server', async () => {
    const { directory, store } = await makeStore();
    expect(await store.get(keyId)).toEqual({});
    await store.set(keyId, { SERVICE_B: '1', ROCKETRIDE_A: 'ä "quoted"\n', MILLRACE_C: '' });
    expect(await store.keys(keyId)).toEqual(['MILLRACE_C', 'ROCKETRIDE_A', 'SERVICE_B']);
    await store.set(keyId, { ROCKETRIDE_A: '2' });
    expect(await new EnvironmentStore(directory).get(keyId)).toEqual({ ROCKETRIDE_A: '2' });
    expect(await store.get('ff')).toEqual({});
  });

  it('are readable by the owner of the server only', async () => {
    const { directory, store } = await makeStore();
    await store.set(keyId, { MILLRACE_KEY: 'secret' });
    if (process.platform === 'win32') return;
    expect((await stat(join(directory, `${keyId}.json`))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it.each([
    [null, 'env must be an object'],
    [['MILLRACE_A'], 'env must be an object'],
    [{ PATH: 'x' }, 'PATH cannot be a variable'],
    [{ MILLRACE_: 'x' }, 'MILLRACE_ cannot be a variable'],
    [{ 'MILLRACE_A}': 'x' }, 'MILLRACE_A} cannot be a variable'],
    [{ MILLRACE_A: 1 }, 'The value of MILLRACE_A must be a string'],
  ])('are refused when given as %j, and the old ones stay', async (env, message) => {
    const { store } = await makeStore();
    await store.set(keyId, { MILLRACE_OLD: 'x' });
    await expect(store.set(keyId, env)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
    });
    expect(await store.keys(keyId)).toEqual(['MILLRACE_OLD']);
  });

  it('are one set or the other after two wrote at once', async () => {
    const { store } = await makeStore();
    const sets = ['a', 'b', 'c'].map((value) => ({ MILLRACE_X: value, [`MILLRACE_${value}`]: value }));
    await Promise.all(sets.map((set) => store.set(keyId, set)));
    expect(sets).toContainEqual(await store.get(keyId));
  });

  it('are none when their file is broken, and the file is kept', async () => {
    const { directory, store, reports } = await makeStore();
    await store.set(keyId, { MILLRACE_A: 'x' });
    await writeFile(join(directory, `${keyId}.json`), '{"MILLRACE_A": 5');
    expect(await store.get(keyId)).toEqual({});
    expect(await readdir(directory)).toEqual([expect.stringContaining('.broken-')]);
    expect(reports).toHaveLength(1);
  });

  it('cannot be kept on a broken disk, which is told without paths', async () => {
    const { directory, store } = await makeStore();
    await writeFile(directory, '');
    const failure: unknown = await store.set(keyId, {}).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'store_failed' });
    expect(String(failure)).not.toContain(directory);
  });
});
