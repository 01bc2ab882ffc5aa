import { describe, expect, it } from 'vitest';
import { FakeSecrets, FakeSettings } from '../testing/connectionFakes.js';
import { recordingLog } from '../testing/recordingLog.js';
import { ProfileStore } from './profileStore.js';

function make(settings = new FakeSettings(), secrets = new FakeSecrets()) {
  const log = recordingLog();
  const store = new ProfileStore(settings, secrets, log);
  const seen: string[] = [];
  store.onDidChange(() => seen.push(`${store.profiles.map(({ name }) => name).join()} → ${store.chosen}`));
  return { settings, secrets, log, store, seen };
}

describe('ProfileStore', () => {
  it('keeps the address in the settings and the key in the secret storage', async () => {
    const { settings, secrets, log, store } = make();
    await store.add({ name: ' Lab ', url: ' http://lab ' }, 'secret');
    expect(settings.connections).toEqual([{ name: 'Lab', url: 'http://lab' }]);
    expect([...secrets.kept]).toEqual([['millrace.key.Lab', 'secret']]);
    expect(log.lines.join()).not.toContain('secret');
  });

  it('renames in one step, with the key and the choice of the workspace', async () => {
    const { settings, secrets, store, seen } = make(
      new FakeSettings([{ name: 'Lab', url: 'http://lab' }], 'Lab'),
      new FakeSecrets({ 'millrace.key.Lab': 'secret' }),
    );
    await store.rename('Lab', 'Office');
    expect(seen).toEqual(['Office → Office']);
    expect(settings.connection).toBe('Office');
    expect([...secrets.kept]).toEqual([['millrace.key.Office', 'secret']]);
  });

  it('leaves the choice alone when another connection is renamed', async () => {
    const settings = new FakeSettings([{ name: 'Lab', url: 'http://lab' }], 'Local');
    const { store } = make(settings);
    await store.rename('Lab', 'Office');
    expect(settings.connection).toBe('Local');
  });

  it('removes the key with the profile and goes back to the engine inside the editor', async () => {
    const { secrets, store, seen } = make(
      new FakeSettings([{ name: 'Lab', url: 'http://lab' }], 'Lab'),
      new FakeSecrets({ 'millrace.key.Lab': 'secret' }),
    );
    await store.remove('Lab');
    expect(seen).toEqual([' → Local']);
    expect(secrets.kept.size).toBe(0);
  });

  it('refuses a name that is taken and changes nothing', async () => {
    const value = [{ name: 'Lab', url: 'http://lab' }];
    const { settings, secrets, store } = make(new FakeSettings(value));
    await expect(store.add({ name: 'lab', url: 'http://x' }, 'secret')).rejects.toThrow('There is a connection');
    await expect(store.rename('Lab', 'Local')).rejects.toThrow('inside the editor');
    expect(settings.connections).toEqual(value);
    expect(secrets.kept.size).toBe(0);
  });

  it('warns once of an entry that cannot be used, however often it is read', () => {
    const { log, store } = make(new FakeSettings(['text']));
    expect(store.profiles).toEqual([]);
    expect(store.profiles).toEqual([]);
    expect(log.lines).toHaveLength(1);
  });
});
