import { describe, expect, it } from 'vitest';
import { changes, invoicePipeline, status } from '../testing/scenarios.js';
import { task } from '../testing/simulator.js';
import { previewOf, shortText } from './preview.js';
import { Ring } from './ring.js';
import { LiveStore } from './store.js';

describe('the store of the live view', () => {
  it('tells its readers once per frame, however many messages came', () => {
    const frames: (() => void)[] = [];
    const store = new LiveStore((draw) => {
      frames.push(draw);
      return () => undefined;
    });
    let told = 0;
    const forget = store.subscribe(() => told++);
    store.receive(task(invoicePipeline));
    for (let at = 0; at < 100; at++) store.receive(changes({ status: status({ completedCount: at }) }));
    expect(told).toBe(0);
    expect(frames).toHaveLength(1);
    frames.pop()?.();
    expect(told).toBe(1);
    expect(store.model.status?.completedCount).toBe(99);
    store.receive(changes());
    expect(frames).toHaveLength(1);
    forget();
    frames.pop()?.();
    expect(told).toBe(1);
  });

  it('draws nothing once it has been disposed', () => {
    let cancelled = 0;
    const store = new LiveStore(() => () => cancelled++);
    store.receive(changes());
    store.dispose();
    expect(cancelled).toBe(1);
  });
});

describe('a ring', () => {
  it('keeps the newest and gives back what had to go', () => {
    const ring = new Ring<number>(3);
    expect([1, 2, 3, 4, 5].map((item) => ring.push(item))).toEqual([undefined, undefined, undefined, 1, 2]);
    expect(ring.toArray()).toEqual([3, 4, 5]);
    expect(ring.toReversed()).toEqual([5, 4, 3]);
    expect([ring.at(0), ring.at(2), ring.at(3), ring.at(-1), ring.newest()]).toEqual([3, 5, undefined, undefined, 5]);
    expect([ring.shift(), ring.push(6), ring.length]).toEqual([3, undefined, 3]);
    expect(ring.toArray()).toEqual([4, 5, 6]);
  });
});

describe('a preview of data', () => {
  it('is the text itself where there is one', () => {
    expect(previewOf({ length: 5, text: 'Hello' }, 'text', 100)).toBe('Hello');
    expect(previewOf('plain', 'text', 100)).toBe('plain');
    expect(previewOf(undefined, 'text', 100)).toBe('');
  });

  it('is the beginning of anything else, however large it is', () => {
    expect(previewOf({ count: 2, documents: [{ a: 1 }, null] }, 'documents', 100)).toBe('[{a: 1}, null]');
    const large = Array.from({ length: 1_000_000 }, (_, at) => ({ at, text: 'x'.repeat(10) }));
    const preview = previewOf(large, '', 60);
    expect(preview).toHaveLength(61);
    expect(preview).toMatch(/^\[\{at: 0, text: "xxxxxxxxxx"\}, .*…$/);
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(previewOf(circle, '', 50).length).toBeLessThan(60);
  });

  it('ends with a mark where it was cut', () => {
    expect(shortText('abcdef', 3)).toBe('abc…');
    expect(shortText('abc', 3)).toBe('abc');
  });
});
