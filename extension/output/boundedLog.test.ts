import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BoundedLog } from './boundedLog.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function made(lines: number, chars = 1_000_000) {
  const sink = {
    text: '',
    writes: 0,
    append: (text: string) => write(sink.text + text),
    replace: (text: string) => write(text),
  };
  const write = (text: string): void => {
    sink.writes += 1;
    sink.text = text;
  };
  const log = new BoundedLog(sink, { lines, chars, everyMs: 100 });
  return { sink, log };
}

describe('BoundedLog', () => {
  it('writes the first line at once and the others together', () => {
    const { sink, log } = made(10);
    log.add('one');
    expect(sink.text).toBe('one\n');
    for (const text of ['two', 'three\n']) log.add(text);
    vi.advanceTimersByTime(100);
    expect(sink).toMatchObject({ text: 'one\ntwo\nthree\n', writes: 2 });
  });

  it('keeps the newest lines when there are too many', () => {
    const { sink, log } = made(10);
    for (let i = 0; i < 100_000; i++) log.add(`line ${i}`);
    vi.advanceTimersByTime(1000);
    const lines = sink.text.trimEnd().split('\n');
    expect(lines[0]).toBe('… Earlier lines are left out.');
    expect(lines.at(-1)).toBe('line 99999');
    expect(lines.length).toBeLessThanOrEqual(22);
    expect(sink.writes).toBeLessThanOrEqual(3);
    for (let i = 0; i < 3; i++) log.add(`more ${i}`);
    vi.advanceTimersByTime(1000);
    expect(sink.text).toContain('line 99999\nmore 0\nmore 1\nmore 2\n');
  });

  it('keeps few lines when they are long', () => {
    const { sink, log } = made(1000, 50_000);
    for (let i = 0; i < 100; i++) log.add('x'.repeat(1_000_000));
    vi.advanceTimersByTime(1000);
    expect(sink.text.length).toBeLessThan(150_000);
  });

  it('leaves out escape sequences and control characters', () => {
    const { sink, log } = made(10);
    log.add('\u001b[1;31mred\u001b[0m\ta\u0007b\u001b]8;;http://evil\u0007link\u001b]8;;\u0007\r\n');
    expect(sink.text).toBe('red\tablink\n');
  });
});
