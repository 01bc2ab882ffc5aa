import { describe, expect, it } from 'vitest';
import { analyseTree } from './analysis.js';
import { AnalysisMemory } from './analysisMemory.js';
import { makeCatalogue } from './catalogue.js';
import { catalogue } from './fixtures.js';
import { editSyntax } from './syntax/edit.js';
import type { SyntaxTree } from './syntax/nodes.js';
import { parseSyntax } from './syntax/parser.js';

const text = `{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    { id: 'up', provider: 'upper', config: { note: '\${MILLRACE_NOTE}' }, input: [{ from: 'in', lane: 'text' }] },
    { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'up', lane: 'text' }] },
  ],
}`;

/** An analysis that remembers, after the text was looked at once, with nothing found. */
function remembering(): { memory: AnalysisMemory; tree: SyntaxTree; codes(tree: SyntaxTree, more?: object): string[] } {
  const memory = new AnalysisMemory();
  const tree = parseSyntax(text);
  const environment = new Set(['MILLRACE_NOTE']);
  const codes = (each: SyntaxTree, more: object = {}): string[] =>
    analyseTree(each, { catalogue, environment, memory, ...more }).map(({ code }) => code);
  expect(codes(tree)).toEqual([]);
  return { memory, tree, codes };
}

describe('what is remembered of an analysis', () => {
  it('does not outlive the catalogue or the environment', () => {
    const { tree, codes } = remembering();
    expect(codes(tree, { environment: new Set() })).toEqual(['variable_undefined']);
    expect(codes(tree)).toEqual([]);
    expect(codes(tree, { catalogue: makeCatalogue(catalogue.all().filter(({ id }) => id !== 'upper')) })).toEqual([
      'provider_unknown',
    ]);
    expect(codes(tree)).toEqual([]);
  });

  it('says nothing about what a component refers to', () => {
    const { tree, codes } = remembering();
    const start = text.indexOf("'up'");
    const renamed = editSyntax(tree, { start, end: start + 4, text: "'other'" });
    expect(codes(renamed)).toContain('from_unknown');
    expect(codes(editSyntax(renamed, { start, end: start + 7, text: "'in'" }))).toContain('id_duplicate');
  });

  it('is not about a component that was changed', () => {
    const { tree, codes } = remembering();
    const start = text.indexOf('mode');
    expect(codes(editSyntax(tree, { start, end: start, text: "apikey: 'abcdefghijkl', " }))).toContain(
      'secret_in_clear',
    );
  });
});
