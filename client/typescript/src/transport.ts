/** Why a socket is closed: a WebSocket close code and a text, possibly empty. */
export interface CloseInfo {
  code: number;
  reason: string;
}

export interface TransportEvents {
  /** One WebSocket message. Text may come as a string or as UTF-8 bytes with `isBinary` false. */
  message(data: string | Uint8Array, isBinary: boolean): void;
  /** Called once, and only when `open` had resolved. Nothing is delivered afterwards. */
  closed(info: CloseInfo): void;
}

/** One socket, used once. The connection that creates it closes it. */
export interface Transport {
  /** Resolves when messages can be sent. Rejects when that fails or the signal fires; the socket is then gone. */
  open(events: TransportEvents, signal: AbortSignal): Promise<void>;
  /**
   * Hands one message over, in call order. Resolves when the next may follow: at once while little is buffered,
   * otherwise when this message has left. Rejects when the socket is not open.
   */
  send(data: string | Uint8Array): Promise<void>;
  /** Starts the closing handshake and resolves when the socket is closed, after half a second at the latest. */
  close(code: number, reason: string): Promise<void>;
}

export type TransportFactory = (url: string) => Transport;

/** Bytes waiting in a socket above which `send` makes its caller wait. */
export const highWaterMark = 4 * 1024 * 1024;
export const closeGraceMs = 500;
