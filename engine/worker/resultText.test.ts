import { describe, expect, it } from 'vitest';
import type { PipelineResult } from '../../protocol/results.js';
import { ResultText } from './resultText.js';

const result = (): PipelineResult => ({ objectId: 'o', result_types: { a: 'text' }, a: ['x"\n'], name: 'n', path: '' });

describe('the text of a result', () => {
  it('says the same as the result, in the dialect of the client', () => {
    const texts = new ResultText();
    expect(JSON.parse(texts.answer(result(), 'peer'))).toEqual(result());
    expect(JSON.parse(texts.answer(result(), 'spec'))).toEqual({ ...result(), result_types: ['a'] });
    expect(JSON.parse(texts.answer({ objectId: 'o' }, 'spec'))).toEqual({ objectId: 'o' });
  });

  it('in a trace leaves out what identifies the object', () => {
    const texts = new ResultText();
    const { objectId: _, ...response } = result();
    expect(JSON.parse(texts.response(result()))).toEqual(response);
    expect(texts.response({ objectId: 'o' })).toBe('{}');
  });

  it('that goes on growing with embedded objects is written anew', () => {
    const texts = new ResultText();
    const growing = result();
    texts.response(growing);
    growing['objects'] = [{ name: 'n/child' }];
    (growing['a'] as string[]).push('child');
    expect(JSON.parse(texts.answer(growing, 'peer'))).toEqual(growing);
  });

  it('has none when the result has no JSON', () => {
    expect(() => new ResultText().answer({ objectId: 'o', a: [1n] }, 'spec')).toThrow(TypeError);
  });
});
