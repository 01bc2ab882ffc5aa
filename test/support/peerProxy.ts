import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import WebSocket, { WebSocketServer } from 'ws';

export interface PeerProxy {
  readonly url: string;
  /** The commands that were let through. */
  readonly commands: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Stands before a server and knows only the commands of the existing clients, as older servers do. */
export async function startPeerProxy(serverUrl: string): Promise<PeerProxy> {
  const commands = new Set<string>();
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  server.on('connection', (client) => {
    const upstream = new WebSocket(`${serverUrl.replace(/^http/, 'ws')}/task/service`);
    const opened = once(upstream, 'open');
    client.on('message', (data: Buffer, isBinary) => {
      const end = data.indexOf(0x0a);
      const header = (end < 0 ? data : data.subarray(0, end)).toString('utf8');
      const { seq, command } = JSON.parse(header) as { seq: number; command: string };
      if (command.startsWith('mrext_')) {
        const message = `Invalid command: ${command}`;
        client.send(JSON.stringify({ type: 'response', seq: 0, request_seq: seq, command, success: false, message }));
        return;
      }
      commands.add(command);
      void opened.then(() => upstream.send(data, { binary: isBinary }));
    });
    upstream.on('message', (data: Buffer, isBinary) => client.send(data, { binary: isBinary }));
    client.on('close', () => upstream.close());
    upstream.on('close', () => client.close());
    for (const socket of [client, upstream]) socket.on('error', () => socket.terminate());
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    commands,
    async close() {
      for (const client of server.clients) client.terminate();
      await new Promise((done) => server.close(done));
    },
  };
}
