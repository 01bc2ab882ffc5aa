import { describe, expect, it } from 'vitest';
import type { MillraceClient } from '../../client/typescript/src/index.js';
import { waitFor } from '../../test/support/waitFor.js';
import { recordingLog } from '../testing/recordingLog.js';
import { TestConnection, TestConnections } from '../views/testing/connections.js';
import { ServerProviders } from './serverProviders.js';

/** A server that offers one provider, or refuses to say. */
function server(provider: string | undefined): MillraceClient {
  const getServices = (): Promise<unknown> =>
    provider === undefined ? Promise.reject(new Error('refused')) : Promise.resolve({ services: { [provider]: {} } });
  return { url: 'ws://localhost', getServices } as unknown as MillraceClient;
}

describe('the providers of the connected server', () => {
  const local = new TestConnection('Local');
  const remote = new TestConnection('Remote');
  const connections = new TestConnections(local, remote);
  const told: unknown[] = [];
  const providers = new ServerProviders(connections, recordingLog(), (services) => told.push(services));

  it('are told when a server is there, when it is another one, and when it is gone', async () => {
    remote.up(server('magic'));
    local.up(server('parse'));
    await waitFor(() => told.length === 1, 'the local engine is known');
    // The same client after another state is the same server.
    local.move(local.state);
    connections.choose(remote);
    await waitFor(() => told.length === 2, 'the remote server is known');
    remote.down();
    await waitFor(() => told.length === 3, 'nothing is connected');
    remote.up(server(undefined));
    await waitFor(() => told.length === 4, 'the server refused');
    expect(told).toEqual([{ parse: {} }, { magic: {} }, null, null]);
    local.up(server('other'));
    providers.dispose();
    remote.down();
    expect(told).toHaveLength(4);
  });
});
