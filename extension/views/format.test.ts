import { describe, expect, it } from 'vitest';
import { bytesText, countText, durationText, lineText, markdownText, plural, rateText } from './format.js';

describe('numbers for people', () => {
  it('groups the digits of counts', () => {
    expect([0, 999, 1000, 1234567].map(countText)).toEqual(['0', '999', '1,000', '1,234,567']);
    expect([plural(1, 'error'), plural(2, 'error'), plural(0, 'error')]).toEqual(['1 error', '2 errors', '0 errors']);
  });

  it('writes sizes in the unit that fits', () => {
    expect([0, 999, 1000, 999_949, 999_950, 3_400_000, 5e15].map(bytesText)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '999.9 kB',
      '1.0 MB',
      '3.4 MB',
      '5000.0 TB',
    ]);
  });

  it('writes small rates with a decimal', () => {
    expect([0, 0.42, 3, 9.96, 1250.4].map(rateText)).toEqual(['0/s', '0.4/s', '3/s', '10/s', '1,250/s']);
  });

  it('writes durations with their two largest units', () => {
    const seconds = [-3, 0, 0.9, 42, 60, 185, 7440, 3600, 187_205, 90_000];
    expect(seconds.map(durationText)).toEqual([
      '0 s',
      '0 s',
      '0 s',
      '42 s',
      '1 min',
      '3 min 5 s',
      '2 h 4 min',
      '1 h',
      '2 d 4 h',
      '1 d 1 h',
    ]);
  });
});

describe('texts of a server', () => {
  it('are one line without escape sequences and direction marks', () => {
    expect(lineText('\u001b[31mred\u001b[0m\r\n  next\u0007 \u202Eexe.txt')).toBe('red next exe.txt');
    expect(lineText('a'.repeat(1_000_000), 5)).toBe('aaaaa…');
  });

  it('stay what they are in Markdown', () => {
    expect(markdownText('[x](command:evil) <img> $(error) | a_b & `c`')).toBe(
      '\\[x\\]\\(command:evil\\) &lt;img\\> \\$\\(error\\) \\| a\\_b &amp; \\`c\\`',
    );
  });
});
