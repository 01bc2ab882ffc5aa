import fc from 'fast-check';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyseText } from './analysis.js';
import { catalogue } from './fixtures.js';

/** Severity, code and the text that is marked. */
const shown = (text: string, source?: string): string[] =>
  analyseText(text, { catalogue, source }).map(
    ({ severity, code, range }) => `${severity} ${code} ${text.slice(range.start, range.end)}`,
  );

const pipeline = (...components: string[]): string => `{ source: 'in', components: [\n${components.join(',\n')}\n] }`;
const entry = `{ id: 'in', provider: 'webhook', config: { mode: 'Source' } }`;
const out = `{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'in', lane: 'text' }] }`;

describe('what is said about a pipeline', () => {
  it('is nothing when it is sound', () => {
    expect(shown(pipeline(entry, out))).toEqual([]);
    expect(shown(`{ pipeline: ${pipeline(entry, out)} }`)).toEqual([]);
  });

  it.each([
    ['text that is no JSON5', `{ source: 'in' components: [] }`, ['error syntax_comma_expected  ']],
    [
      'an unknown provider',
      pipeline(entry, out.replace('response_text', 'responce_text')),
      [`error provider_unknown 'responce_text'`],
    ],
    ['a link to nobody', pipeline(entry, out.replace(`'in', lane`, `'inn', lane`)), [`error from_unknown 'inn'`]],
    ['no source', `{ components: [{ id: 'a', provider: 'upper', config: {} }] }`, ['error source_missing {']],
    [
      'a component that is never reached',
      pipeline(entry, out, `{ id: 'lost', provider: 'upper', config: {} }`),
      [`warning unreachable 'lost'`],
    ],
  ])('%s is marked where it is', (_, text, expected) => {
    const found = shown(text);
    expect(found.map((line, at) => line.slice(0, expected[at]?.length))).toEqual(expected);
  });

  it('is one warning when several components could be the source, and nothing when one is chosen', () => {
    const two = `{ components: [${entry}, ${entry.replace("'in'", "'in2'")}, ${out}] }`;
    expect(shown(two)).toEqual([`warning source_ambiguous 'in'`, `warning no_response 'in2'`]);
    expect(shown(two, 'in').every((line) => line.startsWith('warning'))).toBe(true);
  });

  it('never fails, whatever the text is', () => {
    const examples = new URL('../examples/pipelines/', import.meta.url);
    const documents = readdirSync(examples).map((name) => readFileSync(new URL(name, examples), 'utf8'));
    fc.assert(
      fc.property(fc.constantFrom(...documents), fc.nat(), fc.nat(200), fc.json(), (text, at, length, put) => {
        const start = at % text.length;
        const edited = text.slice(0, start) + put + text.slice(start + length);
        for (const { range } of analyseText(edited, { catalogue })) {
          expect(0 <= range.start && range.start <= range.end && range.end <= edited.length).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
