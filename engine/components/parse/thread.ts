import { parentPort } from 'node:worker_threads';
import { type Job, extract } from './extract.js';
import type { EmbeddedFile, Extraction } from './extraction.js';

// The program of one parse thread: a job comes in, its extraction goes out, one after another.
parentPort?.on('message', (job: Job) => void extract(job).then(answer));

function answer(extraction: Extraction): void {
  const media = extraction.media.map(withOwnMemory);
  const embedded = extraction.embedded.map(withOwnMemory);
  const buffers = [...media, ...embedded].map((file) => file.bytes.buffer);
  parentPort?.postMessage({ ...extraction, media, embedded }, buffers);
}

/** Small buffers of Node share their memory, and shared memory cannot be handed over. */
function withOwnMemory(file: EmbeddedFile): EmbeddedFile {
  const { bytes } = file;
  const isWhole = bytes.constructor === Uint8Array && bytes.byteLength === bytes.buffer.byteLength;
  return isWhole ? file : { ...file, bytes: new Uint8Array(bytes) };
}
