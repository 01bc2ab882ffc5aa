import { describe, expect, it } from 'vitest';
import { type LaneInput, type TestOptions, openComponent, runComponent } from '../testing.js';
import { component } from './component.js';
import { preprocessorDefinition } from './definition.js';

const sentence = 'Ten words of plain text make up this one sentence. ';

describe('preprocessor_langchain', () => {
  it('splits the text of an object at its end, in one list of numbered documents', async () => {
    const run = await split(
      {},
      { lane: 'text', items: [sentence.repeat(8), sentence.repeat(8)] },
      {
        object: { objectId: 'o-1', name: 'b.txt', path: 'a', properties: { permissionId: 7 } },
      },
    );
    expect(run.order).toEqual(['documents']);
    const documents = run.emitted.documents[0] ?? [];
    expect(documents.length).toBeGreaterThan(1);
    expect(documents.every(({ page_content }) => page_content.length <= 512)).toBe(true);
    expect(documents[1]).toMatchObject({
      type: 'Document',
      metadata: {
        objectId: 'o-1',
        chunkId: 1,
        parent: 'a/b.txt',
        permissionId: 7,
        isDeleted: false,
        isTable: false,
        tableId: 0,
      },
    });
  });

  it('puts a line feed between the fragments', async () => {
    const run = await split({}, { lane: 'text', items: ['one', 'two'] });
    expect(contents(run)).toEqual(['one\ntwo']);
  });

  it('splits tables at once, numbers them and shares the chunk counter with the text', async () => {
    const run = await split({ strlen: 6 }, [
      { lane: 'text', items: ['last'] },
      { lane: 'table', items: ['|a|b|\n|c|d|', '|e|'] },
    ]);
    expect(
      run.emitted.documents
        .flat()
        .map(({ page_content, metadata }) => [page_content, metadata.chunkId, metadata.isTable, metadata.tableId]),
    ).toEqual([
      ['|a|b|', 0, true, 0],
      ['|c|d|', 1, true, 0],
      ['|e|', 2, true, 1],
      ['last', 3, false, 0],
    ]);
  });

  it('emits nothing when nothing arrived or only white space', async () => {
    expect((await split({}, { lane: 'text', items: [] })).order).toEqual([]);
    expect((await split({}, { lane: 'text', items: [' ', '\n'] })).order).toEqual([]);
  });

  it('numbers each object from 0', async () => {
    const pipe = await openComponent(component, preprocessorDefinition);
    await pipe.run([
      { lane: 'text', items: ['a'] },
      { lane: 'table', items: ['|t|'] },
    ]);
    const run = await pipe.run({ lane: 'table', items: ['|u|'] });
    expect(run.emitted.documents[0]?.[0]?.metadata).toMatchObject({ chunkId: 0, tableId: 0 });
    await pipe.stop();
  });

  it('counts the words and bytes it saw, also when nobody listens', async () => {
    const run = await split({}, { lane: 'text', items: ['drei  Wörter hier'] }, { listens: [] });
    expect(run.counted).toEqual({ words: 3, bytes: 19 });
    expect(run.order).toEqual([]);
  });

  it('measures estimated tokens in mode tokens', async () => {
    const run = await split({ mode: 'tokens', tokens: 2 }, { lane: 'text', items: ['aaaaaa bbbbb'] });
    expect(contents(run)).toEqual(['aaaaaa', 'bbbbb']);
    const wide = await split(
      { mode: 'tokens', tokens: 2, bytes_per_token: 7 },
      { lane: 'text', items: ['aaaaaa bbbbb'] },
    );
    expect(contents(wide)).toEqual(['aaaaaa bbbbb']);
  });

  it('keeps every chunk below what the model takes', async () => {
    const config = { profile: 'character', max_model_tokens: 34, bytes_per_token: 2 };
    expect(contents(await split(config, { lane: 'text', items: ['abcdefgh\n\nx'] }))).toEqual(['abcd', 'efgh', 'x']);
  });

  it.each(['recursive', 'character', 'markdown', 'latex', 'custom'])(
    'profile %s starts without a warning',
    async (profile) => {
      const run = await split({ profile }, { lane: 'text', items: ['some text'] });
      expect([contents(run), run.warnings]).toEqual([['some text'], []]);
    },
  );

  it.each(['nltk', 'spacy'])(
    'profile %s splits sentences and warns once that it is an approximation',
    async (profile) => {
      const pipe = await openComponent(component, preprocessorDefinition, { profile, strlen: 9 });
      const first = await pipe.run({ lane: 'text', items: ['It rains. It pours.'] });
      expect(contents(first)).toEqual(['It rains.', 'It pours.']);
      await pipe.stop();
    },
  );

  it('warns at the start of a sentence profile', async () => {
    const warnings: string[] = [];
    await component.start({
      config: { splitter: 'NLTKTextSplitter' },
      warn: (text: string) => warnings.push(text),
    } as never);
    expect(warnings).toEqual([expect.stringContaining('approximated')]);
  });

  it.each([
    [{ splitter: 'MagicSplitter' }, 'Unknown splitter "MagicSplitter"'],
    [{ profile: 'recursive', separators: 'a, b' }, '"separators" must be quoted text'],
    [{ profile: 'character', separator: '"a","b"' }, '"separator" must be quoted text'],
    [{ max_model_tokens: 32 }, 'leaves no room'],
  ])('refuses to start with %j', async (config, message) => {
    await expect(split(config, { lane: 'text', items: [] })).rejects.toThrow(message);
  });
});

function split(config: Record<string, unknown>, input: LaneInput | LaneInput[], options: TestOptions = {}) {
  return runComponent(component, preprocessorDefinition, config, input, options);
}

function contents(run: Awaited<ReturnType<typeof split>>): string[] {
  return run.emitted.documents.flat().map(({ page_content }) => page_content);
}
