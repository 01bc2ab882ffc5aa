import { describe, expect, it } from 'vitest';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { diagnose } from './diagnostics.js';
import { findDefinition, findHighlights, findReferences, prepareRename, rename } from './names.js';
import { PipelineDocument } from './pipelineDocument.js';
import { documentSymbols, foldingRanges, selectionRange } from './symbols.js';
import { fixture, textOf } from './testing/fixture.js';

const catalogue = bundledCatalogue();
const text = `{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    {
      id: "read",
      provider: 'parse',
      config: {},
      input: [{ from: 'in', lane: 'tags' }],
    },
    { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'text' }] },
  ],
}
`;
/** The text with the cursor inside the first occurrence of what is marked by `|` in the piece. */
const at = (piece: string): ReturnType<typeof fixture> => {
  const plain = piece.replace('|', '');
  if (!text.includes(plain)) throw new Error(`"${plain}" is not in the text`);
  return fixture(text.replace(plain, piece));
};

describe('names of components', () => {
  it('lead from every use to the definition', () => {
    for (const piece of ["source: 'i|n'", "from: 'in|'", "id: '|in'"]) {
      const { document, position } = at(piece);
      expect(findDefinition(document, position)?.id?.value).toBe('in');
    }
    const { document, position } = at("provider: 'pa|rse'");
    expect(findDefinition(document, position)).toBeUndefined();
  });

  it('are found wherever they are used', () => {
    const { document, position } = at("id: 'i|n'");
    expect(findReferences(document, position, true).map(({ start }) => start.line)).toEqual([1, 3, 8]);
    expect(findReferences(document, position, false).map(({ start }) => start.line)).toEqual([1, 8]);
    expect(findHighlights(document, position).map(({ kind }) => kind)).toEqual([2, 3, 2]);
  });

  it('are renamed everywhere, with the quotes of each place', () => {
    const { document, position } = at("from: 'rea|d'");
    expect(prepareRename(document, position)).toMatchObject({ placeholder: 'read' });
    const edits = rename(document, position, `it's "it"`);
    if (typeof edits === 'string') throw new Error(edits);
    expect(edits.map(({ newText }) => newText)).toEqual([`it's \\"it\\"`, `it\\'s "it"`]);
    expect(edits.map(({ range }) => textOf(document, range))).toEqual(['read', 'read']);
  });

  it('are not renamed to one that exists, or to nothing', () => {
    const { document, position } = at("id: 'i|n'");
    expect(rename(document, position, 'out')).toMatch(/already/);
    expect(rename(document, position, ' ')).toMatch(/empty/);
    const elsewhere = at("lane: 'ta|gs'");
    expect(prepareRename(elsewhere.document, elsewhere.position)).toBeUndefined();
  });
});

describe('the outline', () => {
  it('names components and their links', () => {
    const symbols = documentSymbols(new PipelineDocument('file:///a', text));
    expect(symbols.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([
      'in: webhook',
      'read: parse',
      'out: response_text',
    ]);
    expect(symbols[1]?.children?.map(({ name, detail }) => `${name} ${detail}`)).toEqual(['← in tags']);
  });

  it('folds what has several lines, and grows a selection outwards', () => {
    const { document, position } = at("provider: 'par|se'");
    expect(foldingRanges(document)).toEqual([
      { startLine: 0, endLine: 11 },
      { startLine: 2, endLine: 10 },
      { startLine: 4, endLine: 8 },
    ]);
    const texts: string[] = [];
    for (
      let each: ReturnType<typeof selectionRange> | undefined = selectionRange(document, position);
      each;
      each = each.parent
    ) {
      texts.push(textOf(document, each.range).slice(0, 17));
    }
    expect(texts.slice(0, 3)).toEqual(['parse', "'parse'", "provider: 'parse'"]);
    expect(texts.at(-1)).toBe(document.text.slice(0, 17));
  });
});

describe('problems', () => {
  const broken = text.replace("'webhook'", "'webhok'").replace("from: 'read'", "from: 'raed'");
  const document = new PipelineDocument('file:///a', broken);

  it('are shown where they are', () => {
    const found = diagnose(document, catalogue).map(({ code, range }) => `${String(code)} ${textOf(document, range)}`);
    expect(found).toEqual(["provider_unknown 'webhok'", "from_unknown 'raed'"]);
    expect(diagnose(new PipelineDocument('file:///a', text), catalogue)).toEqual([]);
  });
});
