import { describe, expect, it } from 'vitest';
import { checkToView } from './checkToView.js';
import { LiveModel } from './store/model.js';
import { scenarios } from './testing/scenarios.js';

const goodTask = { type: 'task', token: 't', name: 'n', components: [{ id: 'a' }] };

describe('a message to the live view', () => {
  it('is taken as it is when it is right', () => {
    for (const message of scenarios['working']?.() ?? []) {
      const checked = checkToView(JSON.parse(JSON.stringify(message)));
      expect(checked?.type).toBe(message.type);
      if (checked?.type === 'changes' && message.type === 'changes') {
        expect(checked.flow).toHaveLength(message.flow.length);
        expect(checked.status).toEqual(message.status);
      }
      if (checked?.type === 'task') expect(checked).toEqual(message);
    }
  });

  it('is nothing when it is malformed', () => {
    const wrong: unknown[] = [
      undefined,
      null,
      7,
      'changes',
      [],
      {},
      { type: 'other' },
      { type: 'task' },
      { type: 'task', token: 1, name: 'n', components: [] },
      { type: 'task', token: 't', name: 'n', components: 'none' },
      { type: 'link' },
      { type: 'link', state: { kind: 'odd' } },
      { type: 'trace', beginSeq: '1', events: [] },
      { type: 'trace', beginSeq: 1 },
      { type: 'traceLost' },
    ];
    expect(wrong.map(checkToView).filter((checked) => checked !== undefined)).toEqual([]);
  });

  it('loses the parts that are malformed and keeps the others', () => {
    const event = { id: 0, op: 'begin', pipes: ['a'], trace: {}, seqNo: 1, time: 1 };
    const odd = [
      null,
      1,
      { ...event, op: 'jump' },
      { ...event, pipes: [1] },
      { ...event, seqNo: NaN },
      { ...event, trace: 1 },
    ];
    const deep = { ...event, pipes: Array.from({ length: 5000 }, () => 'a') };
    const checked = checkToView({
      type: 'changes',
      flow: [...odd, deep, event],
      errors: [{ seqNo: 1 }, { seqNo: 2, time: 3, text: 'x' }],
      warnings: 'none',
      lost: [
        { first: 5, last: 1 },
        { first: 1, last: 2 },
      ],
    });
    expect(checked).toMatchObject({
      flow: [{ seqNo: 1 }],
      errors: [{ text: 'x' }],
      warnings: [],
      lost: [{ first: 1, last: 2 }],
    });
  });

  it('has a whole status, whatever a server of another kind left out', () => {
    const checked = checkToView({
      type: 'changes',
      status: {
        state: 3,
        exitCode: null,
        totalCount: 'many',
        errors: ['a', { message: 'b' }, 3],
        metrics: { cpu_percent: Infinity, cpu_memory_mb: 5 },
        pipeflow: { byPipe: { '0': ['a'], '1': 'x' } },
        componentStats: { a: { calls: 2 }, b: null },
        slowestDocs: [{ name: 'd', beginSeq: 'x' }, {}],
      },
    });
    expect(checked).toMatchObject({
      status: {
        state: 3,
        exitCode: 0,
        totalCount: 0,
        errors: ['a', 'b'],
        metrics: { cpu_percent: 0, cpu_memory_mb: 5, peak_cpu_percent: 0 },
        tokens: { total: 0, custom: {} },
        pipeflow: { totalPipes: 0, byPipe: { '0': ['a'] } },
        componentStats: { a: { calls: 2, totalSeconds: 0, maxSeconds: 0 } },
        slowestDocs: [{ name: 'd', elapsed: 0, beginSeq: null }],
      },
    });
  });

  it('never makes the model fail, whatever its parts are', () => {
    const values: unknown[] = [undefined, null, 0, -1, NaN, '', 'x', [], {}, true, [[]], [null], { a: [] }];
    const fields = [
      'status',
      'flow',
      'errors',
      'warnings',
      'lost',
      'components',
      'state',
      'events',
      'beginSeq',
      'reason',
    ];
    const model = new LiveModel();
    const task = checkToView(goodTask);
    if (task !== undefined) model.apply(task);
    for (const type of ['task', 'changes', 'link', 'trace', 'traceLost'])
      for (const field of fields)
        for (const value of values) {
          const checked = checkToView({ ...goodTask, beginSeq: 1, events: [], type, [field]: value });
          if (checked !== undefined) model.apply(checked);
        }
    expect(model.task?.token).toBe('t');
  });
});
