import fc from 'fast-check';
import JSON5 from 'json5';
import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { valueOf } from './navigation.js';
import type { SyntaxNode } from './nodes.js';
import { parseSyntax } from './parser.js';

const examples = new URL('../../examples/pipelines/', import.meta.url);
const documents = readdirSync(examples).map((name) => readFileSync(new URL(name, examples), 'utf8'));

/** The reference advises against two characters in strings; here that is no news. */
beforeAll(() => void vi.spyOn(console, 'warn').mockReturnValue());
afterAll(() => void vi.restoreAllMocks());

/** What the reference implementation makes of a text. */
function reference(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON5.parse(text) };
  } catch {
    return undefined;
  }
}

function check(text: string): void {
  const expected = reference(text);
  const tree = parseSyntax(text);
  const valid = tree.problems.length === 0;
  expect({ text, valid }).toEqual({ text, valid: expected !== undefined });
  if (expected !== undefined) expect(valueOf(tree.root)).toEqual(expected.value);
}

/** Every node lies inside the one around it, behind the one before it. */
function checkRanges(node: SyntaxNode | undefined, start: number, end: number): void {
  if (node === undefined) return;
  expect(node.start).toBeGreaterThanOrEqual(start);
  expect(node.end).toBeGreaterThanOrEqual(node.start);
  expect(node.end).toBeLessThanOrEqual(end);
  let before = node.start;
  if (node.kind === 'object') {
    for (const property of node.properties) {
      expect(property.start).toBeGreaterThanOrEqual(before);
      checkRanges(property.value, property.key.end, property.end);
      before = property.end;
      expect(before).toBeLessThanOrEqual(node.end);
    }
  } else if (node.kind === 'array') {
    for (const item of node.items) {
      checkRanges(item, before, node.end);
      before = item.end;
    }
  }
}

describe('a text is JSON5 exactly when the reference says so, and means the same', () => {
  const texts = String.raw`
    {} [] null true false 0 -0 +0 1 -1 +1.5 .5 5. -.5 5e3 5.e3 5E-3 .5e+2 0x1F 0XdeCAF -0x10 +0x0 Infinity -Infinity +Infinity NaN -NaN
    "" '' "a" 'a' "it's" 'say "x"' "\n\t\b\f\r\v\0" "\x41" "\u0041" "\'" '\"' "\a" "\/" "a\
b" {a:1} {a:1,} {"a":1} {'a':1} {$_:1} {a1:1} {ünïcödé:1} {\u0061b:1} {a\u0062:1} {a:{b:[1,2,[3]]}} [1,] [1,2,] [[],{}]
    {a:/*c*/1} {a:1//c
} /**/1 1/**/ {Infinity:1} {NaN:1} {null:1} {true:1} {"":1} {a:1,a:2} {__proto__:1} {"__proto__":{a:1}}
    01 00 -01 1_0 0x 0xg 1e 1e+ . + - +- --1 +infinity 1a 1.2.3 0x1.5 tru nul undefined a "a 'a "\x4" "\u004" "\1" "\01" "\9" '\8'
    { [ {a {a: {a:1 {a:1,b} {a} {a 1} {1:1} {,} [,] [1,,2] [1 2] {a:1 b:2} {a:1,,} {,a:1} {a::1} {"a"} {[]:1} {{}} [}] {]} ] }
    1,2 {}{} 1;2 # /* // / /*/ {\u0030a:1} {a\u002d:1} {a-b:1} {a.b:1} "\ud800" {a:'\u2028'} +"a" -null`
    .split(/ +|\n {4}/)
    .filter((text) => text !== '');

  it.each(texts)('%s', (text) => check(text));
  it.each([
    '',
    ' ',
    '\t\v\f\u00a0\ufeff\u2028\u2029\u3000 1',
    '"a\u2028b"',
    '"a\nb"',
    '"a\\\r\nb"',
    '1\u00a0',
    '\u180e1',
  ])('%j', (text) => check(text));

  it('for the example pipelines, and whatever is written as JSON5', () => {
    for (const text of documents) check(text);
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2), (json, space) => {
        check(JSON5.stringify(JSON.parse(json), undefined, space) ?? 'null');
        check(json);
      }),
    );
  });

  it('for any little text of its characters', () => {
    const piece = fc.constantFrom(
      ...`{}[]:,"'\\/*+-.0123456789abcdefxuInNt \n\r\u2028_$é`,
      'true',
      'null',
      'Infinity',
      '\\u0061',
      '//',
      '/*',
      '*/',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => check(pieces.join(''))),
      { numRuns: 20_000 },
    );
  });
});

describe('a broken text', () => {
  it('never makes the reading fail, and every place lies where it should', () => {
    const edits = fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat(6),
        fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('{', '}', '[', ']', '"', "'", ',', ':', '/*', '\n')),
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...documents), edits, (document, changes) => {
        let text = document;
        for (const [at, length, put] of changes) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + put + text.slice(start + length);
        }
        const { root, problems } = parseSyntax(text);
        checkRanges(root, 0, text.length);
        for (const { start, end } of problems) expect(0 <= start && start <= end && end <= text.length).toBe(true);
        expect(problems.length === 0).toBe(reference(text) !== undefined);
      }),
      { numRuns: 1500 },
    );
  });

  it('nested a hundred thousand levels deep is one problem', () => {
    for (const open of ['[', '{a:']) {
      const { problems } = parseSyntax(open.repeat(100_000));
      expect(problems.filter(({ code }) => code === 'too_deep')).toHaveLength(1);
    }
  });

  it.each([
    ['{a: }', { a: undefined }, 'value_expected 2-3'],
    ['{a: , b: 1}', { b: 1 }, 'value_expected 2-3'],
    ['{a:\n b: 1}', { b: 1 }, 'value_expected 2-3'],
    ['{a\n b: 1}', { b: 1 }, 'colon_expected 1-2'],
    ['{a b: 1}', { b: 1 }, 'colon_expected 1-2'],
    ['{"a" 1}', { a: 1 }, 'colon_expected 1-4'],
    ['{a: 1 b: 2}', { a: 1, b: 2 }, 'comma_expected 5-6'],
    [
      '{a: [1, 2, b: 3}',
      { a: [1, 2, 3] },
      'array_unclosed 4-5 word_unknown 11-12 character_unexpected 12-13 comma_expected 12-14',
    ],
    ['[{a: 1, ]', [{ a: 1 }], 'object_unclosed 1-2'],
    ['{a: "x, b: 2\n}', { a: 'x, b: 2' }, 'string_unclosed 4-12'],
    [`{a: 'x, b: {}, c: [{ d: 'y' }]}`, { a: 'x', b: {}, c: [{ d: 'y' }] }, 'string_unclosed 4-6'],
    ['{"a": "x, "b": "y"}', { a: 'x', b: 'y' }, 'string_unclosed 6-8'],
    ['{"a: "x", "b": ["y, "z"]}', { a: 'x', b: ['y', 'z'] }, 'string_unclosed 1-3 string_unclosed 16-18'],
    ['{a: "x,\n b: 1}', { a: 'x,', b: 1 }, 'string_unclosed 4-7'],
    ['{a: tru}', {}, 'word_unknown 4-7'],
    ['{a: 1, , b: 2}', { a: 1, b: 2 }, 'comma_unexpected 7-8'],
    ['{"x", a: 1}', { a: 1 }, 'colon_expected 1-4'],
    ['{a: 1} x', { a: 1 }, 'text_after_end 7-8'],
    ['## {a: 1}', { a: 1 }, 'character_unexpected 0-2'],
    ['{{}, a: 1}', { '': {}, a: 1 }, 'key_expected 1-3'],
    ['{a: 12px}', { a: 12 }, 'number_invalid 4-8'],
    ['{a: 1 /* b', { a: 1 }, 'object_unclosed 0-1 comment_unclosed 6-8'],
  ])('%j keeps what is there, and says what is wrong where', (text, value, problems) => {
    const tree = parseSyntax(text);
    expect(valueOf(tree.root)).toEqual(value);
    expect(tree.problems.map(({ code, start, end }) => `${code} ${start}-${end}`).join(' ')).toBe(problems);
  });
});
