import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { incoming, outgoing, prepareHierarchy } from './callHierarchy.js';
import { useLenses } from './codeLenses.js';
import { linkTargets } from './documentLinks.js';
import { formatDocument, formatOnType } from './formatting.js';
import { inlayHints } from './inlayHints.js';
import { PipelineDocument } from './pipelineDocument.js';
import { semanticTokens } from './semanticTokens.js';
import { signatureHelp } from './signatureHelp.js';
import { documentSymbols, foldingRanges, selectionRange } from './symbols.js';
import { componentsOf } from './workspaceSymbols.js';

const catalogue = bundledCatalogue();
const pipeline = `// A comment
{
  source: 'in', components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    { "id": "model", provider: 'llm_ollama', config: { profile: 'custom', path: 'a.txt', key: '\${MILLRACE_KEY}' },
      input: [{ from: 'in', lane: 'questions' }], control: [{ from: 'model', classType: 'llm' }] }, /* and
    so on */
  ],
}`;

/** The pipeline with pieces cut out, doubled and put elsewhere. */
const damaged = fc
  .array(fc.tuple(fc.nat(pipeline.length), fc.nat(40), fc.nat(pipeline.length)), { maxLength: 6 })
  .map((cuts) =>
    cuts.reduce((text, [from, length, to]) => {
      const piece = text.slice(from, from + length);
      const rest = length % 2 === 0 ? text : text.slice(0, from) + text.slice(from + length);
      return rest.slice(0, to) + piece + rest.slice(to);
    }, pipeline),
  );

describe('every text and every place in it', () => {
  it('has an answer, whose ranges are inside of the text', () => {
    fc.assert(
      fc.property(damaged, fc.nat(), (text, place) => {
        const document = new PipelineDocument('file:///a.pipe', text);
        const position = document.lines.positionAt(place % (text.length + 1));
        const all = document.range({ start: 0, end: text.length });
        const options = { tabSize: 2, insertSpaces: true };
        const tokens = semanticTokens(document, catalogue);
        for (const [at, { start, end }] of tokens.entries()) {
          expect(start).toBeGreaterThanOrEqual(tokens[at - 1]?.end ?? 0);
          expect(end).toBeGreaterThan(start);
          expect(document.lines.positionAt(start).line).toBe(document.lines.positionAt(end).line);
        }
        for (const { start, end } of linkTargets(document, catalogue)) expect(text.slice(start, end)).not.toBe('');
        for (const { startLine, endLine } of foldingRanges(document)) expect(endLine).toBeGreaterThan(startLine);
        for (const { range, selectionRange: inner } of documentSymbols(document)) {
          expect(document.offsetAt(inner.start)).toBeGreaterThanOrEqual(document.offsetAt(range.start));
          expect(document.offsetAt(inner.end)).toBeLessThanOrEqual(document.offsetAt(range.end));
        }
        inlayHints(document, all, catalogue);
        useLenses(document);
        componentsOf(document);
        selectionRange(document, position);
        signatureHelp(document, position, catalogue);
        const item = prepareHierarchy(document, position);
        if (item !== undefined) expect([...incoming(document, item), ...outgoing(document, item)]).toBeDefined();
        for (const typed of ['}', ']', '\n']) formatOnType(document, position, typed, options);
        if (document.tree.problems.length > 0) expect(formatDocument(document, options)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
