import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, distance, nearest } from './nearest.js';

describe('nearest', () => {
  it('finds names with a typing mistake, best first, at most three', () => {
    const names = ['webhook', 'chat', 'parse', 'response_text', 'response_table', 'response_answers', 'response_image'];
    expect(nearest('webhok', names)).toEqual(['webhook']);
    expect(nearest('Prase', names)).toEqual(['parse']);
    expect(nearest('response_tex', names)[0]).toBe('response_text');
    expect(nearest('response', names)).toHaveLength(3);
    expect(nearest('zzz', names)).toEqual([]);
    expect(nearest('x'.repeat(1000), names)).toEqual([]);
  });

  it('makes a question of what it finds', () => {
    expect(didYouMean('webhok', ['webhook'])).toBe('; did you mean "webhook"?');
    expect(didYouMean('text1', ['text2', 'text3'])).toBe('; did you mean "text2" or "text3"?');
    expect(didYouMean('zzz', ['webhook'])).toBe('');
  });
});

describe('distance', () => {
  it('counts a swap of neighbours as one mistake', () => {
    expect(distance('abcd', 'abdc')).toBe(1);
    expect(distance('abc', 'abc')).toBe(0);
    expect(distance('', 'abc')).toBe(3);
    expect(distance('kitten', 'sitting')).toBe(3);
  });

  it('is symmetric, and zero for equal texts only', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(distance(a, b)).toBe(distance(b, a));
        expect(distance(a, b) === 0).toBe(a === b);
        expect(distance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});
