import { describe, expect, it } from 'vitest';
import { obeyPipeline, testCatalogue } from '../../test/support/tasks.js';
import { planTask, type PlanContext } from './startPlan.js';

const context = (given: Partial<PlanContext> = {}): PlanContext => ({
  catalogue: testCatalogue(),
  checkConfig: () => [],
  variables: {},
  componentsFolder: undefined,
  ...given,
});

describe('the plan of a start', () => {
  it('puts the pipeline into the terms of the worker', () => {
    const plan = planTask({ pipeline: obeyPipeline({ warn: 'w' }) }, context());
    expect(plan).toMatchObject({
      projectId: 'project',
      source: { id: 'in', provider: 'webhook', label: 'in' },
      name: '',
    });
    expect(plan.message).toMatchObject({
      projectId: 'project',
      source: 0,
      components: [
        { id: 'in', provider: 'webhook' },
        { id: 'obey', provider: 'obey', config: { warn: 'w' } },
        { id: 'out', provider: 'response_text' },
      ],
      links: [
        { from: 0, lane: 'text', to: 1 },
        { from: 1, lane: 'text', to: 2 },
      ],
      controls: [],
      threads: 64,
      args: [],
      traceLevel: 'none',
    });
  });

  it('takes what the caller asks for, and a wrapped pipeline too', () => {
    const request = {
      pipeline: { pipeline: obeyPipeline() },
      threads: 3,
      args: ['a'],
      traceLevel: 'full',
      name: 'N',
    } as const;
    const { message, name } = planTask(request, context({ componentsFolder: '/own' }));
    expect(message).toMatchObject({ threads: 3, args: ['a'], traceLevel: 'full', componentsFolder: '/own' });
    expect(name).toBe('N');
  });

  it('fills in variables, those of the caller before those of the server', () => {
    const pipeline = obeyPipeline({ a: '${MILLRACE_A}', b: '${MILLRACE_B}' });
    const { message } = planTask(
      { pipeline, env: { MILLRACE_A: 'caller' } },
      context({ variables: { MILLRACE_A: 'server', MILLRACE_B: 'server' } }),
    );
    expect(message.components[1]?.config).toMatchObject({ a: 'caller', b: 'server' });
  });

  it('makes up a project where none is named, and keeps the identity of a task that restarts', () => {
    const nameless = { ...obeyPipeline(), project_id: undefined };
    const ids = [1, 2].map(() => planTask({ pipeline: nameless }, context()).projectId);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[0]).not.toBe(ids[1]);
    const again = planTask({ pipeline: obeyPipeline() }, context(), { projectId: 'mine', source: 'in' });
    expect(again.message.projectId).toBe('mine');
  });

  it('refuses what cannot run, with the component and the reason', () => {
    const checkConfig: PlanContext['checkConfig'] = ({ id }) => (id === 'obey' ? ['config.x must be string'] : []);
    expect(() => planTask({ pipeline: obeyPipeline() }, context({ checkConfig }))).toThrow(
      expect.objectContaining({ code: 'start_failed', message: 'Component "obey" (obey): config.x must be string' }),
    );
    for (const pipeline of [null, 'text', {}, { components: [] }, { components: 5 }, []])
      expect(() => planTask({ pipeline }, context())).toThrow(expect.objectContaining({ name: 'MillraceError' }));
    let deep: object = {};
    for (let level = 0; level < 100; level++) deep = { deep };
    expect(() => planTask({ pipeline: obeyPipeline({ deep }) }, context())).toThrow(
      expect.objectContaining({ name: 'MillraceError' }),
    );
  });
});
