import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFrame, encodeBinaryFrame } from './frames.js';

const limit = 1024 * 1024;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const header = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value)) as object);

describe('a binary message', () => {
  it('comes back as it was sent, line feeds in both parts included', () => {
    const payload = fc.oneof(
      fc.uint8Array(),
      fc.array(fc.constantFrom(0x0a, 0x0d, 0x00)).map((all) => Uint8Array.from(all)),
    );
    fc.assert(
      fc.property(header, payload, (sent, data) => {
        const frame = decodeFrame(encodeBinaryFrame(sent, data), true, limit);
        expect(frame.header).toEqual(sent);
        expect(Buffer.compare(Buffer.from(frame.payload ?? []), Buffer.from(data))).toBe(0);
      }),
    );
  });

  it('has one line feed before the payload, the first', () => {
    const encoded = encodeBinaryFrame({ text: 'a\nb' }, bytes('x\ny'));
    expect(Buffer.from(encoded).toString()).toBe('{"text":"a\\nb"}\nx\ny');
  });

  it('may carry an empty payload, which differs from none', () => {
    expect(decodeFrame(bytes('{"a":1}\n'), true, limit)).toEqual({ header: { a: 1 }, payload: new Uint8Array() });
    expect(decodeFrame(bytes('{"a":1}'), true, limit)).toEqual({ header: { a: 1 } });
  });
});

describe('a text message', () => {
  it('is read whole, whether it comes as text or as bytes', () => {
    const expected = { header: { name: 'ö\n€', n: null } };
    expect(decodeFrame('{"name":"ö\\n€","n":null}', false, limit)).toEqual(expected);
    expect(decodeFrame(bytes('{\n"name":"ö\\n€",\n"n":null}'), false, limit)).toEqual(expected);
  });
});

describe('what is no message', () => {
  it('is refused as such, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.boolean(), (data, isBinary) => {
        try {
          expect(typeof decodeFrame(data, isBinary, limit).header).toBe('object');
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'invalid_message' });
        }
      }),
    );
  });

  it.each(['', 'null', '1', '"text"', '[]', '{', '{"a":1}{', "{'a':1}"])('refuses %s', (text) => {
    expect(() => decodeFrame(text, false, limit)).toThrow(expect.objectContaining({ code: 'invalid_message' }));
    expect(() => decodeFrame(bytes(text), true, limit)).toThrow(expect.objectContaining({ code: 'invalid_message' }));
  });

  it('refuses a header that is not UTF-8', () => {
    const broken = Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect(() => decodeFrame(broken, false, limit)).toThrow('not valid UTF-8');
  });

  it('refuses a header above the limit before parsing it, but no payload', () => {
    const long = `{"a":"${'x'.repeat(100)}"}`;
    for (const data of [long, bytes(long)])
      expect(() => decodeFrame(data, false, 50)).toThrow(expect.objectContaining({ code: 'too_large' }));
    expect(() => decodeFrame(bytes(`${long}\n`), true, 50)).toThrow(/108 bytes; at most 50/);
    expect(decodeFrame(bytes(`{}\n${long}`), true, 50).payload).toHaveLength(108);
  });
});
