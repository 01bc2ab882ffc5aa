import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { characters, utf8Bytes } from './measure.js';
import { parseQuoted } from './quoted.js';
import {
  capped,
  latexSeparators,
  markdownSeparators,
  plainSeparators,
  recursiveSplitter,
  sentenceSplitter,
  separatorSplitter,
} from './splitters.js';

const plain = (size: number) => recursiveSplitter(plainSeparators, characters(size));

describe('the recursive splitter', () => {
  it('cuts at paragraphs first, then lines, then words, then anywhere', () => {
    // The separator in front of a piece counts, as it does in LangChain.
    expect(plain(12)('one two\n\nthree\nfour five\n\nabcdefghijklmnopq')).toEqual([
      'one two',
      'three',
      'four five',
      'abcdefghijk',
      'lmnopq',
    ]);
  });

  it('packs as much as fits', () => {
    expect(plain(11)('aa bb cc dd ee ff')).toEqual(['aa bb cc dd', 'ee ff']);
    expect(plain(10)('aa bb cc dd ee ff')).toEqual(['aa bb cc', 'dd ee ff']);
  });

  it('emits nothing for empty text and white space', () => {
    expect(plain(5)('')).toEqual([]);
    expect(plain(5)('   \n\n \t      \n')).toEqual([]);
  });

  it('never cuts a surrogate pair, even when a chunk is smaller than a character', () => {
    expect(plain(3)('😀😀😀')).toEqual(['😀', '😀', '😀']);
    expect(plain(1)('😀a')).toEqual(['😀', 'a']);
  });

  it('leaves a piece whole when no separator is left to try', () => {
    expect(recursiveSplitter(['|'], characters(4))('abcdefgh|ij')).toEqual(['abcdefgh', '|ij']);
  });

  it('keeps every word in order and every chunk within the size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-zé\n ]{0,12}$/u), { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (parts, size) => {
          const text = parts.join(' ');
          const chunks = plain(size)(text);
          expect(chunks.every((chunk) => chunk.length <= size && chunk !== '' && chunk === chunk.trim())).toBe(true);
          expect(chunks.join('').replace(/\s/gu, '')).toBe(text.replace(/\s/gu, ''));
        },
      ),
    );
  });

  it('counts bytes when it measures tokens', () => {
    const split = recursiveSplitter(plainSeparators, utf8Bytes(7));
    expect(split('ééé ééé')).toEqual(['ééé', 'ééé']);
    expect(split('aaaaaa bb')).toEqual(['aaaaaa', 'bb']);
    expect(split('漢字漢字')).toEqual(['漢字', '漢字']);
    expect(split('😀😀')).toEqual(['😀', '😀']);
  });
});

describe('the other splitters', () => {
  it('Markdown is cut at headings', () => {
    const split = recursiveSplitter(markdownSeparators, characters(24));
    expect(split('# One\nfirst text\n## Two\nsecond text\n# Three\nend')).toEqual([
      '# One\nfirst text',
      '## Two\nsecond text',
      '# Three\nend',
    ]);
  });

  it('LaTeX is cut at sections', () => {
    const split = recursiveSplitter(latexSeparators, characters(30));
    expect(split('intro words\n\\section{A} some text\n\\section{B} other text')).toEqual([
      'intro words',
      '\\section{A} some text',
      '\\section{B} other text',
    ]);
  });

  it('one separator: joins neighbours while they fit and leaves long ones whole', () => {
    const split = separatorSplitter('\n', characters(7));
    expect(split('aa\nbb\ncc\nmuch too long\n\ndd')).toEqual(['aa\nbb', 'cc', 'much too long', 'dd']);
    expect(split('')).toEqual([]);
  });

  it('sentences are packed whole, long ones cut at words', () => {
    const split = sentenceSplitter('en', characters(25));
    expect(split('It is on. It is off. Dr. No said that nothing here would ever fit. Yes.')).toEqual([
      'It is on. It is off. Dr.',
      'No said that nothing here',
      'would ever fit.',
      'Yes.',
    ]);
    expect(split('')).toEqual([]);
  });

  it('sentences of a long text lose nothing between the blocks they are read in', () => {
    const text = 'A short sentence of words. '.repeat(1000);
    const chunks = sentenceSplitter('en', characters(512))(text);
    expect(chunks.join(' ')).toBe(text.trim());
    expect(chunks.every((chunk) => chunk.length <= 512)).toBe(true);
  });

  it('a cap cuts what another splitter left too long', () => {
    expect(capped(separatorSplitter('\n', characters(2)), characters(4))('abcdefg\nx')).toEqual(['abcd', 'efg', 'x']);
  });
});

describe('quoted separators', () => {
  it('are read with either quote and the usual escapes', () => {
    expect(parseQuoted(`'\\n\\n', "\\t" ,'',"it's", '\\\\'`)).toEqual(['\n\n', '\t', '', "it's", '\\']);
    expect(parseQuoted('')).toEqual([]);
    expect(parseQuoted("'\n'")).toEqual(['\n']);
  });

  it.each([',', "'a'b", "'a", 'a', "'a',", "'a\\"])('%s is refused', (text) => {
    expect(parseQuoted(text)).toBeUndefined();
  });
});
