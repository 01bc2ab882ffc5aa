import { describe, expect, it } from 'vitest';
import type { Doc } from '../../../protocol/data.js';
import { openComponent, runComponent } from '../testing.js';
import { component } from './component.js';
import { anonymizeDefinition } from './definition.js';

const letter = 'Dear Ada Lovelace, Acme Corporation in Berlin has your card 4111 1111 1111 1111.';
const clean = 'Dear ████████████, ████████████████ in ██████ has your card ███████████████████.';

describe('anonymize_text', () => {
  it('masks names and numbers character by character, and the text keeps its length', async () => {
    const run = await runComponent(component, anonymizeDefinition, {}, { lane: 'text', items: [letter] });
    expect(run.emitted.text).toEqual([clean]);
  });

  it('joins the pieces of an object before it looks, and emits once', async () => {
    const items = ['Mail ada@exam', 'ple.org or ', '+49 30 1234', '567.'];
    const run = await runComponent(component, anonymizeDefinition, { anonymizeChar: '*' }, { lane: 'text', items });
    expect(run.emitted.text).toEqual(['Mail *************** or **************.']);
  });

  it('masks each document and leaves the rest of it alone', async () => {
    const document: Doc = { type: 'Document', page_content: letter, metadata: { objectId: 'o', chunkId: 3 } };
    const image: Doc = { type: 'Image', page_content: 'NDExMQ==', metadata: { objectId: 'o', chunkId: 4 } };
    const run = await runComponent(
      component,
      anonymizeDefinition,
      {},
      { lane: 'documents', items: [[document, image], []] },
    );
    expect(run.emitted.documents).toEqual([[{ ...document, page_content: clean }, image]]);
    expect(document.page_content).toBe(letter);
  });

  it('emits nothing when there is no text, and keeps nothing for the next object', async () => {
    const pipe = await openComponent(component, anonymizeDefinition);
    expect((await pipe.run({ lane: 'text', items: [''] })).order).toEqual([]);
    await pipe.run({ lane: 'text', items: ['one'] });
    expect((await pipe.run({ lane: 'text', items: ['two'] })).emitted.text).toEqual(['two']);
    await pipe.stop();
  });

  it('warns once, at the start, that the model of the profile is approximated', async () => {
    const warnings: string[] = [];
    await component.start({
      config: { model: 'urchade/gliner_small-v2.1' },
      warn: (text: string) => warnings.push(text),
    } as never);
    expect(warnings).toEqual([expect.stringContaining('urchade/gliner_small-v2.1 is approximated by rules')]);
  });

  it('masks what lies across the slices of a long text', async () => {
    const filler = 'The quick brown fox jumps over the lazy dog and runs away.\n';
    const hits = ['ada@example.org', '4111 1111 1111 1111', 'DE89 3704 0044 0532 0130 00'];
    const text = Array.from({ length: 1500 }, (_, at) => `${filler.slice(at % 50)}${hits[at % 3]} `).join('');
    const run = await runComponent(component, anonymizeDefinition, {}, { lane: 'text', items: [text] });
    const [masked = ''] = run.emitted.text;
    expect(masked).toHaveLength(text.length);
    for (const hit of hits) expect(masked).not.toContain(hit);
    expect(masked.match(/\d/)).toBeNull();
  });

  it('lets other work run while it reads a long text', async () => {
    let turns = 0;
    let running = true;
    const tick = (): void => {
      turns++;
      if (running) setImmediate(tick);
    };
    setImmediate(tick);
    await runComponent(component, anonymizeDefinition, {}, { lane: 'text', items: [letter.repeat(500)] });
    running = false;
    expect(turns).toBeGreaterThan(5);
  });

  it('stops in the middle of a long text when the object is abandoned', async () => {
    const abort = new AbortController();
    const pipe = await openComponent(component, anonymizeDefinition, {}, { signal: abort.signal });
    const run = pipe.run({ lane: 'text', items: [letter.repeat(2000)] });
    setImmediate(() => abort.abort(new Error('abandoned')));
    await expect(run).rejects.toThrow('abandoned');
    await pipe.stop();
  });
});
