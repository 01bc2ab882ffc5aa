import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

const slabBytes = 64 * 1024;
/** Messages up to this size are put together with the others of their tick. */
const smallBytes = 16 * 1024;
/** Longest head of a frame of up to 65,535 bytes. */
const headBytes = 4;
const finalText = 0x81;
const length16 = 126;

/**
 * Sends messages on one WebSocket. Small texts are framed here (RFC 6455 §5.2; a server does not mask), so that all of
 * one tick leave in one write instead of two for each; everything else goes through the library.
 */
export class MessageWriter {
  private slab = Buffer.allocUnsafe(slabBytes);
  private start = 0;
  private end = 0;
  private scheduled = false;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly socket: Socket,
  ) {}

  /** Bytes accepted and not yet taken by the system. */
  get waitingBytes(): number {
    return this.webSocket.bufferedAmount + this.end - this.start;
  }

  onDrain(callback: () => void): void {
    this.socket.on('drain', callback);
  }

  text(text: string): void {
    // Three bytes is the most that one UTF-16 unit can become.
    if (text.length * 3 > smallBytes && Buffer.byteLength(text) > smallBytes) {
      this.flush();
      this.webSocket.send(text, ignoreFailure);
      return;
    }
    this.append(text);
    if (this.scheduled) return;
    this.scheduled = true;
    process.nextTick(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  /** A JSON header, a line feed and the payload as one binary message. */
  binary(header: string, payload: Uint8Array): void {
    this.flush();
    this.webSocket.send(Buffer.concat([Buffer.from(`${header}\n`), payload]), ignoreFailure);
  }

  private append(text: string): void {
    if (this.end + headBytes + smallBytes > this.slab.length) {
      this.flush();
      this.slab = Buffer.allocUnsafe(slabBytes);
      this.start = 0;
      this.end = 0;
    }
    const { slab } = this;
    const at = this.end;
    const length = slab.write(text, at + headBytes, 'utf8');
    slab[at] = finalText;
    if (length < length16) {
      slab[at + 1] = length;
      slab.copyWithin(at + 2, at + headBytes, at + headBytes + length);
      this.end = at + 2 + length;
    } else {
      slab[at + 1] = length16;
      slab.writeUInt16BE(length, at + 2);
      this.end = at + headBytes + length;
    }
  }

  /** Sends what has gathered. */
  flush(): void {
    if (this.end === this.start) return;
    const batch = this.slab.subarray(this.start, this.end);
    this.start = this.end;
    if (this.webSocket.readyState === this.webSocket.OPEN) this.socket.write(batch);
  }
}

/** A socket that closes while data waits tells it by its `close` event. */
function ignoreFailure(): void {
  // Without a callback ws would report the failure as an error event.
}
