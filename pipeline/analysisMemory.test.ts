import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseText, analyseTree } from './analysis.js';
import { AnalysisMemory } from './analysisMemory.js';
import { makeCatalogue } from './catalogue.js';
import { catalogue } from './fixtures.js';
import { editSyntax, type TextChange } from './syntax/edit.js';
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

/** Components that depend on each other in every way there is, so that a change of one word is news for another. */
const entangled = `{
  "components": [
    { "id": "in", "provider": "webhook", "config": { "mode": "Source" } },
    { "id": "aside", "provider": "chat", "config": { "mode": "Source" } },
    { "id": "fed", "provider": "response_questions", "config": {}, "input": [{ "from": "aside", "lane": "questions" }] },
    { "id": "up", "provider": "upper", "config": {}, "input": [{ "from": "in", "lane": "text" }] },
    { "id": "agent", "provider": "agent", "config": {}, "input": [{ "from": "in", "lane": "questions" }] },
    { "id": "llm", "provider": "llm_gemini", "config": {}, "control": [{ "from": "agent", "classType": "llm" }] },
    { "id": "tool", "provider": "tool_pipe", "config": {}, "control": [{ "from": "agent", "classType": "tool" }], "input": null },
    { "id": "out", "provider": "response_text", "config": {}, "input": [{ "from": "agent", "lane": "answers" }, { "from": "up", "lane": "text" }] },
  ],
  "source": "in",
}`;
const words = /"[^"\n]*"|null|\[\]|NaN/g;
const lines = /\n {4}\{.*/g;

/** A word or a whole component takes the place of another one, or is written once more, or goes. */
function changeOf(current: string, [isLine, which, from, length]: Step): TextChange {
  const all = [...current.matchAll(isLine ? lines : words)].map(({ index, 0: found }) => ({ index, found }));
  const target = all[which % Math.max(1, all.length)];
  if (target === undefined) return { start: 0, end: current.length, text: entangled };
  const known = isLine
    ? all.map(({ found }) => found)
    : [...(entangled.match(words) ?? []), 'NaN', '[]', '" In"', '"Source"'];
  const text = from === 0 ? '' : (known[from % known.length] ?? '');
  return { start: target.index, end: target.index + (length === 0 ? 0 : target.found.length), text };
}
type Step = readonly [isLine: boolean, which: number, from: number, length: number];

describe('an analysis that remembers', () => {
  it('finds what a new one finds, whatever was changed', () => {
    const step: fc.Arbitrary<Step> = fc.tuple(
      fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      fc.nat(100),
      fc.nat(100),
      fc.nat(3),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 15 }), (steps) => {
        const options = { catalogue, environment: new Set<string>() };
        const memory = new AnalysisMemory();
        let tree = parseSyntax(entangled);
        analyseTree(tree, { ...options, memory });
        for (const each of steps) {
          tree = editSyntax(tree, changeOf(tree.text, each));
          expect(analyseTree(tree, { ...options, memory })).toEqual(analyseText(tree.text, options));
        }
      }),
      { numRuns: 500 },
    );
  });
});
