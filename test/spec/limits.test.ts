import { beforeAll, describe, expect, it } from 'vitest';
import type { TaskStatus } from '../../client/typescript/src/index.js';
import { echo, obeying } from '../support/pipelines.js';
import { eventually } from '../support/poll.js';
import { specSession } from './session.js';

const session = specSession();
let status: TaskStatus;

beforeAll(async () => {
  const { client } = session;
  const { token } = await client.use({ pipeline: obeying, pipelineTraceLevel: 'metadata' });
  const name = 'n'.repeat(300);
  await Promise.all(Array.from({ length: 60 }, (_, at) => client.send(token, `fail ${at}`, { name: `${at}${name}` })));
  await client.send(token, 'fail at last', { name: 'last' });
  status = await client.getTaskStatus(token);
});

describe('Limits', () => {
  it('`errors`: at most 50, the latest', () => {
    expect(status.errors).toHaveLength(50);
    expect(status.failedCount).toBe(61);
    expect(status.errors.at(-1)).toContain('at last');
  });

  it('`warnings`: at most 50, the latest', async () => {
    const warning = Array.from({ length: 60 }, (_, at) => ({
      id: `w${at}`,
      provider: 'obey',
      config: { warn: `warning ${at}` },
      input: [{ from: 'in', lane: 'text' }],
    }));
    const [source] = obeying.components;
    const { token } = await session.client.use({ pipeline: { source: 'in', components: [source, ...warning] } });
    const { warnings } = await session.client.getTaskStatus(token);
    expect(warnings).toHaveLength(50);
    expect(warnings.at(-1)).toContain('warning 59');
  });

  it('`slowestDocs`: at most 10', () => {
    expect(status.slowestDocs).toHaveLength(10);
  });

  it('`slowestDocs[].name`: 200 characters', () => {
    // All but the last have longer names.
    const names = status.slowestDocs.map(({ name }) => name).filter((name) => name !== 'last');
    expect(names.length).toBeGreaterThanOrEqual(9);
    for (const name of names) expect(name).toMatch(/^\d{1,2}n{198,199}$/);
    for (const name of names) expect(name).toHaveLength(200);
  });

  it('`ttl`: idle seconds; 0 means no end', async () => {
    const short = await session.client.use({ pipeline: { ...echo, project_id: 'short' }, ttl: 1 });
    const endless = await session.client.use({ pipeline: { ...echo, project_id: 'endless' }, ttl: 0 });
    await eventually('it ends', async () => (await session.client.getTaskStatus(short.token)).completed);
    expect(await session.client.send(endless.token, 'x')).toMatchObject({ text: ['x\n\n'] });
  });

  it('`threads`: the server chooses', async () => {
    const { token } = await session.client.use({ pipeline: { ...echo, project_id: 'chosen' } });
    const results = await Promise.all(Array.from({ length: 8 }, () => session.client.send(token, 'x')));
    expect(results.every(({ text }) => (text as string[])[0] === 'x\n\n')).toBe(true);
    const { pipeflow } = await eventually('the pipes are told', async () => {
      const found = await session.client.getTaskStatus(token);
      return found.pipeflow.totalPipes > 0 && found;
    });
    expect(pipeflow.totalPipes).toBeLessThanOrEqual(64);
  });
});
