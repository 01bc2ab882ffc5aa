import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/poll.js';
import { type FixtureOptions, type HostFixture, hostFixture } from '../testing/engineHostFixture.js';
import type { ConnectionState } from './connection.js';
import { LocalConnection } from './localConnection.js';

let fixture: HostFixture | undefined;
let connection: LocalConnection | undefined;
afterEach(async () => {
  connection?.dispose();
  await fixture?.close();
});

async function make(options?: FixtureOptions): Promise<{ local: LocalConnection; host: HostFixture['host'] }> {
  fixture = await hostFixture(options);
  connection = new LocalConnection(fixture.host, fixture.log);
  return { local: connection, host: fixture.host };
}

describe('LocalConnection', () => {
  it('starts the engine for the first who needs it and shares one client', async () => {
    const { local, host } = await make();
    expect(local.state).toEqual({ kind: 'off', reason: 'The engine is stopped' });
    expect(local.connected).toBeUndefined();
    const [one, other] = await Promise.all([local.client(), local.client()]);
    expect(other).toBe(one);
    expect(local.connected).toBe(one);
    expect(host.state.kind).toBe('running');
    expect(local.state).toMatchObject({ kind: 'connected', serverVersion: expect.stringMatching(/^\d/) as string });
  });

  it('has the same client at the new address after a crash, and its subscriptions', async () => {
    const { local, host } = await make({ timing: { backoff: 50 } });
    const states: ConnectionState[] = [];
    const client = await local.client();
    await client.subscribe('*', ['task']);
    local.onDidChangeState((state) => states.push(state));
    const before = await host.start();
    process.kill(before.pid, 'SIGKILL');
    const first = await eventually('it waits', () => states[0]);
    expect(first).toEqual({ kind: 'waiting', reason: 'The engine ended unexpectedly with signal SIGKILL' });
    expect(await local.client()).toBe(client);
    const after = await host.start();
    expect(after.url).not.toBe(before.url);
    expect(local.state).toMatchObject({ kind: 'connected', url: after.url });
    let tasks = 0;
    client.listen(({ event }) => {
      if (event === 'apaevt_task') tasks += 1;
    });
    await client.use({ pipeline: { source: 'in', components: [{ id: 'in', provider: 'webhook', config: {} }] } });
    await eventually('the event of a task', () => tasks > 0);
  });

  it('gives whoever asks while the engine is restarted the one that follows', async () => {
    const { local, host } = await make();
    const first = await host.start();
    const asked = local.client();
    await host.restart();
    const client = await asked;
    await client.ping();
    expect(local.state.kind).toBe('connected');
    expect((await host.start()).url).not.toBe(first.url);
  });

  it('is off when the engine is stopped, and connects when it is started again', async () => {
    const { local, host } = await make();
    const client = await local.client();
    await host.stop();
    expect(local.state).toEqual({ kind: 'off', reason: 'The engine is stopped' });
    expect(local.connected).toBeUndefined();
    await host.start();
    await eventually('it is connected', () => local.connected);
    expect(local.connected).toBe(client);
  });

  it('connects no more once it is disposed, also while the engine runs', async () => {
    const { local, host } = await make();
    await host.start();
    local.dispose();
    await expect(local.client()).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('has the reason of an engine that cannot start', async () => {
    const { local } = await make({ program: { entry: '/no/such/engine.js' } });
    await expect(local.client()).rejects.toThrow('/no/such/engine.js');
    expect(local.state).toMatchObject({ kind: 'failed', hint: 'Install the extension again.' });
  });

  it('stays off in a workspace that is not trusted', async () => {
    const { local } = await make({ mayStart: () => false });
    await expect(local.client()).rejects.toThrow('not trusted');
    expect(local.state).toMatchObject({ kind: 'off', reason: expect.stringContaining('not trusted') as string });
  });
});
