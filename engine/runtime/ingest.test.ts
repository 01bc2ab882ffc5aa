import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MakeInstance, makeRuntime, type TestRuntime } from '../../test/support/runtime.js';
import { type Lane, lanes } from '../../pipeline/model.js';
import { questionMimeType } from '../../protocol/limits.js';

type Got = [Lane, unknown][];

/** A source with a listener on each of the given lanes; what they get is in `got`. */
function listening(on: readonly Lane[], provider = 'webhook'): TestRuntime & { got: Got } {
  const got: Got = [];
  const handlers = Object.fromEntries(lanes.map((lane) => [lane, (item: unknown) => void got.push([lane, item])]));
  const listener: MakeInstance = () => ({ lanes: handlers });
  const links = on.map((lane) => `in ${lane} out`);
  return { ...makeRuntime({ components: { in: () => ({}), out: listener }, links, provider }), got };
}

async function send(mimeType: string, on: readonly Lane[], data = 'x', provider?: string): Promise<Got> {
  const { open, write, close, got } = listening(on, provider);
  const pipe = await open({ name: 'n', size: 3 }, mimeType);
  await write(pipe, data);
  await close(pipe);
  return got;
}

const streamed = (mimeType: string, data = 'x'): unknown[] => [
  { action: 'begin', mimeType, name: 'n', size: 3 },
  { action: 'write', data: Buffer.from(data) },
  { action: 'end' },
];

describe('the lane of an object', () => {
  it.each<[string, Lane[], Lane]>([
    ['text/plain', ['tags', 'text'], 'text'],
    ['text/html; charset=utf-8', ['text'], 'text'],
    ['text/plain', ['tags'], 'tags'],
    ['Text/plain', ['tags', 'text'], 'tags'],
    ['image/png', ['tags', 'image'], 'image'],
    ['image/png', ['tags', 'text'], 'tags'],
    ['audio/mp3', ['audio'], 'audio'],
    ['video/mp4', ['video', 'tags'], 'video'],
    ['application/pdf', ['tags', 'text'], 'tags'],
    ['application/json', ['tags', 'text'], 'tags'],
    ['application/rocketlib-tag', ['tags', 'text'], 'tags'],
    [questionMimeType, ['questions', 'tags'], 'questions'],
    [`${questionMimeType}; v=1`, ['questions'], 'questions'],
    [questionMimeType, ['tags'], 'tags'],
    ['lane/text', ['tags', 'text'], 'text'],
    ['lane/image', ['image'], 'image'],
  ])('of type %s with listeners on %j is %s', async (mimeType, on, lane) => {
    const got = await send(mimeType, on, lane === 'questions' ? '{}' : 'x');
    expect(new Set(got.map(([to]) => to))).toEqual(new Set([lane]));
    if (['tags', 'image', 'audio', 'video'].includes(lane))
      expect(got.map(([, item]) => item)).toEqual(streamed(mimeType));
  });

  it('is no lane at all without a listener: the bytes are dropped', async () => {
    expect(await send('application/pdf', ['text'])).toEqual([]);
    expect(await send('text/plain', [])).toEqual([]);
  });

  it('named by the sender takes values in its own form', async () => {
    const json = (value: unknown): string => JSON.stringify(value);
    const doc = { type: 'Document', page_content: 'p', metadata: { objectId: '1', chunkId: 0 } };
    expect(await send('lane/documents', ['documents'], json(doc))).toEqual([['documents', [doc]]]);
    expect(await send('lane/documents', ['documents'], json([doc]))).toEqual([['documents', [doc]]]);
    expect(await send('lane/answers', ['answers'], json({ answer: { a: 1 }, expectJson: true }))).toEqual([
      ['answers', { answer: { a: 1 }, expectJson: true }],
    ]);
    expect(await send('lane/answers', ['answers'], json('yes'))).toEqual([
      ['answers', { answer: 'yes', expectJson: false }],
    ]);
    expect(await send('lane/table', ['table'], '| a |')).toEqual([['table', '| a |']]);
    expect(await send('lane/classifications', ['classifications'], json({ c: 1 }))).toEqual([
      ['classifications', { c: 1 }],
    ]);
  });

  it('that does not exist refuses the object, as does a chat that is given no question', async () => {
    await expect(send('lane/nothing', ['text'])).rejects.toMatchObject({
      code: 'invalid_argument',
      message: '"lane/nothing" names no lane',
    });
    await expect(send('lane/__proto__', ['text'])).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(send('text/plain', ['questions'], 'x', 'chat')).rejects.toThrow(/A chat pipeline takes questions/);
  });

  it('for questions takes one complete question with each write and fills in what is missing', async () => {
    const given = { questions: [{ text: 'why' }], role: null, filter: { limit: 3 } };
    const [[, question] = []] = await send(questionMimeType, ['questions'], JSON.stringify(given));
    expect(question).toMatchObject({ type: 'question', role: '', questions: [{ text: 'why' }], filter: { limit: 3 } });
    for (const broken of ['{', '[]', 'null', '"text"', '\u0000'])
      await expect(send(questionMimeType, ['questions'], broken)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('text in pieces', () => {
  /** What arrives when the bytes come in these pieces. */
  async function pieces(...data: Uint8Array[]): Promise<{ items: unknown[]; error: string | undefined }> {
    const { open, write, close, got } = listening(['text']);
    const pipe = await open({}, 'text/plain');
    let failed = false;
    for (const piece of data) if (!failed) await write(pipe, piece).catch(() => (failed = true));
    const result = await close(pipe);
    return { items: got.map(([, item]) => item), error: result.error?.message };
  }

  it('is one item a write', async () => {
    expect((await pieces(Buffer.from('one'), Buffer.from('zwö'), Buffer.from(''))).items).toEqual(['one', 'zwö']);
  });

  it('may be cut anywhere, inside characters of two, three and four bytes too', async () => {
    const bytes = Buffer.from('aé€😀\uFEFFz');
    for (let at = 0; at <= bytes.length; at++) {
      const { items, error } = await pieces(bytes.subarray(0, at), bytes.subarray(at));
      expect({ at, text: items.join(''), error }).toEqual({ at, text: bytes.toString(), error: undefined });
    }
    const single = await pieces(...Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect(single.items.join('')).toBe(bytes.toString());
  });

  it('comes together whatever the pieces are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.array(fc.nat(12)), async (whole, cuts) => {
        let rest = Buffer.from(whole);
        const parts: Uint8Array[] = [];
        for (const cut of cuts) {
          parts.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        const { items, error } = await pieces(...parts, rest);
        expect(error).toBeUndefined();
        expect(items.join('')).toBe(whole);
      }),
    );
  });

  it.each([
    ['a byte that begins nothing', [0x61, 0xff]],
    ['a continuation without a beginning', [0x80, 0x80, 0x80, 0x80, 0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character that never ends', [0x61, 0xe2, 0x82]],
  ])('that is not UTF-8 fails the object: %s', async (_, bytes) => {
    const { error } = await pieces(Uint8Array.from(bytes));
    expect(error).toBe('The text is not valid UTF-8');
  });
});
