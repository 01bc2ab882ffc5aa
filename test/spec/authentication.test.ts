import { beforeAll, describe, expect, it } from 'vitest';
import { built } from '../support/builtClient.js';
import { echo } from '../support/pipelines.js';
import { RawClient } from '../support/rawClient.js';
import { downloads, offering, specSession } from './session.js';

const session = specSession(offering());

beforeAll(async () => {
  await session.client.use({ pipeline: echo, token: 'echo', ttl: 0 });
});

/** Start, status and data, with a wrong key and with none. */
const calls = (['wrong', ''] as const).flatMap((key) =>
  (
    [
      ['start', '/task', { method: 'POST', body: JSON.stringify({ ...echo, ...(key === '' ? {} : { apikey: key }) }) }],
      ['status', '/task?token=echo', {}],
      ['data', '/task/data?token=echo', { method: 'POST', body: 'x' }],
      ['data (alias)', '/webhook?token=echo', { method: 'POST', body: 'x' }],
    ] as const
  ).map(([name, path, init]) => [name, key === '' ? 'no key' : 'a wrong key', path, init, key] as const),
);

describe('Authentication', () => {
  it('1. clients connect with an API key', async () => {
    const client = session.another();
    await client.connect();
    expect(client.connected).toBe(true);
  });

  it('2. a wrong key or none is refused when a client connects', async () => {
    await expect(session.another({ auth: 'wrong' }).connect()).rejects.toBeInstanceOf(built.AuthenticationError);
    await expect(session.another({ auth: '' }).connect()).rejects.toBeInstanceOf(built.AuthenticationError);
  });

  it.each(calls)('2. %s with %s is refused', async (_name, _which, path, init, key) => {
    const headers = { 'content-type': 'application/json', ...(key === '' ? {} : { authorization: `Bearer ${key}` }) };
    const response = await fetch(session.server.url + path, { ...init, headers });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ status: 'Error', error: { hint: expect.any(String) as string } });
  });

  it('2. an operation on a socket that has not logged in is refused', async () => {
    for (const [command, args] of [
      ['execute', { pipeline: echo }],
      ['mrext_get_task_status', { token: 'echo' }],
      ['mrext_process', { subcommand: 'open', token: 'echo' }],
    ] as const) {
      const raw = await RawClient.open(session.server.url);
      expect(await raw.call(command, args)).toMatchObject({ success: false, code: 'not_authenticated' });
      await raw.close();
    }
  });

  it('3. `POST /pipe/validate` is public', async () => {
    expect((await session.post('/pipe/validate', { pipeline: echo })).status).toBe(200);
  });

  it.each(downloads)('3. `/client/%s` is public', async (path) => {
    // Also for a caller who sends the key of another server along.
    for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
      expect((await fetch(`${session.server.url}/client/${path}`, { headers })).status).toBe(200);
    }
  });

  it('4. the body of a start carries the key', async () => {
    for (const field of ['apikey', 'auth']) {
      const body = { ...echo, token: 'echo', useExisting: true, [field]: session.server.key };
      expect((await session.post('/task', body)).status).toBe(200);
      // The key never becomes part of the pipeline.
      expect(JSON.stringify(await session.client.getPipeline('echo'))).not.toContain(session.server.key);
    }
  });
});
