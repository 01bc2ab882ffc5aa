import { afterEach, describe, expect, it } from 'vitest';
import { startServer } from '../../test/support/server.js';
import { Emitter } from '../emitter.js';
import type { EngineState } from '../engineHost/engineState.js';
import { FakeSecrets, FakeSettings } from '../testing/connectionFakes.js';
import { recordingLog } from '../testing/recordingLog.js';
import type { Connection } from './connection.js';
import { ConnectionList } from './connections.js';
import { ProfileStore } from './profileStore.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const lab = { name: 'Lab', url: 'http://127.0.0.1:1' };
const office = { name: 'Office', url: 'http://127.0.0.1:2' };
const stoppedEngine = {
  state: { kind: 'stopped' } as EngineState,
  onDidChange: new Emitter<EngineState>().event,
  start: () => Promise.reject(new Error('No engine here')),
};

function make(settings = new FakeSettings(), secrets = new FakeSecrets()) {
  const log = recordingLog();
  const store = new ProfileStore(settings, secrets, log);
  const contexts: boolean[] = [];
  const list = new ConnectionList({
    engine: stoppedEngine,
    store,
    log,
    askKey: () => Promise.resolve(undefined),
    mayConnect: () => true,
    setConnected: (connected) => contexts.push(connected),
  });
  cleanups.push(() => list.dispose());
  const currents: string[] = [];
  list.onDidChangeCurrent(({ name }) => currents.push(name));
  return { list, store, settings, contexts, currents };
}

const names = (all: readonly Connection[]): string[] => all.map(({ name }) => name);

describe('ConnectionList', () => {
  it('has Local first and the profiles as they are in the settings, and follows their changes', async () => {
    const { list, settings } = make(new FakeSettings([lab, office]));
    expect(names(list.all)).toEqual(['Local', 'Lab', 'Office']);
    expect(list.current.name).toBe('Local');
    const kept = list.get('Office');
    let changes = 0;
    list.onDidChange(() => (changes += 1));
    await settings.setConnections([office]);
    expect(list.all[1]).toBe(kept);
    expect(names(list.all)).toEqual(['Local', 'Office']);
    expect(changes).toBeGreaterThan(0);
  });

  it('follows the choice of the workspace', async () => {
    const { list, settings, currents } = make(new FakeSettings([lab], 'Lab'));
    expect(list.current).toBe(list.get('Lab'));
    await settings.setConnection('Local');
    await settings.setConnection('Local');
    expect(currents).toEqual(['Local']);
  });

  it('keeps the connection when its profile is renamed', async () => {
    const { list, store, currents } = make(new FakeSettings([lab, office], 'Lab'));
    const before = list.current;
    await store.rename('Lab', 'Laboratory');
    expect(list.current).toBe(before);
    expect(before.name).toBe('Laboratory');
    expect(currents).toEqual([]);
  });

  it('makes another connection for another address', async () => {
    const { list, settings } = make(new FakeSettings([lab]));
    const before = list.get('Lab');
    await settings.setConnections([{ ...lab, url: office.url }]);
    expect(list.get('Lab')).not.toBe(before);
    expect(before.state.kind).toBe('off');
  });

  it('runs nothing elsewhere when the chosen connection does not exist, until it does', async () => {
    const { list, settings, currents } = make(new FakeSettings([], 'Lab'));
    expect(list.current.state).toMatchObject({ kind: 'failed', reason: 'There is no connection named Lab' });
    await expect(list.current.client()).rejects.toMatchObject({ code: 'not_found' });
    expect(() => list.get('Lab')).toThrow('no connection named Lab');
    await settings.setConnections([lab]);
    expect(list.current).toBe(list.get('Lab'));
    expect(currents).toEqual(['Lab']);
  });

  it('connects by itself to the server of the workspace when its key is known, and tells the editor', async () => {
    const server = await startServer();
    cleanups.push(() => server.stop());
    const settings = new FakeSettings([{ name: 'Lab', url: server.url }, office], 'Lab');
    const { list, contexts } = make(settings, new FakeSecrets({ 'millrace.key.Lab': server.key }));
    await list.resume();
    expect(list.current.state.kind).toBe('connected');
    expect(contexts).toEqual([false, true]);
    await settings.setConnection('Office');
    expect(contexts).toEqual([false, true, false]);
    await list.resume();
    expect(list.current.state.kind).toBe('off');
  });
});
