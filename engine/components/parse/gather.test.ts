import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gather } from './gather.js';

describe('a document that is put together', () => {
  it('is the same bytes, whatever size was announced and however they came', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, fc.option(fc.nat(4000), { nil: undefined }), (given, announced) => {
        const gather = new Gather();
        gather.begin(announced);
        for (const piece of given) {
          const lent = Uint8Array.from(piece);
          gather.add(lent);
          lent.fill(0);
        }
        const whole = Buffer.concat(given);
        expect(gather.size).toBe(whole.length);
        expect(Buffer.compare(gather.bytes, whole)).toBe(0);
        const taken = gather.take();
        expect(Buffer.compare(taken, whole)).toBe(0);
        expect(taken.buffer.byteLength).toBe(whole.length);
        expect(gather.size).toBe(0);
      }),
    );
  });

  it('takes no memory for a size that is only claimed', () => {
    const gather = new Gather();
    gather.begin(2 ** 50);
    gather.add(Uint8Array.of(1, 2));
    expect([...gather.take()]).toEqual([1, 2]);
  });
});
