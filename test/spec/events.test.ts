import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventMessage, UploadProgress } from '../../client/typescript/src/index.js';
import { swallow } from '../support/pipelines.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { itWithPython, pythonDoor } from './python.js';
import { specSession } from './session.js';

const temporary = temporaryDirectories();
const session = specSession();
const python = pythonDoor(session);

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
    const client = session.another({
      onEvent: ({ event, body }) => {
        if (event === 'apaevt_status_upload') seen.push(body as UploadProgress);
      },
    });
    await client.connect();
    await client.sendFiles([file], token);
    const written = seen.filter(({ action }) => action === 'write');
    // One for each chunk.
    expect(written.map(({ bytes_sent }) => bytes_sent)).toEqual([1, 2, 3].map((chunks) => chunks * 1024 * 1024));
    const percents = written.map(({ bytes_sent, file_size }) => (100 * bytes_sent) / file_size);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect(percents.at(-1)).toBe(100);
    for (const progress of seen) expect(progress).toMatchObject({ file_size: size, filepath: file });
  });

  itWithPython('Python: `on_event` gets the same', async () => {
    const file = join(await temporary(), 'large.bin');
    const size = 3 * 1024 * 1024;
    await writeFile(file, Buffer.alloc(size, 7));
    const { token } = await session.client.use({ pipeline: { ...swallow, project_id: 'python' } });
    const body = `
seen = []
async with MillraceClient(on_event=seen.append) as watching:
    await watching.send_files([file], token)
return seen
`;
    const events = (await python.coroutine(body, { file, token })) as EventMessage[];
    const seen = events.filter(({ event }) => event === 'apaevt_status_upload').map((each) => each.body);
    for (const each of seen) expect(each).toMatchObject({ filepath: file, file_size: size });
    const written = (seen as UploadProgress[]).filter(({ action }) => action === 'write');
    expect(written.length).toBeGreaterThan(1);
    expect(written.at(-1)?.bytes_sent).toBe(size);
  });
});
