import { describe, expect, it } from 'vitest';
import { MillraceError } from '../protocol/errors.js';
import { component, pipeline } from './fixtures.js';
import { findSource, resolveSource } from './source.js';

const mode = { config: { mode: 'Source' } };
const two = pipeline(component('a', 'webhook', mode), component('b', 'chat', mode), component('c', 'parse'));

describe('resolveSource', () => {
  it('prefers the explicit source, then the one of the pipeline, then the implied one', () => {
    expect(resolveSource({ ...two, source: 'b' }, 'c')).toEqual({ id: 'c', provider: 'parse' });
    expect(resolveSource({ ...two, source: 'b' })).toEqual({ id: 'b', provider: 'chat' });
    expect(resolveSource(pipeline(component('x', 'parse'), component('a', 'webhook', mode)))).toEqual({
      id: 'a',
      provider: 'webhook',
    });
  });

  it('takes empty strings for absent', () => {
    expect(resolveSource({ ...two, source: 'b' }, '').id).toBe('b');
    expect(resolveSource({ ...pipeline(component('a', 'webhook', mode)), source: '' }, '').id).toBe('a');
  });

  it.each([
    [{ components: [] }, undefined, 'source_missing', 'Pipeline does not have a source component defined'],
    [
      two,
      undefined,
      'source_ambiguous',
      'Pipeline has multiple source components, please specify one explicitly: "a", "b"',
    ],
    [two, 'x', 'pipeline_invalid', 'Pipeline source component "x" not found in components list'],
    [{ components: 'a' }, 'a', 'pipeline_invalid', 'Invalid components in pipeline'],
    [null, undefined, 'pipeline_invalid', 'Invalid components in pipeline'],
    [{ components: [{ id: 'a' }] }, 'a', 'pipeline_invalid', 'Source "a" not found in pipeline'],
  ])('explains why %j has no source (asked for: %s)', (value, explicit, code, message) => {
    let thrown: unknown;
    try {
      resolveSource(value, explicit);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(MillraceError);
    expect(thrown).toMatchObject({ code, message });
  });
});

describe('findSource', () => {
  it('never throws, whatever the pipeline is', () => {
    for (const value of [null, undefined, 1, 'text', [], {}, { components: [null, 1, { config: null }] }]) {
      expect(findSource(value)).toEqual({ kind: 'missing' });
    }
  });

  it('counts components that share an id once', () => {
    expect(findSource(pipeline(component('a', 'webhook', mode), component('a', 'chat', mode)))).toMatchObject({
      kind: 'found',
      id: 'a',
    });
  });
});
