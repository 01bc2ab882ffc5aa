import type { Awaitable, PipeContext, StreamItem } from '../../runtime/component.js';
import { type Detected, detectType } from './detect.js';
import type { DocumentEmitter } from './documents.js';
import { type MediaLane, mediaLaneOf } from './mediaTypes.js';

const largestDocument = 512 << 20;
/** Bytes that settle the type of a document. */
const detectionSize = 64 << 10;

/** Collects the bytes of one document at a time. Pictures, sounds and films are passed on as they arrive. */
export class ParsePipe {
  private chunks: Uint8Array[] = [];
  private received = 0;
  private mimeType = '';
  private detected: Detected | undefined;
  /** The lane on which a stand-alone media file is passed on. */
  private passing: MediaLane | undefined;
  private ignoring = false;

  constructor(
    private readonly pipe: PipeContext,
    private readonly documents: DocumentEmitter,
  ) {}

  reset(): void {
    this.chunks = [];
    this.received = 0;
    this.mimeType = this.pipe.object.mimeType;
    this.detected = undefined;
    this.passing = undefined;
    this.ignoring = false;
  }

  take(item: StreamItem): Awaitable<void> {
    switch (item.action) {
      case 'begin':
        this.reset();
        if (item.mimeType !== '') this.mimeType = item.mimeType;
        return;
      case 'write':
        return this.write(item.data);
      case 'end':
        return this.end();
    }
  }

  private write(data: Uint8Array): Awaitable<void> {
    this.received += data.length;
    if (this.passing) return this.documents.pass(this.passing, data);
    if (this.ignoring) return;
    if (this.received > largestDocument) {
      this.ignore();
      this.pipe.warn(`${this.pipe.object.name}: is larger than ${largestDocument >> 20} MiB and was not read`);
      return;
    }
    this.chunks.push(data);
    if (!this.detected && this.received >= detectionSize) return this.detect();
  }

  private async end(): Promise<void> {
    const { name } = this.pipe.object;
    if (this.received === 0) return this.pipe.warn(`${name}: is empty`);
    if (!this.detected && !this.ignoring) await this.detect();
    if (this.passing) return this.pipe.emit[this.passing]({ action: 'end' });
    if (this.ignoring || !this.detected) return;
    const bytes = joined(this.chunks, this.received);
    this.chunks = [];
    await this.documents.document({ name, mimeType: this.mimeType, bytes }, this.detected);
  }

  /** Decides from what has arrived so far how the rest is handled. */
  private async detect(): Promise<void> {
    const { name, size, metadata } = this.pipe.object;
    const bytes = this.chunks.length === 1 ? this.chunks[0] : undefined;
    this.detected = await detectType(bytes ?? joined(this.chunks, this.received), name, this.mimeType);
    const { kind, mimeType } = this.detected;
    if (kind !== 'media') return;
    metadata.contentType = mimeType;
    const lane = mediaLaneOf(mimeType);
    if (!lane || !this.pipe.listens(lane)) return this.ignore();
    this.passing = lane;
    await this.pipe.emit[lane]({ action: 'begin', mimeType, name, ...(size === undefined ? {} : { size }) });
    for (const chunk of this.chunks.splice(0)) await this.documents.pass(lane, chunk);
  }

  private ignore(): void {
    this.ignoring = true;
    this.chunks = [];
  }
}

/** The chunks in one piece of memory of its own, which may be handed to a thread. */
function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
