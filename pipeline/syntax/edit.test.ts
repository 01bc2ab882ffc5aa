import fc from 'fast-check';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { editSyntax, type TextChange } from './edit.js';
import { LineIndex } from './lineIndex.js';
import { nodeAt } from './navigation.js';
import type { SyntaxTree } from './nodes.js';
import { parseSyntax } from './parser.js';

const examples = new URL('../../examples/pipelines/', import.meta.url);
const documents = [
  ...readdirSync(examples).map((name) => readFileSync(new URL(name, examples), 'utf8')),
  `{ components: [{ id: 'a', config: { x: [1, [2, { y: 'z' }], 3], /* c */ w: {} } }, { id: 'b', input: [{ from: 'a', lane: "text" }] }] }`,
  '// first\n{\n  a: {\n    b: [ 1, 2, 3 ], // list\n    c: "text",\n  },\n  d: [[], {}, [{}]],\r\n  e: { f: tru, g: },\r\n}\n',
  '[{a: {b: {c: {}}}}, [[[[1]]]], "x",, {d 1}, {{}, e: 2}',
  '{"a": {"b": "c"}, "d": ["e", {"f": null}]} rest',
  '{ x: [{a: 1, ], y: ## { b: [ } ] } , z: {"k": "unclosed, q: [1, {r: 2}]\n, s: {t: [3] u: 4} }',
];

const at = fc.nat(4000);
const token = fc.constantFrom(
  ...['{', '}', '[', ']', '{}', '[]', ',', ':', '"', "'", '"a"', "'b': ", 'id: ', '/*', '*/', '//', '\n', '\r', '\r\n'],
  ...[
    '\\',
    '\\u0061',
    '12',
    '-',
    '1e5',
    'true',
    'nul',
    '{ id: "n", config: {} },',
    '[1, 2]',
    '#',
    ' ',
    '\u2028',
    'é',
    '😀',
  ],
);
type Step = readonly [kind: number, start: number, length: number, put: string, from: number];
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant(0), at, fc.constant(0), fc.string({ minLength: 1, maxLength: 1 }), at) },
  { weight: 3, arbitrary: fc.tuple(fc.constant(0), at, fc.constantFrom(0, 0, 1, 2), token, at) },
  { weight: 2, arbitrary: fc.tuple(fc.constant(0), at, fc.nat(3), fc.constant(''), at) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(1), at, fc.nat(40), fc.constant(''), at) },
);

/** A piece of the text itself, whatever its brackets, takes the place of another one in every step of kind 1. */
function changeOf(text: string, [kind, given, length, put, from]: Step): TextChange {
  const start = given % (text.length + 1);
  const piece = kind === 0 ? put : text.slice(from % (text.length + 1)).slice(0, length);
  return { start, end: Math.min(text.length, start + length), text: piece };
}

/** As `toEqual` does, only many times faster. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return Object.is(a, b);
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
}

function expectSame(edited: SyntaxTree, whole: SyntaxTree): void {
  if (!same(edited, whole)) expect(edited).toEqual(whole);
}

describe('a tree after a change', () => {
  it('is what reading the whole new text gives, 200,000 times', () => {
    const edits = 40;
    fc.assert(
      fc.property(
        fc.constantFrom(...documents),
        fc.array(step, { minLength: edits, maxLength: edits }),
        (text, steps) => {
          let tree = parseSyntax(text);
          let lines = new LineIndex(text);
          for (const each of steps) {
            const change = changeOf(tree.text, each);
            tree = editSyntax(tree, change);
            lines = lines.edited(change, tree.text);
            expectSame(tree, parseSyntax(tree.text));
            if (!same(lines, new LineIndex(tree.text))) expect(lines).toEqual(new LineIndex(tree.text));
          }
        },
      ),
      { numRuns: 200_000 / edits },
    );
  }, 180_000);

  it('has the same objects beside the change, in their new places', () => {
    const text = `{ components: [{ id: 'a', config: {} }, { id: 'b', config: { x: 1 } }, { id: 'c' }] }`;
    const tree = parseSyntax(text);
    const before = [0, 1, 2].map((index) => nodeAt(tree.root, ['components', index]));
    const start = text.indexOf('1');
    const edited = editSyntax(tree, { start, end: start + 1, text: 'false' });
    const after = [0, 1, 2].map((index) => nodeAt(edited.root, ['components', index]));
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
    expect(after[2]).toBe(before[2]);
    expect(nodeAt(edited.root, ['components', 1, 'config', 'x'])).toMatchObject({ value: false });
    expect(edited.text.slice(after[2]?.start, after[2]?.end)).toBe(`{ id: 'c' }`);
  });
});
