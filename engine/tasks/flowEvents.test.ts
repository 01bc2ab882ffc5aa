import { ResultText } from '../worker/resultText.js';
import { describe, expect, it } from 'vitest';
import type { CallLane } from '../runtime/flow.js';
import type { FlowRecord } from '../worker/flowRecords.js';
import { FlowComposer } from './flowEvents.js';
import { EventHistory } from './history.js';
import { FlowEncoder } from '../worker/flowRecords.js';

const compose = () => new FlowComposer(['in', 'parse', 'llm'], 'project', 'in', 'id.in');
const record = (op: FlowRecord['op'], component = 0, lane: CallLane = 'text', detail = ''): FlowRecord => ({
  op,
  pipe: 4,
  component,
  lane,
  time: 1.5,
  size: detail.length,
  detail,
});

function bodies(...records: FlowRecord[]): Record<string, unknown>[] {
  const composer = compose();
  return records.map((each, at) => JSON.parse(composer.compose(each, at + 1)) as Record<string, unknown>);
}

describe('a flow event', () => {
  it('has the stack after the operation and what was traced', () => {
    const events = bodies(
      record('begin', 0, 'tags', '"a \\"file\\""'),
      record('enter', 1, 'text', '{"length":3}'),
      record('enter', 2, 'invoke', '{"classType":"llm","operation":"ask"}'),
      record('leave', 2, 'invoke', '"no answer"'),
      record('leave', 1, 'text'),
      record('enter', 1, 'closing'),
      record('leave', 1, 'closing'),
      record('end', 0, 'tags', '{"text":["x"]}'),
    );
    const name = 'a "file"';
    const invoked = { lane: 'invoke', invoke: 'llm', data: { classType: 'llm', operation: 'ask' } };
    expect(events.map(({ op, pipes, trace }) => ({ op, pipes, trace }))).toEqual([
      { op: 'begin', pipes: [name], trace: {} },
      { op: 'enter', pipes: [name, 'parse'], trace: { lane: 'text', data: { length: 3 } } },
      { op: 'enter', pipes: [name, 'parse', 'llm'], trace: invoked },
      { op: 'leave', pipes: [name, 'parse'], trace: { ...invoked, result: 'error', error: 'no answer' } },
      { op: 'leave', pipes: [name], trace: { lane: 'text', result: 'continue', data: { length: 3 } } },
      { op: 'enter', pipes: [name, 'parse'], trace: { lane: 'closing' } },
      { op: 'leave', pipes: [name], trace: { lane: 'closing', result: 'continue' } },
      { op: 'end', pipes: [], trace: { text: ['x'] } },
    ]);
    expect(events.at(-1)).toMatchObject({ result: { text: ['x'] } });
    expect(events[0]).toMatchObject({ id: 4, project_id: 'project', source: 'in', seqNo: 1, time: 1.5, __id: 'id.in' });
  });

  it('of an end without a result has none', () => {
    const [, end] = bodies(record('begin', 0, 'tags', '"a"'), record('end'));
    expect(end?.trace).toEqual({});
    expect(end).not.toHaveProperty('result');
  });
});

/** `count` objects as encoded batches; their events are numbered from `first`. */
function batch(count: number, name = 'object'): Buffer {
  const flow = new FlowEncoder('full', { now: () => 1 }, new ResultText(), () => undefined);
  for (let at = 0; at < count; at++) {
    flow.begin(0, name);
    flow.enter(0, 1, 'text', 'x'.repeat(1000));
    flow.leave(0, 1, 'text', undefined);
    flow.end(0, { objectId: '1' });
  }
  return flow.take();
}

describe('the history of a task', () => {
  it('gives the events after a number, flow and others in one order', () => {
    const history = new EventHistory(1e6);
    history.keep({ name: 'apaevt_task', seqNo: 1, body: '{"seqNo":1}' });
    history.keepFlow(batch(2), 2, compose());
    history.keep({ name: 'output', seqNo: 10, body: '{"seqNo":10}' });
    const all = history.since(0);
    expect(all.lost).toBeUndefined();
    expect(all.events.map(({ seqNo }) => seqNo)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(all.events.map(({ body }) => (JSON.parse(body) as { seqNo: number }).seqNo)).toEqual(
      all.events.map(({ seqNo }) => seqNo),
    );
    const part = history.since(3);
    expect(part.events).toEqual(all.events.slice(3));
    expect(JSON.parse(part.events[0]?.body ?? '')).toMatchObject({ op: 'leave', pipes: ['object'] });
    expect(history.since(10).events).toEqual([]);
  });

  it('is read in portions that leave nothing out', () => {
    const history = new EventHistory(1e6);
    let next = 1;
    for (let turn = 0; turn < 20; turn++) {
      history.keepFlow(batch(5), next, compose());
      next += 20;
      history.keep({ name: 'output', seqNo: next, body: `{"seqNo":${next}}` });
      next++;
    }
    const numbers: number[] = [];
    let portions = 0;
    for (let since: number | undefined = 3; since !== undefined; portions++) {
      const page = history.page({ since, wants: () => true, pipe: undefined, limit: 30 });
      numbers.push(...page.events.map(({ seqNo }) => seqNo));
      expect(page.lost).toBeUndefined();
      since = page.last;
    }
    expect(portions).toBeGreaterThan(5);
    expect(numbers).toEqual(Array.from({ length: next - 4 }, (_, at) => at + 4));
  });

  it('is read for one pipe or some kinds of events only', () => {
    const history = new EventHistory(1e6);
    history.keepFlow(batch(1), 1, compose());
    history.keep({ name: 'output', seqNo: 5, body: '{}' });
    const read = (pipe: number | undefined, kind?: string) =>
      history.page({ since: 0, pipe, limit: 100, wants: (name) => kind === undefined || name === kind }).events.length;
    expect(read(0)).toBe(5);
    expect(read(1)).toBe(1);
    expect(read(undefined, 'output')).toBe(1);
    expect(read(undefined, 'apaevt_flow')).toBe(4);
  });

  it('is bounded, and says up to which number events are lost', () => {
    const history = new EventHistory(512 * 1024);
    let next = 1;
    for (let turn = 0; turn < 100; turn++) {
      history.keepFlow(batch(20), next, compose());
      next += 80;
    }
    const { events, lost } = history.since(0);
    expect(lost).toBeGreaterThan(0);
    expect(events[0]?.seqNo).toBe((lost ?? 0) + 1);
    expect(events.at(-1)?.seqNo).toBe(next - 1);
    expect(events.length).toBeLessThan(3200);
    expect(history.since(next - 5)).toMatchObject({ lost: undefined });
    expect(history.since(next - 5).events).toHaveLength(4);
  });

  it('bounds other events too, but always keeps the newest', () => {
    const history = new EventHistory(1000);
    for (let seqNo = 1; seqNo <= 5; seqNo++) history.keep({ name: 'output', seqNo, body: 'x'.repeat(700) });
    expect(history.since(0)).toMatchObject({ events: [{ seqNo: 5 }], lost: 4 });
    expect(history.since(4).lost).toBeUndefined();
  });

  it('reads the records of a restarted run with the components of that run', () => {
    const history = new EventHistory(1e6);
    history.keepFlow(batch(1), 1, compose());
    history.keepFlow(batch(1), 5, new FlowComposer(['in', 'other'], 'project', 'in', 'id.in'));
    const entered = history.since(0).events.filter(({ body }) => body.includes('"op":"enter"'));
    expect(entered.map(({ body }) => (JSON.parse(body) as { pipes: string[] }).pipes.at(-1))).toEqual([
      'parse',
      'other',
    ]);
  });

  it('is empty once cleared', () => {
    const history = new EventHistory(1e6);
    history.keepFlow(batch(1), 1, compose());
    history.clear();
    expect(history.since(0).events).toEqual([]);
  });
});
