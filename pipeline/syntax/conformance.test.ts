import JSON5 from 'json5';
import { describe, expect, it } from 'vitest';
import suite from './fixtures/json5Tests.json' with { type: 'json' };
import { valueOf } from './navigation.js';
import { parseSyntax } from './parser.js';

const files = Object.entries(suite.files);
const valid = files.filter(([name]) => /\.json5?$/.test(name));
const invalid = files.filter(([name]) => /\.(js|txt)$/.test(name));

describe('the test suite of JSON5', () => {
  it('is here as a whole', () => {
    expect([valid.length, invalid.length]).toEqual([83, 31]);
    expect(valid.length + invalid.length).toBe(files.length);
  });

  it.each(valid)('%s is read, with the value it has in the reference', (_, text) => {
    const { root, problems } = parseSyntax(text);
    expect(problems).toEqual([]);
    expect(valueOf(root)).toEqual(JSON5.parse(text));
  });

  it.each(invalid)('%s has problems, each with a place in the text', (_, text) => {
    const { problems } = parseSyntax(text);
    expect(problems.length).toBeGreaterThan(0);
    for (const { start, end } of problems) expect(0 <= start && start <= end && end <= text.length).toBe(true);
  });
});
