import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { WriteBatch } from '../worker/writeBatch.js';

/** Messages up to this size are put together with the others of their tick. */
const smallBytes = 16 * 1024;
/** Longest head of a frame of up to 65,535 bytes. */
const headBytes = 4;
const finalText = 0x81;
const length16 = 126;

/**
 * Sends messages on one WebSocket. Small texts are framed here (RFC 6455 §5.2; a server does not mask), so that those of
 * one tick leave in few writes instead of two for each; everything else goes through the library.
 */
export class MessageWriter {
  private readonly batch: WriteBatch;
  private scheduled = false;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly socket: Socket,
  ) {
    this.batch = new WriteBatch(socket);
  }

  /** Bytes accepted and not yet taken by the system. */
  get waitingBytes(): number {
    return this.webSocket.bufferedAmount + this.batch.waiting;
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
    if (this.batch.waiting > 0 && this.webSocket.readyState === this.webSocket.OPEN) this.batch.complete();
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
    const { batch } = this;
    batch.reserve(headBytes + smallBytes);
    const { buffer, end } = batch;
    const length = buffer.write(text, end + headBytes, 'utf8');
    buffer[end] = finalText;
    if (length < length16) {
      buffer[end + 1] = length;
      buffer.copyWithin(end + 2, end + headBytes, end + headBytes + length);
      batch.end = end + 2 + length;
    } else {
      buffer[end + 1] = length16;
      buffer.writeUInt16BE(length, end + 2);
      batch.end = end + headBytes + length;
    }
  }

  /** Sends what has gathered. */
  flush(): void {
    if (this.webSocket.readyState === this.webSocket.OPEN) this.batch.flush();
    else this.batch.drop();
  }
}

/** A socket that closes while data waits tells it by its `close` event. */
function ignoreFailure(): void {
  // Without a callback ws would report the failure as an error event.
}
