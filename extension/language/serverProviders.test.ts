import { describe, expect, it } from 'vitest';
import type { MillraceClient } from '../../client/typescript/src/index.js';
import { waitFor } from '../../test/support/waitFor.js';
import { recordingLog } from '../testing/recordingLog.js';
import { TestConnection, TestConnections } from '../views/testing/connections.js';
import { ServerProviders } from './serverProviders.js';

/** A server that offers one provider, another one each time it is asked, or refuses to say. */
function server(...providers: (string | undefined)[]): MillraceClient {
  const getServices = (): Promise<unknown> => {
    const provider = providers.shift();
    return provider === undefined
      ? Promise.reject(new Error('refused'))
      : Promise.resolve({ services: { [provider]: {} } });
  };
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

  it('are asked for again when the server may have been upgraded behind the connection', async () => {
    const connection = new TestConnection('Local');
    const heard: unknown[] = [];
    const follower = new ServerProviders(new TestConnections(connection), recordingLog(), (services) => {
      heard.push(services);
    });
    const client = server('before', 'after', 'restarted');
    connection.up(client);
    await waitFor(() => heard.length === 1, 'the server is known');
    connection.move({ kind: 'connected', url: client.url, serverVersion: '0.2.0' });
    await waitFor(() => heard.length === 2, 'the new version is known');
    connection.down();
    connection.up(client);
    await waitFor(() => heard.length === 4, 'the server is back');
    expect(heard).toEqual([{ before: {} }, { after: {} }, null, { restarted: {} }]);
    follower.dispose();
  });
});
