import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, and cuts the connection after so many bytes. */
export interface CuttingProxy {
  readonly url: string;
  /** Bytes that the last connection has carried, by direction. */
  readonly carried: { toClient: number; toServer: number };
  /** For the connections to come; without a number nothing is cut. */
  cutAfter(direction: 'toClient' | 'toServer', bytes: number): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let limits = { toClient: Infinity, toServer: Infinity };
  let carried = { toClient: 0, toServer: 0 };
  const server = createServer((client) => {
    const own = { toClient: 0, toServer: 0 };
    const limit = limits;
    carried = own;
    const upstream = connect(Number(port), hostname);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => undefined));
      socket.setNoDelay(true);
      socket.once('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    const pass = (from: Socket, to: Socket, direction: 'toClient' | 'toServer'): void => {
      from.on('data', (data: Buffer) => {
        const left = limit[direction] - own[direction];
        const part = data.subarray(0, Math.max(0, left));
        own[direction] += part.length;
        // What was written before must arrive before the end does.
        if (part.length < data.length) to.write(part, () => to.end(cut));
        else to.write(part);
      });
    };
    pass(client, upstream, 'toServer');
    pass(upstream, client, 'toClient');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get carried() {
      return carried;
    },
    cutAfter(direction, bytes) {
      limits = { toClient: Infinity, toServer: Infinity, [direction]: bytes };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
