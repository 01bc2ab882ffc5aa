import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../client/typescript/src/index.js';
import { echo } from '../../test/support/pipelines.js';
import { startServer, type TestServer } from '../../test/support/server.js';
import { sendFilesWithProgress, type UploadState } from './uploads.js';
import { walkFiles } from './walkFiles.js';

const documents = path.join(import.meta.dirname, '..', '..', 'examples', 'documents');
const files = ['release-notes.md', 'customers.csv'].map((name) => path.join(documents, name));

let server: TestServer;
let client: MillraceClient;
let token: string;

beforeAll(async () => {
  server = await startServer();
  client = new MillraceClient({ uri: server.url, auth: server.key });
  await client.connect();
  ({ token } = await client.use({ pipeline: echo }));
});

afterAll(async () => {
  await client.disconnect();
  await server.stop();
});

describe('sendFilesWithProgress', () => {
  it('tells how many files are done while it sends them', async () => {
    const seen: UploadState[] = [];
    const results = await sendFilesWithProgress(client, token, await walkFiles(files), {
      signal: new AbortController().signal,
      onProgress: (state) => seen.push(state),
    });
    expect(results.map(({ action }) => action)).toEqual(['complete', 'complete']);
    expect(results[0]?.result?.name).toBe('release-notes.md');
    expect(seen).toEqual([
      { done: 1, failed: 0, total: 2 },
      { done: 2, failed: 0, total: 2 },
    ]);
  });

  it('ends with a failure for each file that was not sent when it is cancelled', async () => {
    const controller = new AbortController();
    controller.abort();
    const results = await sendFilesWithProgress(client, token, await walkFiles([documents]), {
      signal: controller.signal,
      onProgress: () => undefined,
    });
    expect(results.length).toBeGreaterThan(5);
    expect(results.every(({ action }) => action === 'error')).toBe(true);
  });
});
