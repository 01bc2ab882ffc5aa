import { ResultText } from './resultText.js';
import { describe, expect, it } from 'vitest';
import type { CallItem, CallLane } from '../runtime/flow.js';
import { decodeFlow, FlowEncoder, type FlowRecord } from './flowRecords.js';

type Level = 'metadata' | 'summary' | 'full';

function encoded(level: Level, report: (flow: FlowEncoder) => void): FlowRecord[] {
  let now = 1000;
  const flow = new FlowEncoder(level, { now: () => (now += 0.25) }, new ResultText(), () => undefined);
  report(flow);
  const records: FlowRecord[] = [];
  decodeFlow(flow.take(), ({ op, pipe, component, lane, time, size, detail }) =>
    records.push({ op, pipe, component, lane, time, size, detail }),
  );
  return records;
}

function detail(level: Level, lane: CallLane, item: CallItem): unknown {
  const [record] = encoded(level, (flow) => flow.enter(3, 2, lane, item));
  return record?.detail === '' ? undefined : JSON.parse(record?.detail ?? '');
}

describe('a flow record', () => {
  it('comes back with its operation, pipe, component, lane and time', () => {
    const records = encoded('summary', (flow) => {
      flow.begin(63, 'name ö');
      flow.enter(63, 5, 'text', 'abc');
      flow.leave(63, 5, 'text', undefined);
      flow.enter(63, 5, 'closing', undefined);
      flow.leave(63, 5, 'closing', new Error('no "luck"'));
      flow.end(63, { objectId: '1', text: ['a'] });
    });
    const common = { pipe: 63, component: 5 };
    expect(records.map(({ size: _, ...record }) => record)).toEqual([
      { op: 'begin', pipe: 63, component: 0, lane: 'tags', time: 1000.25, detail: '"name ö"' },
      { op: 'enter', ...common, lane: 'text', time: 1000.5, detail: '{"length":3}' },
      { op: 'leave', ...common, lane: 'text', time: 1000.75, detail: '' },
      { op: 'enter', ...common, lane: 'closing', time: 1001, detail: '' },
      { op: 'leave', ...common, lane: 'closing', time: 1001.25, detail: '"no \\"luck\\""' },
      { op: 'end', pipe: 63, component: 0, lane: 'tags', time: 1001.5, detail: '{"text":["a"]}' },
    ]);
  });

  it('survives any number and size of its neighbours', () => {
    const texts = Array.from({ length: 500 }, (_, at) => '€'.repeat((at * 37) % 3000));
    const records = encoded('full', (flow) => texts.forEach((text) => flow.enter(0, 0, 'text', text)));
    expect(records.map((record) => (JSON.parse(record.detail) as { text: string }).text)).toEqual(
      texts.map((text) => text.slice(0, 2000)),
    );
  });

  it('is taken once', () => {
    const flow = new FlowEncoder('full', { now: () => 0 }, new ResultText(), () => undefined);
    flow.begin(0, 'a');
    const first = Buffer.from(flow.take());
    const taken = flow.take();
    expect(taken).toHaveLength(0);
    flow.begin(0, 'b');
    expect(flow.take()).toHaveLength(first.length);
  });
});

describe('what a record tells', () => {
  const documents = [{ type: 'Document' as const, page_content: 'p', metadata: { objectId: '1', chunkId: 0 } }];
  const answer = { answer: 'yes', expectJson: false };

  it('at level metadata is sizes and kinds, no content', () => {
    expect(detail('metadata', 'text', 'secret')).toEqual({ length: 6 });
    expect(detail('metadata', 'table', '| a |')).toEqual({ length: 5 });
    expect(detail('metadata', 'documents', documents)).toEqual({ count: 1 });
    expect(detail('metadata', 'image', { action: 'begin', mimeType: 'image/png' })).toEqual({
      action: 'begin',
      mimeType: 'image/png',
      bufferSize: 0,
    });
    expect(detail('metadata', 'video', { action: 'write', data: new Uint8Array(9) })).toMatchObject({ bufferSize: 9 });
    expect(detail('metadata', 'answers', answer)).toBeUndefined();
    expect(detail('metadata', 'classifications', [1, 2])).toBeUndefined();
    expect(detail('metadata', 'invoke', { classType: 'llm', operation: 'ask', parameter: 'secret' })).toEqual({
      classType: 'llm',
      operation: 'ask',
    });
    const [end] = encoded('metadata', (flow) => flow.end(0, { objectId: '1', text: ['secret'] }));
    expect(end?.detail).toBe('');
  });

  it('at level summary has the result and counts besides', () => {
    expect(detail('summary', 'classifications', [1, 2])).toEqual({ count: 2 });
    expect(detail('summary', 'text', 'secret')).toEqual({ length: 6 });
    const [end] = encoded('summary', (flow) => flow.end(0, { objectId: '1', text: ['shown'] }));
    expect(JSON.parse(end?.detail ?? '')).toEqual({ text: ['shown'] });
  });

  it('at level full has the content, of texts the first 2000 characters', () => {
    expect(detail('full', 'text', 'x'.repeat(3000))).toEqual({ length: 3000, text: 'x'.repeat(2000) });
    expect(detail('full', 'table', '| a |')).toEqual({ length: 5, table: '| a |' });
    expect(detail('full', 'documents', documents)).toEqual({ count: 1, documents });
    expect(detail('full', 'answers', answer)).toEqual({ answers: answer });
    expect(detail('full', 'json', { a: 1 })).toEqual({ json: { a: 1 } });
    expect(detail('full', 'invoke', { classType: 'llm', operation: 'ask', parameter: { q: 1 } })).toEqual({
      classType: 'llm',
      operation: 'ask',
      parameter: { q: 1 },
    });
  });

  it('of a structural call is nothing', () => {
    for (const lane of ['open', 'closing', 'close'] as const) expect(detail('full', lane, undefined)).toBeUndefined();
  });

  it('is never a reason to fail, whatever components pass on', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(detail('full', 'json', circle)).toHaveProperty('unreadable');
    expect(detail('full', 'invoke', { classType: 'tool', operation: 'x', parameter: 1n })).toMatchObject({
      classType: 'tool',
      operation: 'x',
    });
  });

  it('has names of at most 200 characters', () => {
    const [begin] = encoded('metadata', (flow) => flow.begin(0, 'n'.repeat(500)));
    expect(JSON.parse(begin?.detail ?? '')).toHaveLength(200);
  });
});
