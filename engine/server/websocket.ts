import type { IncomingMessage, Server } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { MillraceError } from '../../protocol/errors.js';
import { limits, socketPath } from '../../protocol/limits.js';
import { Connection, type ConnectionDeps } from './connection.js';
import { checkRequest, type GatePolicy } from './gate.js';

const pingMs = 15_000;
const loginMs = 10_000;
const maxConnections = 1024;
const maxUnauthenticated = 64;

interface Entry {
  connection: Connection;
  webSocket: WebSocket;
  loginTimer: NodeJS.Timeout | undefined;
  alive: boolean;
}

/** The WebSocket door at `/task/service`. */
export class WebSocketDoor {
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.messageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    skipUTF8Validation: false,
  });
  private readonly entries = new Map<number, Entry>();
  private readonly pings: NodeJS.Timeout;
  private nextId = 1;

  constructor(
    http: Server,
    private readonly policy: GatePolicy,
    private readonly deps: ConnectionDeps,
  ) {
    http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.upgrade(request, socket, head));
    this.pings = setInterval(() => this.ping(), pingMs);
    this.pings.unref();
  }

  connections(): Connection[] {
    return [...this.entries.values()].map(({ connection }) => connection);
  }

  /** Closes every connection with the code for a server that goes away. */
  dispose(): void {
    clearInterval(this.pings);
    for (const { connection, webSocket } of this.entries.values()) {
      connection.close(1001, 'The server is shutting down');
      // A client that does not answer the close must not keep the process alive.
      setTimeout(() => webSocket.terminate(), 500).unref();
    }
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = checkRequest(request, this.policy) ?? this.refusal(request);
    if (refusal !== undefined) {
      socket.on('error', () => undefined);
      const body = JSON.stringify({
        status: 'Error',
        error: { message: refusal.message, error: refusal.message, code: refusal.code },
      });
      socket.end(
        `HTTP/1.1 ${refusal.httpStatus} ${STATUS_CODES[refusal.httpStatus] ?? 'Refused'}\r\n` +
          `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      return;
    }
    this.server.handleUpgrade(request, socket, head, (webSocket) => this.accept(webSocket, socket as Socket));
  }

  private refusal(request: IncomingMessage): MillraceError | undefined {
    const path = (request.url ?? '').split('?', 1)[0];
    if (path !== socketPath) return new MillraceError('not_found', 'There is no WebSocket at this path');
    if (this.entries.size >= maxConnections) return new MillraceError('too_many', 'Too many connections');
    const waiting = [...this.entries.values()].filter(({ connection }) => connection.principal === undefined);
    if (waiting.length >= maxUnauthenticated)
      return new MillraceError('too_many', 'Too many connections without a login');
    return undefined;
  }

  private accept(webSocket: WebSocket, socket: Socket): void {
    socket.setNoDelay(true);
    const id = this.nextId++;
    const connection = new Connection(id, webSocket, socket, this.deps, (loggedIn) => this.watchLogin(entry, loggedIn));
    const entry: Entry = { connection, webSocket, loginTimer: undefined, alive: true };
    this.entries.set(id, entry);
    this.deps.hub.add(connection);
    this.watchLogin(entry, false);
    webSocket.on('pong', () => (entry.alive = true));
    webSocket.on('close', () => {
      clearTimeout(entry.loginTimer);
      this.entries.delete(id);
    });
  }

  /** A connection without a login is closed after a while. */
  private watchLogin(entry: Entry, loggedIn: boolean): void {
    clearTimeout(entry.loginTimer);
    if (loggedIn) return;
    entry.loginTimer = setTimeout(() => entry.connection.close(1008, 'No login'), loginMs);
    entry.loginTimer.unref();
  }

  private ping(): void {
    for (const entry of this.entries.values()) {
      // A slow task makes its sender wait; the pong then waits too.
      if (entry.connection.paused) {
        entry.alive = true;
        continue;
      }
      if (!entry.alive) {
        entry.webSocket.terminate();
        continue;
      }
      entry.alive = false;
      entry.webSocket.ping();
    }
  }
}
