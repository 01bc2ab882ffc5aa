import { createServer as createHttpServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { eventually } from './poll.js';

/** A server that is none of ours, or one that went wrong. */
export interface BadServer {
  readonly url: string;
  /** Connections that are open. */
  connections(): number;
  /** Fails when a client has left a connection open. */
  close(): Promise<void>;
}

/** What such a server does with a socket that has been upgraded, and with each request on it. */
export interface SocketBehaviour {
  opened?(socket: WebSocket, raw: Socket): void;
  request?(socket: WebSocket, request: Request, raw: Socket): void;
}

export interface Request {
  seq: number;
  command: string;
}

/** Speaks TCP only. */
export function tcpServer(onConnection: (socket: Socket) => void): Promise<BadServer> {
  return listening(createServer(onConnection), 'http');
}

/** Speaks HTTP only: every request is answered with this status. */
export function httpServer(status: number, body: string, headers: Record<string, string> = {}): Promise<BadServer> {
  const server = createHttpServer((_request, response) => {
    response.writeHead(status, headers).end(body);
  });
  // The upgrade is answered like any other request.
  return listening(server, 'http');
}

/** Speaks WebSocket, and then does as it is told. */
export function socketServer(behaviour: SocketBehaviour): Promise<BadServer> {
  return listening(withSockets(createHttpServer(), behaviour), 'http');
}

/** Speaks TLS with a certificate that expired in 2020. Its key has never been used for anything else. */
export function expiredServer(): Promise<BadServer> {
  return listening(withSockets(createTlsServer({ key: expiredKey, cert: expiredCertificate }), {}), 'https');
}

/** The answer of a server that is well. */
export function answer({ seq, command }: Request, body: unknown = {}): string {
  return JSON.stringify({ type: 'response', seq, request_seq: seq, command, success: true, body });
}

function withSockets(server: HttpServer, { opened, request }: SocketBehaviour): HttpServer {
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket: WebSocket, { socket: raw }: IncomingMessage) => {
    socket.on('error', () => undefined);
    opened?.(socket, raw);
    socket.on('message', (data: Buffer) => {
      const end = data.indexOf(0x0a);
      request?.(socket, JSON.parse((end < 0 ? data : data.subarray(0, end)).toString()) as Request, raw);
    });
  });
  return server;
}

async function listening(server: Server, scheme: string): Promise<BadServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    connections: () => sockets.size,
    async close() {
      try {
        await eventually('every connection is closed', () => {
          // One that the server does not read would never hear of the end.
          for (const socket of sockets) socket.resume();
          return sockets.size === 0;
        });
      } finally {
        for (const socket of sockets) socket.destroy();
        await new Promise((done) => server.close(done));
      }
    },
  };
}

const expiredKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdlOvlGyMyvmRH/yA
5kd6Jn3zyXPGBFqHvodUGUCdH8ChRANCAAR9cWR0oc4wjDjuycu96/btMq82++9/
tO2ybvl1HRSx8p9SrzL20ulcmsz0KOnKzPIHRkWSpGNRR8E/A/YlwKxa
-----END PRIVATE KEY-----`;

const expiredCertificate = `-----BEGIN CERTIFICATE-----
MIIBDzCBtgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwHhcN
MjAwMTAxMDAwMDAwWhcNMjAwMTAyMDAwMDAwWjAUMRIwEAYDVQQDDAkxMjcuMC4w
LjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR9cWR0oc4wjDjuycu96/btMq82
++9/tO2ybvl1HRSx8p9SrzL20ulcmsz0KOnKzPIHRkWSpGNRR8E/A/YlwKxaMAoG
CCqGSM49BAMCA0gAMEUCIQCs80jlKltexDd7aT7+3yI0qiVNatIGxQMop4UyNrzC
VAIgLYHQvUxbN8wu44mN848lzy3gXOoev1yR6Wy9uSgA/z8=
-----END CERTIFICATE-----`;
