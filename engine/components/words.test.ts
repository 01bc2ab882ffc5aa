import { describe, expect, it } from 'vitest';
import { countWords } from './words.js';

describe('countWords', () => {
  it.each([
    ['', 0],
    [' \n\t', 0],
    ['one', 1],
    ['  two words\n', 2],
    ['no\u00a0break\u2003space\u3000ideographic', 4],
    ['Überraschung naïve 漢字', 3],
  ])('counts %j as %i', (text, words) => {
    expect(countWords(text)).toBe(words);
  });
});
