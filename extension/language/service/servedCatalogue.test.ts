import { describe, expect, it } from 'vitest';
import { describeServices } from '../../../engine/server/describeServices.js';
import { analyseText } from '../../../pipeline/analysis.js';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { makeCatalogue } from '../../../pipeline/catalogue.js';
import { complete } from './completion.js';
import { servedCatalogue } from './servedCatalogue.js';
import { fixture } from './testing/fixture.js';

const bundle = bundledCatalogue();
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function served(services: unknown): NonNullable<ReturnType<typeof servedCatalogue>> {
  const catalogue = servedCatalogue(overTheWire(services), bundle);
  if (catalogue === undefined) throw new Error('There is no catalogue');
  return catalogue;
}

describe('the catalogue of the connected server', () => {
  it('is that of the bundle when the server is of this version', () => {
    const catalogue = served(describeServices(bundle).services);
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
    expect([...catalogue.all()].sort(byId)).toEqual([...bundle.all()].sort(byId));
    expect([...catalogue.ids()].sort()).toEqual([...bundle.ids()].sort());
  });

  it('has the components that the server was given', () => {
    const [parse] = bundle.all();
    if (parse === undefined) throw new Error('The bundle is empty');
    const own = { ...parse, id: 'shout', title: 'Shout', lanes: { text: ['text'] as const } };
    const catalogue = served(describeServices(makeCatalogue([...bundle.all(), own])).services);
    const text = `{ source: 'in', components: [
      { id: 'in', provider: 'webhook', config: {} },
      { id: 'loud', provider: 'shout', config: {}, input: [{ from: 'in', lane: 'text' }] },
      { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'loud', lane: 'text' }] } ] }`;
    expect(analyseText(text, { catalogue: bundle }).map(({ code }) => code)).toEqual(['provider_unknown']);
    expect(analyseText(text, { catalogue })).toEqual([]);
  });

  it('says of providers that are described in another way only that they exist', () => {
    const catalogue = served({
      webhook: {
        title: 'Web Hook',
        protocol: 'webhook://',
        lanes: { _source: ['text', 'tags'] },
        Pipe: { schema: {} },
      },
      magic: { title: 'Magic', description: ['Does', 'things'], lanes: { text: [{ type: 'text' }] } },
      odd: 7,
    });
    const text = `{ source: 'in', components: [
      { id: 'in', provider: 'webhook', config: { whatever: 1 } },
      { id: 'm', provider: 'magic', config: {}, input: [{ from: 'in', lane: 'image' }] },
      { id: 'o', provider: 'odd', config: {}, input: [{ from: 'm', lane: 'text' }] } ] }`;
    expect(analyseText(text, { catalogue })).toEqual([]);
    expect(analyseText(text.replace("'odd'", "'ood'"), { catalogue }).map(({ code }) => code)).toEqual([
      'provider_unknown',
    ]);
    const { document, position } = fixture(text.replace("'magic'", "'|'"));
    expect(complete(document, position, catalogue).map(({ label }) => label)).toEqual(
      expect.arrayContaining(['webhook', 'magic', 'odd']),
    );
  });

  it('is none when the answer names no provider', () => {
    for (const answer of [undefined, null, {}, [], 'x', { '': {} }])
      expect(servedCatalogue(answer, bundle)).toBeUndefined();
  });
});
