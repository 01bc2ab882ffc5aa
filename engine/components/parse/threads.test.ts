import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import examples from '../../../examples/documents.json' with { type: 'json' };
import { detectType } from './detect.js';
import type { Job } from './extract.js';
import { type Extractor, makeExtractor, threadOptions } from './threads.js';

let folder: string;
let extractor: Extractor | undefined;
const never = new AbortController().signal;

/** A thread that does what the name of the document says. */
const obedient = `
import { parentPort, threadId } from 'node:worker_threads';
parentPort.on('message', ({ source: { name, bytes } }) => {
  if (name === 'hang') for (;;);
  if (name === 'eat') { const eaten = []; for (;;) eaten.push(new Array(1e6).fill({})); }
  if (name === 'exit') process.exit(3);
  if (name === 'throw') throw new Error('broken');
  parentPort.postMessage({ text: name, tables: [], metadata: { threadId }, media: [], embedded: [], warnings: [] });
});`;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-threads-'));
  await writeFile(path.join(folder, 'obedient.mjs'), obedient);
});

afterEach(async () => {
  await extractor?.stop();
  extractor = undefined;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function pool(options = {}): Extractor {
  const entry = pathToFileURL(path.join(folder, 'obedient.mjs'));
  return (extractor = makeExtractor(entry, { ...threadOptions, size: 1, ...options }));
}

function job(name: string): Job {
  return {
    source: { name, mimeType: '', bytes: new Uint8Array(8) },
    detected: { kind: 'pdf', mimeType: 'application/pdf' },
    wanted: { text: true, table: true, media: true },
  };
}

describe('parse threads', () => {
  it('are used again, never more than allowed, and each document gets its own answer', async () => {
    const threads = pool({ size: 2 });
    const names = Array.from({ length: 10 }, (_, index) => `document ${index}`);
    const answers = await Promise.all(names.map((name) => threads.extract(job(name), never)));
    expect(answers.map((answer) => answer.text)).toEqual(names);
    expect(new Set(answers.map((answer) => answer.metadata.threadId)).size).toBeLessThanOrEqual(2);
  });

  it('end a document that takes too long and go on with the next', async () => {
    const threads = pool({ timeoutMs: 300 });
    const [slow, next] = await Promise.all([threads.extract(job('hang'), never), threads.extract(job('ok'), never)]);
    expect(slow.warnings).toEqual(['took longer than 0.3 s to read']);
    expect(next.warnings).toEqual([]);
  });

  it('outlive a document that needs too much memory', async () => {
    const threads = pool({ heapMb: 32 });
    const [big, next] = await Promise.all([threads.extract(job('eat'), never), threads.extract(job('ok'), never)]);
    expect(big.warnings).toEqual(['needs too much memory to be read']);
    expect(next.warnings).toEqual([]);
  });

  it.each([
    ['exit', 'cannot be read (the parse thread ended)'],
    ['throw', 'cannot be read (broken)'],
  ])('outlive a reader that makes the thread %s', async (name, warning) => {
    const threads = pool();
    expect((await threads.extract(job(name), never)).warnings).toEqual([warning]);
    expect((await threads.extract(job('ok'), never)).warnings).toEqual([]);
  });

  it('drop a document whose object is abandoned, being read or still waiting', async () => {
    const threads = pool();
    const abort = new AbortController();
    const reading = threads.extract(job('hang'), abort.signal);
    const waiting = threads.extract(job('ok'), abort.signal);
    const next = threads.extract(job('ok'), never);
    abort.abort(new Error('abandoned'));
    await expect(reading).rejects.toThrow('abandoned');
    await expect(waiting).rejects.toThrow('abandoned');
    expect((await next).warnings).toEqual([]);
    await expect(threads.extract(job('ok'), abort.signal)).rejects.toThrow('abandoned');
  });

  it('end with the task', async () => {
    const threads = pool();
    const reading = threads.extract(job('hang'), never);
    const waiting = threads.extract(job('ok'), never);
    await Promise.all([
      expect(waiting).rejects.toThrow('The task has ended'),
      expect(reading).resolves.toMatchObject({ warnings: ['cannot be read (the parse thread ended)'] }),
      threads.stop(),
    ]);
  });

  it('read real documents in the built program, embedded files included', async () => {
    const outfile = path.join(folder, 'parseThread.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('./thread.ts', import.meta.url))],
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20.18',
      outfile,
      logLevel: 'error',
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    extractor = makeExtractor(pathToFileURL(outfile), { ...threadOptions, size: 1 });
    const read = async (name: string) => {
      const bytes = new Uint8Array(await readFile(new URL(`../../../examples/documents/${name}`, import.meta.url)));
      const detected = await detectType(bytes, name, '');
      return extractor?.extract({ ...job(name), source: { name, mimeType: '', bytes }, detected }, never);
    };
    for (const [name, { text }] of Object.entries(examples)) {
      const extraction = await read(name);
      for (const phrase of text) expect(extraction?.text).toContain(phrase);
    }
    const archive = await read('archive.zip');
    expect(archive?.warnings).toEqual([]);
    const letter = archive?.embedded.find((file) => file.name === 'post/lettre-latin1.txt');
    expect(Buffer.from(letter?.bytes ?? []).toString('latin1')).toContain('débitmètre');
  });
});
