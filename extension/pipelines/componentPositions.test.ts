import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSyntax } from '../../pipeline/syntax/parser.js';
import { findComponents } from './componentPositions.js';

const positions = (text: string) => findComponents(parseSyntax(text));
const ids = (text: string) => positions(text).map(({ id }) => id);

describe('findComponents', () => {
  it('finds each component of a JSON text with the place of its id', () => {
    const text = '{"components": [{"id": "in", "provider": "webhook"}, {"provider": "response", "id": "out"}]}';
    const found = positions(text);
    expect(found.map(({ id, index }) => [id, index])).toEqual([
      ['in', 0],
      ['out', 1],
    ]);
    expect(found.map(({ idStart, idEnd }) => text.slice(idStart, idEnd))).toEqual(['"in"', '"out"']);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([
      '{"id": "in", "provider": "webhook"}',
      '{"provider": "response", "id": "out"}',
    ]);
  });

  it('reads JSON5 with comments, single quotes, bare keys and trailing commas', () => {
    const text = `// { "components": [{ id: 'no' }] }
{
  /* id: 'nor this' */
  components: [
    // { id: 'nobody' },
    { id: 'in', provider: 'webhook', },
    { "id": 'out' /* the end */, input: [{ from: 'in', lane: 'text' }], },
  ],
}`;
    expect(ids(text)).toEqual(['in', 'out']);
  });

  it('is not misled by ids in configurations, in strings or in other lists', () => {
    const text = `{
      others: [{ id: 'x' }],
      note: "components: [{ id: 'y' }] \\" // ",
      components: [{ config: { id: 'inner', components: [{ id: 'deep' }] }, id: 'a' }],
    }`;
    expect(ids(text)).toEqual(['a']);
  });

  it('finds the components inside a pipeline wrapper', () => {
    expect(ids('{"pipeline": {"components": [{"id": "in"}]}}')).toEqual(['in']);
    expect(ids('{"other": {"components": [{"id": "in"}]}}')).toEqual([]);
  });

  it('keeps a component without an id, so that its place can be told', () => {
    const [first, second] = positions('{components: [{provider: "hash"}, {id: "b"}]}');
    expect(first).toMatchObject({ index: 0, id: undefined });
    expect(second).toMatchObject({ index: 1, id: 'b' });
  });

  it('decodes escapes in ids', () => {
    expect(ids('{components: [{id: "a\\u0062\\"c"}]}')).toEqual(['ab"c']);
  });

  it('gives what it recognises of a text that is being written', () => {
    expect(ids('{ components: [ { id: "a" }, { id: "b", provider: "we')).toEqual(['a', 'b']);
    expect(ids('{ components: [ { id: "a,\n provider: "x" }, { id: "b" } ] }')).toContain('b');
    expect(ids('')).toEqual([]);
    expect(ids(']]}}{{[[')).toEqual([]);
  });

  it('finds the components of every example', () => {
    for (const name of ['chat.pipe.json5', 'documents.pipe.json']) {
      const text = readFileSync(path.join(import.meta.dirname, '..', '..', 'examples', 'pipelines', name), 'utf8');
      expect(ids(text).length).toBeGreaterThan(1);
      expect(ids(text)).not.toContain(undefined);
    }
  });

  it('reads a large file in one pass', () => {
    const components = Array.from({ length: 20_000 }, (_, index) => ({
      id: `c${index}`,
      config: { text: '{'.repeat(50) },
    }));
    expect(positions(JSON.stringify({ components }))).toHaveLength(20_000);
  });
});
