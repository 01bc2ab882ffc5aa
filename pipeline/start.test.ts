import { describe, expect, it } from 'vitest';
import { MillraceError } from '../protocol/errors.js';
import { catalogue, component, links, pipeline } from './fixtures.js';
import { planStart } from './start.js';

const source = { config: { mode: 'Source' } };
const webhook = component('in', 'webhook', source);
const out = component('out', 'response_text', { input: links('in.text') });

function refusal(value: unknown, explicit?: string): { code: string; lines: string[] } {
  try {
    planStart(value, catalogue, explicit);
  } catch (error) {
    if (error instanceof MillraceError) return { code: error.code, lines: error.message.split('\n') };
    throw error;
  }
  throw new Error('it would start');
}

describe('planStart', () => {
  it('says what runs, with which configuration', () => {
    const plan = planStart(
      { pipeline: { ...pipeline(webhook, { ...out, control: null } as never), name: 'demo' } },
      catalogue,
    );
    expect(plan.source).toEqual({ id: 'in', provider: 'webhook' });
    expect(plan.graph.order).toEqual(['in', 'out']);
    expect(plan.pipeline.name).toBe('demo');
    expect(plan.pipeline.components[1]?.control).toEqual([]);
    expect(plan.configs.get('in')).toEqual({ mode: 'Source' });
    expect(plan.warnings).toEqual([]);
  });

  it('does not care about components that are not reached', () => {
    const unreached = [
      component('x', 'nothing', { input: links('gone.text') }),
      component('y', 'neo4j', { config: { profile: '' } }),
      component('z', 'agent'),
    ];
    expect(planStart(pipeline(webhook, ...unreached, out), catalogue).graph.order).toEqual(['in', 'out']);
  });

  it('refuses an unknown provider that is reached, naming it', () => {
    const value = pipeline(webhook, component('x', 'prase', { input: links('in.tags') }));
    expect(refusal(value)).toEqual({
      code: 'provider_unknown',
      lines: ['Component "x": unknown provider "prase"; did you mean "parse"?'],
    });
  });

  it('refuses what cannot run with every reason', () => {
    const { code, lines } = refusal(
      pipeline(
        webhook,
        component('llm', 'llm_gemini', { input: links('in.questions'), config: { profile: 'none' } }),
        component('db', 'neo4j', { input: links('llm.answers') }),
      ),
    );
    expect(code).toBe('start_failed');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('is not part of this release');
    expect(lines[1]).toContain('has no profile "none"');
  });

  it.each([
    [pipeline(out), undefined, 'source_missing'],
    [pipeline(webhook, component('b', 'chat', source)), undefined, 'source_ambiguous'],
    [pipeline(webhook), 'x', 'pipeline_invalid'],
    [{ components: 5 }, 'x', 'pipeline_invalid'],
    [null, undefined, 'pipeline_invalid'],
    [{ components: [{ ...webhook, config: null }], source: 'in' }, undefined, 'pipeline_invalid'],
    [
      JSON.parse('{"components":[{"id":"a","provider":"chat","config":{"__proto__":{}}}],"source":"a"}'),
      undefined,
      'pipeline_invalid',
    ],
  ])('refuses %j (source %s) with %s', (value, explicit, code) => {
    expect(refusal(value, explicit).code).toBe(code);
  });

  it('passes leniencies on as warnings that name the component', () => {
    const llm = component('llm', 'llm_gemini', { input: links('in.questions'), config: { profile: 'gemini' } });
    const { warnings, configs } = planStart(pipeline(webhook, llm), catalogue);
    expect(configs.get('llm')).toMatchObject({ model: 'flash' });
    expect(warnings).toEqual(['Component "llm": profile "gemini" no longer exists; "flash" is used']);
  });
});
