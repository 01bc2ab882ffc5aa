import fc from 'fast-check';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { parseSyntax } from '../../../pipeline/syntax/parser.js';
import { complete } from './completion.js';
import { PipelineDocument } from './pipelineDocument.js';
import { fixture } from './testing/fixture.js';

const catalogue = bundledCatalogue();
const head = `{ source: 'in', components: [
  { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
  { id: 'read', provider: 'parse', config: {}, input: [{ from: 'in', lane: 'tags' }] },`;

function labels(marked: string): string[] {
  const { document, position } = fixture(marked);
  const items = complete(document, position, catalogue);
  return items.sort((a, b) => ((a.sortText ?? '') < (b.sortText ?? '') ? -1 : 1)).map(({ label }) => label);
}

/** The text after the item has been accepted, with `|` where the cursor was put. */
function accepted(marked: string, label: string): string {
  const { document, position } = fixture(marked);
  const found = complete(document, position, catalogue).find((item) => item.label === label);
  const edit = found?.textEdit;
  if (edit === undefined || !('range' in edit)) throw new Error(`"${label}" is not offered`);
  const { text, lines } = document;
  return text.slice(0, lines.offsetAt(edit.range.start)) + edit.newText + text.slice(lines.offsetAt(edit.range.end));
}

describe('completion', () => {
  it('offers the keys that are not there yet', () => {
    expect(labels('{ source: "a", | }')).toEqual(['name', 'description', 'project_id', 'components']);
    expect(labels(`${head} { id: 'x', | } ] }`)).toEqual(['provider', 'name', 'config', 'input', 'control']);
    expect(labels(`${head} { id: 'x', input: [{ | }] } ] }`)).toEqual(['from', 'lane']);
  });

  it('offers providers, those first that take in what is there', () => {
    const found = labels(`${head} { id: 'x', provider: '|' } ] }`);
    expect(found).toContain('response_text');
    expect(found.indexOf('prompt')).toBeLessThan(found.indexOf('chat'));
    expect(labels(`{ components: [{ id: 'a', provider: | }] }`)[0]).toBe('chat');
  });

  it('offers components whose output fits, and not those that it feeds itself', () => {
    const text = `${head} { id: 'x', provider: 'response_text', input: [{ from: '|' }] } ] }`;
    expect(labels(text).slice(0, 2)).toEqual(['in', 'read']);
    const cycle = `${head} { id: 'x', provider: 'prompt', input: [{ from: '|' }] }, { id: 'y', input: [{ from: 'x', lane: 'questions' }] } ] }`;
    expect(labels(cycle)).not.toContain('x');
    expect(labels(cycle)).not.toContain('y');
  });

  it('offers the lanes that join two components', () => {
    expect(labels(`${head} { id: 'x', provider: 'response_text', input: [{ from: 'read', lane: '|' }] } ] }`)[0]).toBe(
      'text',
    );
    expect(labels(`${head} { id: 'x', provider: 'response_text', input: [{ from: 'read', lane: | }] } ] }`)[0]).toBe(
      'text',
    );
  });

  it('offers settings and their values', () => {
    expect(labels(`${head} { id: 'x', provider: 'llm_openai_api', config: { | } } ] }`)).toContain('profile');
    expect(
      labels(`${head} { id: 'x', provider: 'llm_openai_api', config: { profile: '|' } } ] }`).length,
    ).toBeGreaterThan(0);
    expect(labels(`${head} { id: 'x', provider: 'webhook', config: { | } } ] }`)).toContain('mode');
  });

  it('writes what fits the text around: quotes, colons, bare keys', () => {
    expect(accepted(`${head} { id: 'x', provider: | } ] }`, 'prompt')).toContain(`provider: 'prompt' }`);
    expect(accepted(`${head} { id: 'x', provider: 'pro|' } ] }`, 'prompt')).toContain(`provider: 'prompt' }`);
    expect(accepted(`${head} { id: 'x', provider: 'pro| } ] }`, 'prompt')).toContain(`provider: 'prompt`);
    expect(accepted('{ "name": "x", | }', 'components')).toBe('{ "name": "x", "components":  }');
    expect(accepted('{ name: "x", comp| }', 'components')).toBe('{ name: "x", components:  }');
    expect(accepted('{ name: "x", comp|: [] }', 'components')).toBe('{ name: "x", components: [] }');
  });

  it('offers nothing in comments and behind closed strings', () => {
    expect(labels('{ // |\n }')).toEqual([]);
    expect(labels('{ /* | */ }')).toEqual([]);
    expect(labels(`{ components: [{ provider: 'parse'| }] }`)).toEqual([]);
  });

  it('never fails, wherever the cursor is in whatever text', () => {
    const examples = new URL('../../../examples/pipelines/', import.meta.url);
    const documents = readdirSync(examples).map((name) => readFileSync(new URL(name, examples), 'utf8'));
    fc.assert(
      fc.property(fc.constantFrom(...documents), fc.nat(), fc.nat(30), fc.nat(), (text, cut, length, at) => {
        const start = cut % text.length;
        const document = new PipelineDocument('file:///a.pipe', text.slice(0, start) + text.slice(start + length));
        const position = document.lines.positionAt(at % (document.text.length + 1));
        expect(Array.isArray(complete(document, position, catalogue))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('of a name makes a text that is JSON5 again, when the rest was', () => {
    const text = `${head} { id: 'x', provider: | , config: {} } ] }`;
    const { document, position } = fixture(text);
    for (const { label } of complete(document, position, catalogue)) {
      expect(parseSyntax(accepted(text, label)).problems).toEqual([]);
    }
  });
});
