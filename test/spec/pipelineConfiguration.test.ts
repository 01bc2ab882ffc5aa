import { describe, expect, it } from 'vitest';
import { echo } from '../support/pipelines.js';
import { specSession } from './session.js';

const session = specSession();
const full = { ...echo, name: 'Called', description: 'What it does', project_id: 'full' };

describe('Pipeline configuration', () => {
  it('`name`: the task is called so', async () => {
    const { token } = await session.client.use({ pipeline: full });
    expect((await session.client.getTaskStatus(token)).name).toMatch(/^Called\b/);
    expect(await session.client.getTasks()).toMatchObject([{ name: 'Called' }]);
    await session.client.terminate(token);
  });

  it('`description`: any text, shown with the task', async () => {
    const { token } = await session.client.use({ pipeline: full });
    expect(await session.client.getTasks()).toMatchObject([{ description: 'What it does' }]);
    await session.client.terminate(token);
  });

  it('`project_id`: the task belongs to it', async () => {
    const { token } = await session.client.use({ pipeline: full });
    expect(await session.client.getTaskStatus(token)).toMatchObject({ project_id: 'full' });
    expect(await session.client.getToken('full', 'in')).toBe(token);
    await session.client.terminate(token);
  });

  it('`source`: the entry component', async () => {
    const components = [...echo.components, { id: 'second', provider: 'webhook', config: { mode: 'Source' } }];
    for (const source of ['in', 'second']) {
      const { resolved } = await session.client.validate({ components, source });
      expect(resolved).toMatchObject({ id: source });
    }
  });

  it('`name`, `description`, `project_id`, `source`: none is required', async () => {
    const { token } = await session.client.use({ pipeline: { components: echo.components } });
    expect(await session.client.send(token, 'x')).toMatchObject({ text: ['x\n\n'] });
    await session.client.terminate(token);
  });

  it('`components`: required, and a list', async () => {
    for (const pipeline of [{}, { source: 'in' }, { components: {} }, { components: 'none' }, { components: null }]) {
      await expect(session.client.use({ pipeline })).rejects.toThrow(/components/);
      const answer = await (await session.post('/pipe/validate', { pipeline })).json();
      expect(JSON.stringify(answer)).toMatch(/components/);
      expect(answer).not.toMatchObject({ data: { errors: [] } });
    }
    expect(await session.client.getTasks()).toEqual([]);
  });
});
