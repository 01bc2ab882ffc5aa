import type { Readable } from 'node:stream';
import { MillraceError } from '../../../protocol/errors.js';
import type { OpenPipe } from '../../tasks/service.js';

/** Bytes handed to a pipe that it has not taken in yet. More than one write, so that the next travels meanwhile. */
export const uploadWindow = 1024 * 1024;
/** What arrives without a break is one write, up to about this many bytes: each write wakes the task and is answered. */
const writeBytes = 256 * 1024;
const writeParts = 64;

/**
 * Writes a stream into a pipe as it arrives and resolves once the pipe has taken in all of it. A slow pipe stops the
 * reading, and with it the sender: at most `uploadWindow` bytes and one chunk are in memory.
 *
 * @throws what a write rejected with, or `connection_lost` when the stream ends early; what is left unread is the caller's
 */
export function pump(source: Readable, pipe: OpenPipe): Promise<void> {
  return new Promise((resolve, reject) => {
    let gathered: Buffer[] = [];
    let gatheredBytes = 0;
    let scheduled = false;
    /** What had been gathered when the current turn of the event loop began. */
    let before = 0;
    let pending = 0;
    let ended = false;
    let failed = false;

    const leave = (): void => {
      source.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
      source.on('error', ignore);
    };
    const fail = (reason: unknown): void => {
      // One failed write makes those behind it fail too.
      if (failed) return;
      failed = true;
      if (!ended) leave();
      reject(reason instanceof Error ? reason : new MillraceError('component_failed', String(reason)));
    };
    const write = (): void => {
      if (failed || gatheredBytes === 0) return;
      const bytes = gatheredBytes;
      const parts = gathered;
      gathered = [];
      gatheredBytes = 0;
      before = 0;
      pipe.write(...parts).then(() => {
        pending -= bytes;
        if (ended && pending === 0) resolve();
        else if (!ended && !failed && pending < uploadWindow && source.isPaused()) source.resume();
      }, fail);
    };
    const onTurn = (): void => {
      scheduled = gatheredBytes > before;
      before = gatheredBytes;
      if (scheduled) setImmediate(onTurn);
      else write();
    };
    const onData = (chunk: Buffer): void => {
      gathered.push(chunk);
      gatheredBytes += chunk.length;
      pending += chunk.length;
      if (pending >= uploadWindow) source.pause();
      if (gatheredBytes >= writeBytes || gathered.length >= writeParts) return write();
      if (scheduled) return;
      scheduled = true;
      setImmediate(onTurn);
    };
    const onEnd = (): void => {
      ended = true;
      leave();
      write();
      if (pending === 0) resolve();
    };
    const onLost = (cause?: unknown): void => fail(clientGone(cause));

    if (source.destroyed) onLost();
    else source.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost).resume();
  });
}

/**
 * Reads until the end or until `limit` bytes have come; `ended` tells which. The stream is left paused.
 *
 * @throws MillraceError `connection_lost` when the stream ends early
 */
export function gather(source: Readable, limit: number): Promise<{ data: Buffer; ended: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;

    const finish = (ended: boolean): void => {
      source.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
      const [first] = chunks;
      resolve({ data: chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks), ended });
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= limit) return;
      source.pause();
      finish(false);
    };
    const onEnd = (): void => finish(true);
    const onLost = (cause?: unknown): void => reject(clientGone(cause));

    if (source.destroyed) onLost();
    else source.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  });
}

function clientGone(cause: unknown): MillraceError {
  return new MillraceError('connection_lost', 'The client went away during the upload', { cause });
}

function ignore(): void {
  // The stream has been left; how it ends is no news.
}
