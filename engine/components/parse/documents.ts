import type { PipeContext } from '../../runtime/component.js';
import { archiveLimits } from './archive.js';
import { piecesOf } from './cleanText.js';
import { type Detected, detectType } from './detect.js';
import { extract } from './extract.js';
import type { EmbeddedFile, Extraction, Source, Wanted } from './extraction.js';
import { type MediaLane, mediaLaneOf } from './mediaTypes.js';
import type { Extractor } from './threads.js';

const textPieceSize = 8 << 20;
const mediaPieceSize = 1 << 20;
/** Plain text up to this size is read at once; handing it to a thread would take longer. */
const inlineSize = 256 << 10;
const deepestNesting = 5;

/** What is left for the files embedded in one object, however deep they are nested. */
interface Budget {
  files: number;
  bytes: number;
}

/** Emits documents and queues what is embedded in them. */
export class DocumentEmitter {
  constructor(
    private readonly pipe: PipeContext,
    private readonly extractor: Extractor,
  ) {}

  /** Emits the document as the object at hand. Its bytes are gone afterwards. */
  document(source: Source, detected: Detected): Promise<void> {
    const budget = { files: archiveLimits.entries, bytes: archiveLimits.totalBytes };
    return this.emit(source, detected, source.name, 0, budget);
  }

  /** Passes on a piece of a picture, sound or film. */
  async pass(lane: MediaLane, data: Uint8Array): Promise<void> {
    for (let at = 0; at < data.length; at += mediaPieceSize) {
      await this.pipe.emit[lane]({ action: 'write', data: data.subarray(at, at + mediaPieceSize) });
    }
  }

  private async emit(source: Source, detected: Detected, path: string, depth: number, budget: Budget): Promise<void> {
    const { pipe } = this;
    const extraction = await this.extract(source, detected);
    Object.assign(pipe.object.metadata, extraction.metadata);
    for (const warning of extraction.warnings) pipe.warn(`${path}: ${warning}`);
    for (const piece of piecesOf(extraction.text, textPieceSize)) await pipe.emit.text(piece);
    for (const table of extraction.tables) await pipe.emit.table(table);
    for (const file of extraction.media) await this.media(file);
    if (extraction.embedded.length === 0) return;
    if (depth === deepestNesting) {
      pipe.warn(`${path}: is nested deeper than ${deepestNesting} levels, so the files in it were not read`);
      return;
    }
    for (const file of extraction.embedded) {
      if (--budget.files < 0 || (budget.bytes -= file.bytes.length) < 0) {
        pipe.warn(`${path}: holds too many or too large files; those from ${file.name} on were not read`);
        return;
      }
      this.queue(file, `${path}/${file.name}`, depth + 1, budget);
    }
  }

  private queue(file: EmbeddedFile, path: string, depth: number, budget: Budget): void {
    const { name, mimeType } = file;
    this.pipe.queueChild({ name, mimeType, size: file.bytes.length }, async () => {
      if (file.bytes.length === 0) return this.pipe.warn(`${path}: is empty`);
      const detected = await detectType(file.bytes, name, mimeType);
      if (detected.kind === 'media') {
        this.pipe.object.metadata.contentType = detected.mimeType;
        return this.media({ ...file, mimeType: detected.mimeType });
      }
      return this.emit(file, detected, path, depth, budget);
    });
  }

  private async media({ name, mimeType, bytes }: EmbeddedFile): Promise<void> {
    const lane = mediaLaneOf(mimeType);
    if (!lane || !this.pipe.listens(lane)) return;
    await this.pipe.emit[lane]({ action: 'begin', mimeType, name, size: bytes.length });
    await this.pass(lane, bytes);
    await this.pipe.emit[lane]({ action: 'end' });
  }

  private extract(source: Source, detected: Detected): Promise<Extraction> {
    const { pipe } = this;
    const wanted: Wanted = {
      text: pipe.listens('text'),
      table: pipe.listens('table'),
      media: pipe.listens('image') || pipe.listens('audio') || pipe.listens('video'),
    };
    const job = { source, detected, wanted };
    const quick = (detected.kind === 'text' || detected.kind === 'csv') && source.bytes.length <= inlineSize;
    return quick ? extract(job) : this.extractor.extract(job, pipe.signal);
  }
}
