import { parentPort } from 'node:worker_threads';
import { type Job, extract } from './extract.js';

// The program of one parse thread: a job comes in, its extraction goes out, one after another.
parentPort?.on('message', (job: Job) => {
  void extract(job).then((extraction) => {
    const buffers = [...extraction.media, ...extraction.embedded].map((file) => file.bytes.buffer);
    parentPort?.postMessage(extraction, [...new Set(buffers)]);
  });
});
