import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventMessage, UploadProgress } from '../../client/typescript/src/index.js';
import { swallow } from '../support/pipelines.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { specSession } from './session.js';

const temporary = temporaryDirectories();
const session = specSession();

describe('Events', () => {
  it('come to `onEvent` / `on_event` as an object with `event` and `body`', async () => {
    const events: EventMessage[] = [];
    const client = session.another({ onEvent: (event) => events.push(event) });
    await client.connect();
    await client.subscribe('*', ['task']);
    const { token } = await client.use({ pipeline: { ...swallow, project_id: 'told' } });
    await client.terminate(token);
    await expect.poll(() => events.filter(({ event }) => event === 'apaevt_task').length).toBeGreaterThan(1);
    for (const { event, body } of events) expect([typeof event, typeof body]).toEqual(['string', 'object']);
  });

  it('`apaevt_status_upload`: `action`, `bytes_sent`, `file_size`, `filepath`', async () => {
    const file = join(await temporary(), 'large.bin');
    const size = 3 * 1024 * 1024;
    await writeFile(file, Buffer.alloc(size, 7));
    const { token } = await session.client.use({ pipeline: swallow });
    const seen: UploadProgress[] = [];
    const stop = session.client.listen(({ event, body }) => {
      if (event === 'apaevt_status_upload') seen.push(body as UploadProgress);
    });
    await session.client.sendFiles([file], token);
    stop();
    const written = seen.filter(({ action }) => action === 'write');
    // One for each chunk.
    expect(written.map(({ bytes_sent }) => bytes_sent)).toEqual([1, 2, 3].map((chunks) => chunks * 1024 * 1024));
    const percents = written.map(({ bytes_sent, file_size }) => (100 * bytes_sent) / file_size);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect(percents.at(-1)).toBe(100);
    for (const progress of seen) expect(progress).toMatchObject({ file_size: size, filepath: file });
  });
});
