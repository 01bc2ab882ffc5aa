import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventBit, eventMaskNames, parseEventMask } from './events.js';

describe('the types of a subscription', () => {
  it.each([
    [['summary', 'FLOW', 'Task'], 4 | 16 | 32],
    [['summary', 'nothing', 7, null], 4],
    [['constructor', '__proto__', 'toString'], 0],
    [[], 0],
    ['255', 255],
    ['all', 255],
    ['sse', 64],
    [20, 20],
    [0x1ff, 255],
    [1.5, 0],
    [Number.NaN, 0],
    [null, 0],
    [undefined, 0],
    [{}, 0],
    ['', 0],
  ])('%j become bits', (types, mask) => {
    expect(parseEventMask(types)).toBe(mask);
  });

  it('are named again from their bits', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 255 }), (mask) => parseEventMask(eventMaskNames(mask)) === mask));
    expect(eventMaskNames(EventBit.SUMMARY | EventBit.FLOW)).toEqual(['summary', 'flow']);
    expect(eventMaskNames(EventBit.NONE)).toEqual([]);
  });

  it('never become more than all bits, whatever was sent', () => {
    fc.assert(fc.property(fc.anything(), (types) => (parseEventMask(types) & ~EventBit.ALL) === 0));
  });
});
