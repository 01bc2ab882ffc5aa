import { describe, expect, it } from 'vitest';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { diagnose } from './diagnostics.js';
import { PipelineDocument } from './pipelineDocument.js';

const catalogue = bundledCatalogue();
const uri = 'file:///a.pipe';
const text = `{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    { id: 'out', provider: 'response', config: { laneName: 'a', laneName: 'b' }, input: [{ from: 'in', lane: 'text' }] },
    { id: 'lost', provider: 'hash', config: {} },
    { id: 'a', provider: 'anonymize', config: {}, input: [{ from: 'in', lane: 'text' }] },
  ],
}`;

describe('diagnostics in the words of the protocol', () => {
  const found = diagnose(new PipelineDocument(uri, text), catalogue, { page: 'file:///pages/{code}.md' });
  const of = (code: string) => found.find((each) => each.code === code);

  it('say what has no effect and what is out of date, and lead to their pages', () => {
    expect(of('unreachable')).toMatchObject({
      severity: 2,
      tags: [1],
      source: 'millrace',
      codeDescription: { href: 'file:///pages/unreachable.md' },
      range: { start: { line: 5, character: 10 }, end: { line: 5, character: 16 } },
    });
    expect(of('provider_deprecated')).toMatchObject({
      severity: 4,
      tags: [2],
      data: { replacement: 'anonymize_text' },
    });
  });

  it('name the other places of the document', () => {
    expect(of('key_duplicate')?.relatedInformation).toEqual([
      {
        location: { uri, range: { start: { line: 4, character: 64 }, end: { line: 4, character: 72 } } },
        message: 'This one counts',
      },
    ]);
  });

  it('follow the severities and the source that are given, and have no pages where there are none', () => {
    const document = new PipelineDocument(uri, text);
    const others = diagnose(document, catalogue, { severities: { unreachable: 'information', key_duplicate: 'off' } });
    expect(others.map(({ code, severity }) => [code, severity])).toEqual([
      ['unreachable', 3],
      ['provider_deprecated', 4],
    ]);
    expect(others.every(({ codeDescription }) => codeDescription === undefined)).toBe(true);
  });
});
