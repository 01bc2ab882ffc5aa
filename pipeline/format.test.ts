import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import JSON5 from 'json5';
import { describe, expect, it } from 'vitest';
import { applyEdits, editsInRange, formatEdits, formatText } from './format.js';
import { parseSyntax } from './syntax/parser.js';

const folder = fileURLToPath(new URL('golden/format/', import.meta.url));
const options = { tabSize: 2, insertSpaces: true };
const format = (text: string): string => formatText(text, options);

describe('a formatted pipeline', () => {
  const cases = readdirSync(folder).filter((name) => name.endsWith('.before.txt'));

  it.each(cases)('is as its golden file has it: %s', (name) => {
    const after = `${folder}${name.replace('.before.', '.after.')}`;
    const formatted = format(readFileSync(folder + name, 'utf8'));
    // Golden files are reviewed like code; this writes them anew.
    if (process.env.MILLRACE_UPDATE_GOLDEN === '1' || !existsSync(after)) writeFileSync(after, formatted);
    expect(formatted).toBe(readFileSync(after, 'utf8'));
  });

  it('has the line breaks, the byte order mark and the indentation of its place', () => {
    const text = '\ufeff{a: 1,\r\nb: [\r\n1]}';
    const formatted = formatText(text, { tabSize: 4, insertSpaces: false });
    expect(formatted).toBe('\ufeff{\r\n\ta: 1,\r\n\tb: [\r\n\t\t1\r\n\t]\r\n}\r\n');
    expect(formatText('{\ra: 1}', { tabSize: 4, insertSpaces: true })).toBe('{\r    a: 1\r}\r');
  });

  it('stays as it is when it is broken', () => {
    for (const text of ['', '{ a: ', '{ a: 1 } }', '[1,,2]', '{ a: "x }', '{"a" 1}']) expect(format(text)).toBe(text);
  });

  it('keeps JSON what it is', () => {
    const text = '{"a":[1,{"b":null},"c"],\n"d":{}}';
    expect(JSON.parse(format(text))).toEqual(JSON.parse(text));
  });

  it('can be had for a part of the text', () => {
    const text = '{\n  a:1,\n  b:2\n  , c:3\n}\n';
    const edits = formatEdits(parseSyntax(text), options);
    const at = text.indexOf('b');
    expect(applyEdits(text, editsInRange(edits, { start: at, end: at + 2 }))).toBe('{\n  a:1,\n  b: 2\n  , c:3\n}\n');
    const comma = text.indexOf(', c');
    expect(applyEdits(text, editsInRange(edits, { start: comma, end: comma }))).toBe('{\n  a:1,\n  b:2,\n  c: 3\n}\n');
  });

  it('means what it meant, has all of its comments, and is not changed by formatting again', () => {
    fc.assert(
      fc.property(json5, fc.constantFrom(1, 2, 4, 8), fc.boolean(), (text, tabSize, insertSpaces) => {
        const formatted = formatText(text, { tabSize, insertSpaces });
        expect(JSON5.parse(formatted)).toEqual(JSON5.parse(text));
        expect(comments(formatted)).toEqual(comments(text));
        expect(tokens(formatted)).toEqual(tokens(text));
        expect(formatText(formatted, { tabSize, insertSpaces })).toBe(formatted);
      }),
      { numRuns: 300 },
    );
  });

  it('is valid for every part of a text that is formatted alone', () => {
    fc.assert(
      fc.property(json5, fc.nat(), fc.nat(), (text, from, length) => {
        const start = from % (text.length + 1);
        const edits = editsInRange(formatEdits(parseSyntax(text), options), { start, end: start + (length % 30) });
        // Editors count CR and LF as one.
        for (const edit of edits)
          for (const at of [edit.start, edit.end]) expect(text.slice(at - 1, at + 1)).not.toBe('\r\n');
        const formatted = applyEdits(text, edits);
        expect(JSON5.parse(formatted)).toEqual(JSON5.parse(text));
        expect(comments(formatted)).toEqual(comments(text));
      }),
      { numRuns: 300 },
    );
  });
});

/** The comments, whatever their lines begin with. */
function comments(text: string): string[] {
  return parseSyntax(text).comments.map(({ start, end }) =>
    text
      .slice(start, end)
      .split(/\r\n|\n|\r/)
      .map((line) => line.trimStart())
      .join('\n'),
  );
}

/** The words of the text between white space, comments and commas. */
function tokens(text: string): string {
  const { comments: found } = parseSyntax(text);
  const bare = applyEdits(
    text,
    found.map(({ start, end }) => ({ start, end, newText: ' ' })),
  );
  return bare.replaceAll(/[\s,]/g, '');
}

/** Valid JSON5 texts with white space and comments in every place. */
const space = fc.constantFrom('', '', '', ' ', '\n', '\n\n', '\n\n\n', '\t', '  \n ', '\r\n', '\r', '\u00a0');
const comment = fc.constantFrom(
  '// a\n',
  '/* b */',
  '/* c\n  d */',
  '/*\n * e\n    * f\n */',
  '//\n',
  '/**/',
  '// , ]\r\n',
);
const gap = fc.array(fc.oneof({ weight: 6, arbitrary: space }, { weight: 1, arbitrary: comment }), { maxLength: 4 });
const trivia = gap.map((parts) => parts.join(''));
const scalar = fc.constantFrom(
  ...['1', '-.5', '0x1F', '+Infinity', 'null', 'true', `'a, "b"'`, '"it\'s // not"', "'x\\\ny'", '"\\u0041"'],
  `'${'long '.repeat(12)}'`,
);
const key = fc.constantFrom('id', '"from"', "'lane'", 'config', '$a', 'a_rather_long_key');
const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, tie('list'), tie('object')),
  list: fc
    .tuple(fc.array(fc.tuple(trivia, tie('value'), trivia), { maxLength: 4 }), fc.boolean(), trivia)
    .map(([items, ends, rest]) =>
      joined(
        '[',
        items.map((item) => item.join('')),
        ends,
        rest,
        ']',
      ),
    ),
  object: fc
    .tuple(
      fc.array(fc.tuple(trivia, key, trivia, fc.constant(':'), trivia, tie('value'), trivia), { maxLength: 4 }),
      fc.boolean(),
      trivia,
    )
    .map(([members, ends, rest]) =>
      joined(
        '{',
        members.map((each) => each.join('')),
        ends,
        rest,
        '}',
      ),
    ),
}));
const json5 = fc.tuple(fc.constantFrom('', '\ufeff'), trivia, value, trivia).map((parts) => parts.join(''));

function joined(open: string, elements: readonly string[], ends: boolean, rest: string, close: string): string {
  const comma = ends && elements.length > 0 ? ',' : '';
  return open + elements.join(',') + comma + rest + close;
}
