import { describe, expect, it } from 'vitest';
import { checkDeep } from './deep.js';
import { catalogue, component, links, pipeline } from './fixtures.js';
import type { PipelineComponent } from './model.js';

const check = (...components: PipelineComponent[]): string[] =>
  checkDeep(pipeline(...components), 'in', catalogue).map(
    ({ severity, code, path }) => `${severity} ${code} ${path?.join('.') ?? ''}`,
  );

describe('checkDeep', () => {
  it('finds nothing in a pipeline that runs and answers', () => {
    expect(check(component('in', 'webhook'), component('out', 'response_text', { input: links('in.text') }))).toEqual(
      [],
    );
  });

  it('warns of components that do not run and of callers that get nothing', () => {
    expect(check(component('in', 'webhook'), component('x', 'upper'))).toEqual([
      'warning unreachable components.1',
      'warning no_response components.0',
    ]);
  });

  it('warns of what would refuse the start', () => {
    expect(
      check(
        component('in', 'chat'),
        component('agent', 'agent', { input: links('in.questions') }),
        component('out', 'response_text', { input: links('agent.text') }),
        component('llm', 'llm_gemini', { input: links('in.questions'), config: { profile: 'none' } }),
      ),
    ).toEqual([
      'warning profile_unknown components.3.config.profile',
      'warning control_missing components.1',
      'warning lane_not_produced components.2.input.0.lane',
    ]);
  });

  it('leaves unknown providers to the structural rules', () => {
    expect(
      check(component('in', 'filesys', {}), component('out', 'response_text', { input: links('in.text') })),
    ).toEqual([]);
  });
});
