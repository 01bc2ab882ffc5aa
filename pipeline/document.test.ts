import fc from 'fast-check';
import JSON5 from 'json5';
import { describe, expect, it, vi } from 'vitest';
import { MillraceError } from '../protocol/errors.js';
import { checkJson, parsePipelineText, unwrapPipeline } from './document.js';

function failure(run: () => unknown): MillraceError {
  try {
    run();
  } catch (error) {
    if (error instanceof MillraceError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const syntaxMessage = (text: string): string => {
  const error = failure(() => parsePipelineText(text));
  expect(error.code).toBe('pipeline_syntax');
  return error.message;
};

describe('parsePipelineText', () => {
  it('reads JSON and JSON5, with a byte order mark and Windows line ends', () => {
    const expected = { components: [{ id: 'a' }] };
    expect(parsePipelineText('{"components":[{"id":"a"}]}')).toEqual(expected);
    expect(
      parsePipelineText("\uFEFF{\r\n  // don't [[[\r\n  components: [{id: 'a',},], /* {{{ \" */\r\n}\r\n"),
    ).toEqual(expected);
  });

  it('reads line separators in strings, in either notation and without a word on the console', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    expect(parsePipelineText('{"a":"x\u2028y"}')).toEqual({ a: 'x\u2028y' });
    expect(parsePipelineText('{a:"x\u2028\u2029y\\\u2028z"/*"*/,\u2028b:\'"\'}')).toEqual({
      a: 'x\u2028\u2029yz',
      b: '"',
    });
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('unwraps a file that has the pipeline under "pipeline"', () => {
    expect(parsePipelineText('{"pipeline":{"components":[]}}')).toEqual({ components: [] });
    expect(unwrapPipeline({ pipeline: { x: 1 }, components: [] })).toEqual({ pipeline: { x: 1 }, components: [] });
    expect(unwrapPipeline({ pipeline: [1] })).toEqual({ pipeline: [1] });
  });

  it('names line and column of what is wrong', () => {
    expect(syntaxMessage('{\n  "a": 1,\n  "b": [\n      }\n}')).toBe(
      'Broken pipeline file: unexpected "}" at line 4, column 7',
    );
    expect(syntaxMessage('\uFEFF{\r\n  "a" 1\r\n}')).toBe('Broken pipeline file: unexpected "1" at line 2, column 7');
    expect(syntaxMessage('{"a": 1 "b": 2}')).toBe(`Broken pipeline file: unexpected '"' at line 1, column 9`);
    expect(syntaxMessage('{\n  a: "one\n}')).toBe('Broken pipeline file: unexpected line break at line 2, column 10');
    expect(syntaxMessage('{"a": [1')).toMatch(
      /^Broken pipeline file: unexpected end of the file at line 1, column \d+$/,
    );
    expect(syntaxMessage(' \r\n ')).toBe('Broken pipeline file: it is empty');
  });

  it.each([65, 10_000, 1_000_000])('refuses text nested %i deep with a clear message', (depth) => {
    expect(syntaxMessage('['.repeat(depth))).toContain('nested deeper than 64 levels at line 1, column 65');
    expect(syntaxMessage('{a:'.repeat(depth))).toContain('nested deeper than 64 levels');
  });

  it('accepts text nested 64 deep, and brackets in strings and comments', () => {
    const deepest = `${'['.repeat(64)}${']'.repeat(64)}`;
    expect(JSON.stringify(parsePipelineText(deepest))).toBe(deepest);
    const brackets = '['.repeat(100);
    expect(parsePipelineText(`{"a": "\\"${brackets}"}`)).toEqual({ a: `"${brackets}` });
    expect(parsePipelineText(`{a: '\\'${brackets}' /*${brackets}*/ }//${brackets}`)).toEqual({ a: `'${brackets}` });
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s in JSON and in JSON5', (key) => {
    for (const text of [`{"components":[{"${key}":{"polluted":1}}]}`, `{components:[{"${key}":{polluted:1}}]}`]) {
      expect(syntaxMessage(text)).toBe(`Broken pipeline file: the key "${key}" at components[0].${key} is not allowed`);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('gives back what was written, in either notation', () => {
    const safe = fc
      .jsonValue({ maxDepth: 5 })
      .filter((value) => !/__proto__|constructor|prototype/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(safe, (value) => {
        const written = JSON.stringify({ components: value });
        expect(parsePipelineText(written)).toEqual(JSON.parse(written));
        expect(parsePipelineText(`// JSON5\n${JSON5.stringify(JSON.parse(written))}`)).toEqual(JSON.parse(written));
      }),
    );
  });

  it('either reads a text or says why not, whatever the text is', () => {
    const tokens = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ':',
      ',',
      '//',
      '/*',
      '*/',
      '\\',
      '\n',
      'a',
      '1',
      '\u2028',
    );
    fc.assert(
      fc.property(fc.array(tokens, { maxLength: 200 }), (parts) => {
        try {
          parsePipelineText(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(MillraceError);
          expect((error as MillraceError).message).toMatch(/^Broken pipeline file: /);
        }
      }),
    );
  });
});

describe('checkJson', () => {
  it('refuses values nested too deeply without recursing', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 64; depth++) value = { a: value };
    expect(() => checkJson(value)).not.toThrow();
    expect(failure(() => checkJson({ a: value })).code).toBe('invalid_argument');
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    expect(failure(() => checkJson(value)).message).toContain('at most 64 levels');
    expect(failure(() => checkJson([[1]], { maxDepth: 1 })).message).toContain('at most 1 levels');
  });

  it('ends on a value that contains itself', () => {
    const loop: Record<string, unknown> = {};
    loop.one = loop;
    loop.two = loop;
    expect(failure(() => checkJson(loop)).message).toContain('Nested too deeply');
  });

  it('names the path of a forbidden key', () => {
    const value: unknown = JSON.parse('{"a":[{"b-c":{"__proto__":1}}]}');
    expect(failure(() => checkJson(value)).message).toBe('The key "__proto__" at a[0]["b-c"].__proto__ is not allowed');
  });

  it('counts the keys when asked to', () => {
    expect(() => checkJson({ a: [{ b: 1 }], c: 2 }, { maxKeys: 3 })).not.toThrow();
    expect(failure(() => checkJson({ a: [{ b: 1 }], c: 2 }, { maxKeys: 2 })).message).toContain('at most 2');
  });

  it('accepts every scalar', () => {
    for (const value of [null, undefined, 1, 'text', true]) expect(() => checkJson(value)).not.toThrow();
  });
});
