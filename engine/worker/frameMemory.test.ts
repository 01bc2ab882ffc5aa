import { describe, expect, it } from 'vitest';
import { FrameMemory } from './frameMemory.js';

const large = 64 * 1024;

describe('the memory of frames', () => {
  it('is used again once it has been given back, by whichever view of it', () => {
    const memory = new FrameMemory();
    const first = memory.take(large);
    const { buffer } = first;
    memory.give(first.subarray(9));
    expect(memory.take(large + 5).buffer).toBe(buffer);
  });

  it('is never lent to two at a time', () => {
    const memory = new FrameMemory();
    const first = memory.take(large);
    expect(memory.take(large).buffer).not.toBe(first.buffer);
    memory.give(first);
    memory.give(first);
    const [one, two] = [memory.take(large), memory.take(large)];
    expect(one.buffer).not.toBe(two.buffer);
  });

  it('leaves alone what it did not lend, and gives any size', () => {
    const memory = new FrameMemory();
    const foreign = Buffer.alloc(128 * 1024);
    memory.give(foreign);
    expect(memory.take(large).buffer).not.toBe(foreign.buffer);
    for (const bytes of [0, 1, 32 * 1024, 2 * 1024 * 1024 + 1]) expect(memory.take(bytes)).toHaveLength(bytes);
  });

  it('keeps a bounded amount', () => {
    const memory = new FrameMemory();
    const lent = Array.from({ length: 20 }, () => memory.take(2 * 1024 * 1024));
    const buffers = new Set(lent.map(({ buffer }) => buffer));
    for (const each of lent) memory.give(each);
    const again = Array.from({ length: 20 }, () => memory.take(2 * 1024 * 1024));
    expect(again.filter(({ buffer }) => buffers.has(buffer))).toHaveLength(2);
  });
});
