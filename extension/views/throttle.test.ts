import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Throttle } from './throttle.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('Throttle', () => {
  it('acts at once, then at most once in its time, and never loses the last trigger', () => {
    let acted = 0;
    const throttle = new Throttle(() => acted++, 200);
    throttle.trigger();
    expect(acted).toBe(1);
    for (let i = 0; i < 10_000; i++) throttle.trigger();
    expect(acted).toBe(1);
    vi.advanceTimersByTime(200);
    expect(acted).toBe(2);
    vi.advanceTimersByTime(1000);
    expect(acted).toBe(2);
    throttle.trigger();
    expect(acted).toBe(3);
  });

  it('does nothing once disposed', () => {
    let acted = 0;
    const throttle = new Throttle(() => acted++, 200);
    throttle.trigger();
    throttle.trigger();
    throttle.dispose();
    throttle.trigger();
    vi.advanceTimersByTime(1000);
    expect(acted).toBe(1);
  });
});
