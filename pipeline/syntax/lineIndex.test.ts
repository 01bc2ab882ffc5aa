import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineIndex } from './lineIndex.js';

describe('the lines of a text', () => {
  it('end with LF, CR or CRLF', () => {
    const text = 'a\r\nbc\nd\re';
    const lines = new LineIndex(text);
    expect(lines.positionAt(0)).toEqual({ line: 0, character: 0 });
    expect(lines.positionAt(text.indexOf('c'))).toEqual({ line: 1, character: 1 });
    expect(lines.positionAt(text.indexOf('e'))).toEqual({ line: 3, character: 0 });
    expect(lines.positionAt(99)).toEqual({ line: 3, character: 1 });
    expect(lines.positionAt(-1)).toEqual({ line: 0, character: 0 });
    expect(lines.offsetAt({ line: 1, character: 1 })).toBe(text.indexOf('c'));
    expect(lines.offsetAt({ line: 9, character: 0 })).toBe(text.length);
  });

  it('end before their break, however far behind it a position is', () => {
    const lines = new LineIndex('a\r\nbc\n\n');
    const ends = [0, 1, 2, 3].map((line) => lines.offsetAt({ line, character: 2 ** 31 - 1 }));
    expect(ends).toEqual([1, 5, 6, 7]);
  });

  it('lead from an offset to a position and back', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\r\n', 'é') }), fc.nat(), (text, given) => {
        const offset = given % (text.length + 1);
        const lines = new LineIndex(text);
        expect(lines.offsetAt(lines.positionAt(offset))).toBe(offset);
      }),
    );
  });
});
