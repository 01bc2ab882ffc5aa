import { describe, expect, it } from 'vitest';
import { defaultBounds } from '../store/bounds.js';
import { ObjectLog } from '../store/objects.js';
import type { Span, TraceObject } from '../store/objects.js';
import { SpanScale, isHousekeeping, outcomeOf } from './spans.js';
import { sparkPoints } from './sparkline.js';
import { ObjectSearch } from './traceFilter.js';

const span = (component: string, depth: number, begin: number, end: number | undefined, data = ''): Span => ({
  component,
  lane: 'text',
  depth,
  begin,
  end,
  error: undefined,
  data,
});

const object = (beginSeq: number, change: Partial<TraceObject> = {}): TraceObject => ({
  beginSeq,
  pipe: 0,
  name: `object ${beginSeq}`,
  begin: 0,
  end: 10,
  error: undefined,
  spans: [],
  moreSpans: 0,
  result: '',
  endLost: false,
  kept: false,
  ...change,
});

describe('the waterfall of an object', () => {
  const spans = [span('parse', 0, 0, 10), span('split', 1, 2, 6), span('deep', 2, 3, 4), span('embed', 1, 6, 9)];

  it('puts each step on the scale of the object', () => {
    const scale = new SpanScale(object(1, { spans }));
    expect(spans.map((each) => scale.bar(each))).toEqual([
      { left: '0.00%', width: '100.00%' },
      { left: '20.00%', width: '40.00%' },
      { left: '30.00%', width: '10.00%' },
      { left: '60.00%', width: '30.00%' },
    ]);
  });

  it('tells what a step did itself from what it waited for', () => {
    const scale = new SpanScale(object(1, { spans }));
    expect(scale.own(spans[0] as Span).map(({ left, width }) => `${left} ${width}`)).toEqual([
      '0.00% 20.00%',
      '90.00% 10.00%',
    ]);
    expect(scale.own(spans[2] as Span)).toHaveLength(1);
  });

  it('lets what still runs reach to the end', () => {
    const open = [span('parse', 0, 0, undefined), span('split', 1, 5, undefined)];
    const scale = new SpanScale(object(1, { end: undefined, spans: open }));
    expect(scale.bar(open[0] as Span)).toEqual({ left: '0.00%', width: '100.00%' });
  });

  it('hides opening and closing in which nothing happened', () => {
    const closing = { ...span('parse', 0, 0, 1), lane: 'closing' };
    expect(isHousekeeping(closing, undefined)).toBe(true);
    expect(isHousekeeping(closing, span('split', 1, 0, 1))).toBe(false);
    expect(isHousekeeping({ ...closing, error: 'x' }, undefined)).toBe(false);
    expect(isHousekeeping(span('parse', 0, 0, 1), undefined)).toBe(false);
  });
});

describe('the filter of objects', () => {
  const log = new ObjectLog(defaultBounds);
  log.add(object(1, { name: 'Invoice.pdf' }));
  log.add(object(2, { error: 'Unreadable' }));
  log.add(object(3, { spans: [span('parse', 0, 0, 1, 'about an INVOICE')] }));
  log.add(object(4, { end: undefined }));
  log.add(object(5, { result: 'invoice: 12' }));
  const found = (text: string, outcome: 'all' | 'failed' | 'open' = 'all') =>
    new ObjectSearch({ text, outcome }).search(log).map(({ beginSeq }) => beginSeq);

  it('finds by name, data and result in any case, the newest first', () => {
    expect(found('invoice')).toEqual([5, 3, 1]);
    expect(found('  ')).toEqual([5, 4, 3, 2, 1]);
  });

  it('finds what failed and what is under way', () => {
    expect(found('', 'failed')).toEqual([2]);
    expect(found('unread')).toEqual([2]);
    expect(found('', 'open')).toEqual([4]);
    expect(outcomeOf(object(1, { end: undefined, endLost: true })).label).toBe('Not finished');
  });

  it('sees what came later to an object that was under way', () => {
    const search = new ObjectSearch({ text: 'late', outcome: 'all' });
    expect(search.search(log)).toEqual([]);
    const open = log.find(4);
    open?.spans.push(span('parse', 0, 0, 1, 'late words'));
    expect(search.search(log).map(({ beginSeq }) => beginSeq)).toEqual([4]);
  });
});

describe('a sparkline', () => {
  it('has the newest value on the right, and nothing to say about a single one', () => {
    expect(sparkPoints([1], 300)).toBeUndefined();
    const line = sparkPoints([0, 10], 300);
    expect(line?.path).toMatch(/L120\.0 2\.5$/);
    expect(line?.left).toBeGreaterThan(100);
    expect(sparkPoints([0, 0], 300)?.path).not.toContain('NaN');
  });
});
