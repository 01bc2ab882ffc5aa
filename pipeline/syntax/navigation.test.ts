import { describe, expect, it } from 'vitest';
import { nodeAt, pathAt, rangeOf } from './navigation.js';
import { parseSyntax } from './parser.js';

const text = `{ components: [{ id: 'a', config: { x: 1, x: 2 } }, { id: "b", input: } ] }`;
const { root } = parseSyntax(text);
const shown = (path: (string | number)[]): string => {
  const { start, end } = rangeOf(root, path);
  return text.slice(start, end);
};

describe('the place of a path', () => {
  it('is its value; of several equal keys the one that counts', () => {
    expect(shown(['components', 0, 'id'])).toBe("'a'");
    expect(shown(['components', 0, 'config', 'x'])).toBe('2');
    expect(nodeAt(root, ['components', 0, 'config', 'x'])).toMatchObject({ kind: 'scalar', value: 2 });
  });

  it('is the key when the value is missing, and else the nearest thing around', () => {
    expect(shown(['components', 1, 'input'])).toBe('input');
    expect(shown(['components', 1, 'input', 0, 'from'])).toBe('input');
    expect(shown(['components', 0, 'config', 'y'])).toBe('{ x: 1, x: 2 }');
    expect(shown(['components', 7])).toContain("id: 'a'");
    expect(rangeOf(parseSyntax('').root, ['a'])).toEqual({ start: 0, end: 0 });
  });
});

describe('the path at a place', () => {
  it.each([
    ["'a'", ['components', 0, 'id']],
    ['id:', ['components', 0, 'id']],
    ['x: 1', ['components', 0, 'config', 'x']],
    ['"b"', ['components', 1, 'id']],
    ['input', ['components', 1, 'input']],
    [' components', []],
  ])('%s', (marker, path) => {
    expect(pathAt(root, text.indexOf(marker))).toEqual(path);
  });
});
