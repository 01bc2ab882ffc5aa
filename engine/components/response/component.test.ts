import { describe, expect, it } from 'vitest';
import { Ajv } from 'ajv';
import type { Definition } from '../../../pipeline/catalogue.js';
import { type Doc, makeQuestion } from '../../../protocol/data.js';
import type { StreamItem } from '../../runtime/component.js';
import { type LaneInput, openComponent, runComponent } from '../testing.js';
import { component } from './component.js';
import { responseDefinitions } from './definition.js';

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');

describe('response', () => {
  it('returns the text of an object as one entry, each piece followed by two line feeds', async () => {
    const { result } = await respond({}, { lane: 'text', items: ['x', 'y'] });
    expect(result.values).toEqual({ text: ['x\n\ny\n\n'] });
    expect(result.lanes).toEqual({ text: 'text' });
  });

  it('returns nothing but name and path when nothing arrived', async () => {
    const { result } = await respond({}, { lane: 'text', items: [''] });
    expect(result).toEqual({ values: {}, lanes: {}, fields: { name: 'object', path: '' } });
  });

  it('returns tables, questions and answers as they arrive', async () => {
    const question = makeQuestion({ questions: [{ text: 'q' }] });
    const { result } = await respond({}, [
      { lane: 'table', items: ['|a|\n', '|b|\n'] },
      { lane: 'questions', items: [question] },
      {
        lane: 'answers',
        items: [
          { answer: 'yes', expectJson: false },
          { answer: { a: 1 }, expectJson: true },
          { answer: { a: 1 }, expectJson: false },
        ],
      },
    ]);
    expect(result.values).toEqual({
      table: ['|a|\n', '|b|\n'],
      questions: [question],
      answers: ['yes', { a: 1 }, '{"a":1}'],
    });
  });

  it('returns documents without null fields', async () => {
    const document = {
      type: 'Document',
      page_content: 'p',
      score: null,
      metadata: { objectId: 'o', chunkId: 0, nodeId: null },
    } as unknown as Doc;
    const { result } = await respond({}, { lane: 'documents', items: [[document], []] });
    expect(result.values).toEqual({
      documents: [{ type: 'Document', page_content: 'p', metadata: { objectId: 'o', chunkId: 0 } }],
    });
  });

  it('returns media as base64 with the type its bytes show', async () => {
    const { result } = await respond({}, [
      { lane: 'image', items: media(png, 'image/x-unknown') },
      { lane: 'audio', items: media(Buffer.from('sound'), 'audio/mpeg') },
      { lane: 'video', items: media(Buffer.from(''), '') },
    ]);
    expect(result.values).toEqual({
      image: [{ mime_type: 'image/png', image: png.toString('base64') }],
      audio: [{ mime_type: 'audio/mpeg', audio: Buffer.from('sound').toString('base64') }],
      video: [{ mime_type: 'application/octet-stream', video: '' }],
    });
  });

  it('does not return an image that never ended, nor carry it into the next object', async () => {
    const pipe = await openComponent(component, definition('response'));
    await pipe.run({ lane: 'image', items: media(png, 'image/png').slice(0, -1) });
    const { result } = await pipe.run({ lane: 'text', items: ['next'] });
    expect(result.values).toEqual({ text: ['next\n\n'] });
    await pipe.stop();
  });

  it('keeps its own copy of media bytes, so that a sender may reuse its buffer', async () => {
    const pipe = await openComponent(component, definition('response_image'));
    const data = Buffer.from(png);
    const take = pipe.instance.lanes?.image;
    const run = pipe.run({ lane: 'text', items: [] });
    void take?.({ action: 'begin', mimeType: 'image/png' });
    void take?.({ action: 'write', data });
    data.fill(0);
    void take?.({ action: 'end' });
    expect((await run).result.values).toEqual({ image: [{ mime_type: 'image/png', image: png.toString('base64') }] });
    await pipe.stop();
  });

  it('uses laneName for every lane it receives', async () => {
    const { result } = await respond({ laneName: 'out' }, [
      { lane: 'table', items: ['|t|'] },
      { lane: 'text', items: ['x'] },
    ]);
    expect(result.values).toEqual({ out: ['|t|', 'x\n\n'] });
  });

  it('maps lanes to keys as older pipelines do and ignores incomplete entries', async () => {
    const lanes = [{ laneId: 'text', laneName: 'words' }, { laneId: 'table' }, { laneName: 'x' }];
    const { result } = await respond({ lanes }, [
      { lane: 'table', items: ['|t|'] },
      { lane: 'text', items: ['x'] },
    ]);
    expect(result.values).toEqual({ table: ['|t|'], words: ['x\n\n'] });
    expect(result.lanes).toEqual({ table: 'table', words: 'text' });
  });

  it('returns name, directory and metadata of the object', async () => {
    const { result } = await respond(
      {},
      { lane: 'text', items: [] },
      {
        name: 'a/b.txt',
        path: 'a',
        metadata: { author: 'Ada', 'X-TIKA:Parsed-By': 'x' },
      },
    );
    expect(result.fields).toEqual({ name: 'a/b.txt', path: 'a', metadata: { author: 'Ada' } });
  });

  it('still returns what was produced when the object fails, so that closing is skipped', async () => {
    const pipe = await openComponent(component, definition('response'));
    const run = pipe.run({ lane: 'text', items: ['partial'] });
    expect(pipe.instance.closing).toBeUndefined();
    expect((await run).result.values).toEqual({ text: ['partial\n\n'] });
    await pipe.stop();
  });
});

describe('the response definitions', () => {
  it('have one provider per lane and the general one', () => {
    expect(responseDefinitions.map(({ id }) => id)).toEqual([
      'response',
      'response_text',
      'response_table',
      'response_documents',
      'response_questions',
      'response_answers',
      'response_image',
      'response_audio',
      'response_video',
    ]);
    expect(definition('response_table').lanes).toEqual({ table: [] });
  });

  it('refuse keys that belong to the engine', () => {
    const validate = new Ajv({ strict: false }).compile(definition('response_text').config);
    expect(validate({ laneName: 'summary' })).toBe(true);
    expect(validate({ laneName: 'objectId' })).toBe(false);
    expect(validate({ laneName: '' })).toBe(false);
  });
});

function respond(config: Record<string, unknown>, input: LaneInput | LaneInput[], object = {}) {
  return runComponent(component, definition('response'), config, input, { object });
}

function definition(id: string): Definition {
  const found = responseDefinitions.find((entry) => entry.id === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
}

function media(bytes: Buffer, mimeType: string): StreamItem[] {
  const half = bytes.length >> 1;
  return [
    { action: 'begin', mimeType },
    { action: 'write', data: bytes.subarray(0, half) },
    { action: 'write', data: bytes.subarray(half) },
    { action: 'end' },
  ];
}
