import type { Awaitable, PipeContext, StreamItem } from '../../runtime/component.js';
import { type Detected, detectType } from './detect.js';
import type { DocumentEmitter } from './documents.js';
import { Gather } from './gather.js';
import { type MediaLane, mediaLaneOf } from './mediaTypes.js';

const largestDocument = 512 << 20;
/** Bytes that settle the type of a document. */
const detectionSize = 64 << 10;

/** Collects the bytes of one document at a time. Pictures, sounds and films are passed on as they arrive. */
export class ParsePipe {
  private readonly gathered = new Gather();
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
    this.gathered.begin(this.pipe.object.size);
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
    this.gathered.add(data);
    if (!this.detected && this.received >= detectionSize) return this.detect();
  }

  private async end(): Promise<void> {
    const { name } = this.pipe.object;
    if (this.received === 0) return this.pipe.warn(`${name}: is empty`);
    if (!this.detected && !this.ignoring) await this.detect();
    if (this.passing) return this.pipe.emit[this.passing]({ action: 'end' });
    if (this.ignoring || !this.detected) return;
    await this.documents.document({ name, mimeType: this.mimeType, bytes: this.gathered.take() }, this.detected);
  }

  /** Decides from what has arrived so far how the rest is handled. */
  private async detect(): Promise<void> {
    const { name, size, metadata } = this.pipe.object;
    this.detected = await detectType(this.gathered.bytes, name, this.mimeType);
    const { kind, mimeType } = this.detected;
    if (kind !== 'media') return;
    metadata.contentType = mimeType;
    const lane = mediaLaneOf(mimeType);
    if (!lane || !this.pipe.listens(lane)) return this.ignore();
    this.passing = lane;
    await this.pipe.emit[lane]({ action: 'begin', mimeType, name, ...(size === undefined ? {} : { size }) });
    await this.documents.pass(lane, this.gathered.take());
  }

  private ignore(): void {
    this.ignoring = true;
    this.gathered.drop();
  }
}
