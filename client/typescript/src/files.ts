import { uploadEvent } from '../../../protocol/events.js';
import { errorText } from '../../../protocol/errors.js';
import type { PipelineResult, UploadResult } from '../../../protocol/results.js';
import { type ByteStream, chunkSize, collect, rechunk } from './chunks.js';
import { settleFailedPipe, sizeOf, type DataSender } from './data.js';
import { createError } from './errors.js';
import { isTextual, mimeTypeOf } from './mimeTypes.js';
import type { Session } from './session.js';
import { checkedToken } from './tasks.js';

/** A File, a Blob, or anything with a `stream()`. */
export interface FileSource {
  readonly name?: string;
  /** Bytes. */
  readonly size?: number;
  /** MIME type. */
  readonly type?: string;
  stream(): ByteStream;
}

export interface FileEntry {
  file: FileSource;
  /** About the object; `name` is the file's name unless given. */
  objinfo?: Record<string, unknown> | undefined;
  /** The file's own type, else by the name's extension, when absent. */
  mimetype?: string | undefined;
  /** How the file is called in results and events; its name when absent. */
  filepath?: string | undefined;
}

export interface SendFilesOptions {
  /** Files under way at once; 5 when absent. */
  concurrency?: number | undefined;
  /** Files not yet done then count as failed. */
  signal?: AbortSignal | undefined;
}

/** The body of `apaevt_status_upload`. Sizes in bytes, time in seconds. */
export interface UploadProgress {
  action: 'open' | 'write' | 'close' | 'complete' | 'error';
  filepath: string;
  bytes_sent: number;
  file_size: number;
  upload_time: number;
  result?: PipelineResult;
  error?: string;
}

const defaultConcurrency = 5;

/** Uploading several files at a time. */
export class FileSender {
  readonly #session: Session;
  readonly #data: DataSender;

  constructor(session: Session, data: DataSender) {
    this.#session = session;
    this.#data = data;
  }

  async sendFiles(files: readonly FileEntry[], token: string, options: SendFilesOptions = {}): Promise<UploadResult[]> {
    checkedToken(token);
    for (const entry of files) checkEntry(entry);
    const results: UploadResult[] = [];
    const queue = files.entries();
    const worker = async (): Promise<void> => {
      for (const [index, entry] of queue) results[index] = await this.#upload(entry, token, options.signal);
    };
    const workers = Math.max(1, Math.min(options.concurrency ?? defaultConcurrency, files.length));
    await Promise.all(Array.from({ length: workers }, worker));
    return results;
  }

  /** One file. Never rejects: what goes wrong is in the result. */
  async #upload(entry: FileEntry, token: string, signal: AbortSignal | undefined): Promise<UploadResult> {
    const started = performance.now();
    const { file, objinfo = {} } = entry;
    const name = typeof objinfo.name === 'string' ? objinfo.name : file.name;
    const filepath = entry.filepath ?? file.name ?? name ?? '';
    const mimeType =
      entry.mimetype ?? (file.type === undefined || file.type === '' ? mimeTypeOf(name ?? '') : file.type);
    let sent = 0;
    const facts = () => ({
      filepath,
      bytes_sent: sent,
      file_size: file.size ?? sent,
      upload_time: (performance.now() - started) / 1000,
    });
    const tell = (action: 'open' | 'write' | 'close'): void => this.#tell({ action, ...facts() });
    const report = (bytes: number): void => {
      if (bytes === sent) return;
      sent = bytes;
      tell('write');
    };
    const object = {
      token,
      objinfo: { ...objinfo, ...(name === undefined ? {} : { name }), ...sizeInfo(file.size) },
      mimeType,
      signal,
    };
    let outcome: UploadResult;
    try {
      tell('open');
      const small = file.size !== undefined && file.size <= chunkSize && this.#session.dialect === 'spec';
      const result = small
        ? await this.#sendWhole(file, object, report, () => tell('close'))
        : await this.#sendStream(file, object, report, () => tell('close'));
      outcome =
        result.error === undefined
          ? { action: 'complete', ...facts(), result }
          : { action: 'error', ...facts(), result, error: result.error.message };
    } catch (error) {
      outcome = { action: 'error', ...facts(), error: errorText(error) };
    }
    this.#tell(outcome);
    return outcome;
  }

  async #sendWhole(
    file: FileSource,
    object: Parameters<DataSender['sendBytes']>[1],
    report: (bytes: number) => void,
    closing: () => void,
  ): Promise<PipelineResult> {
    const bytes = await collect(file.stream());
    const result = this.#data.sendBytes(bytes, object);
    result.then(
      () => report(bytes.length),
      () => undefined,
    );
    closing();
    return result;
  }

  async #sendStream(
    file: FileSource,
    object: Parameters<DataSender['pipe']>[0] & { mimeType: string },
    report: (bytes: number) => void,
    closing: () => void,
  ): Promise<PipelineResult> {
    const pipe = await this.#data.pipe({ ...object, onProgress: report }).open();
    try {
      for await (const chunk of rechunk(file.stream(), chunkSize, isTextual(object.mimeType))) {
        try {
          await pipe.write(chunk);
        } catch (error) {
          return await settleFailedPipe(pipe, error);
        }
      }
    } catch (error) {
      // What was read of the file so far is not the file.
      await pipe.abandon(errorText(error));
      throw error;
    }
    closing();
    return pipe.close();
  }

  #tell(body: UploadProgress): void {
    this.#session.emit({ type: 'event', seq: 0, event: uploadEvent, body });
  }
}

function sizeInfo(size: number | undefined): { size?: number } {
  return size === undefined ? {} : { size: sizeOf(size) };
}

function checkEntry(entry: unknown): void {
  const file: unknown = typeof entry === 'object' && entry !== null && 'file' in entry ? entry.file : undefined;
  const readable = typeof file === 'object' && file !== null && 'stream' in file && typeof file.stream === 'function';
  if (!readable)
    throw createError('invalid_argument', 'Each entry must have a `file`: a File, or an object with stream()');
}
