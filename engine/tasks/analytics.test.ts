import { describe, expect, it } from 'vitest';
import { emptyStatus, type TaskStatus } from '../../protocol/status.js';
import type { FlowRecord } from '../worker/flowRecords.js';
import { RunAnalytics } from './analytics.js';

/** Feeds records; each is `[op, pipe, time, component or name]`. */
function analysed(now: number, ...records: [FlowRecord['op'], number, number, (number | string)?][]): TaskStatus {
  const analytics = new RunAnalytics(['in', 'parse', 'llm']);
  records.forEach(([op, pipe, time, what], at) => {
    const detail = op === 'begin' ? JSON.stringify(what) : '';
    const component = typeof what === 'number' ? what : 0;
    analytics.record({ op, pipe, component, lane: 'text', time, size: detail.length, detail }, at + 1);
  });
  const status = emptyStatus();
  analytics.fill(status, now);
  return status;
}

describe('the statistics of components', () => {
  it('count passes and their time, nested and in several pipes at once', () => {
    const { componentStats } = analysed(
      100,
      ['begin', 0, 0, 'a'],
      ['begin', 1, 1, 'b'],
      ['enter', 0, 1, 1],
      ['enter', 1, 2, 1],
      ['enter', 0, 3, 2],
      ['leave', 0, 6, 2],
      ['leave', 1, 4, 1],
      ['leave', 0, 7, 1],
      ['enter', 0, 7, 2],
      ['leave', 0, 8, 2],
      ['enter', 0, 8, 2],
    );
    expect(componentStats).toEqual({
      parse: { calls: 2, totalSeconds: 8, maxSeconds: 6 },
      llm: { calls: 2, totalSeconds: 4, maxSeconds: 3 },
    });
  });

  it('ignore what does not match and times that run backwards', () => {
    const { componentStats } = analysed(
      9,
      ['leave', 0, 1, 1],
      ['begin', 0, 2, 'a'],
      ['leave', 0, 3, 1],
      ['enter', 0, 5, 2],
      ['leave', 0, 4, 2],
    );
    expect(componentStats).toEqual({ llm: { calls: 1, totalSeconds: 0, maxSeconds: 0 } });
  });
});

describe('the slowest objects', () => {
  it('are the ten slowest, slowest first, with the number of their begin', () => {
    const elapsed = [5, 1, 9, 3, 7, 2, 12, 4, 8, 6, 11, 10];
    const records = elapsed.flatMap((seconds, at) => [
      ['begin', 0, at * 100, `object ${seconds}`] as [FlowRecord['op'], number, number, string],
      ['end', 0, at * 100 + seconds] as [FlowRecord['op'], number, number],
    ]);
    const { slowestDocs, completionSeconds } = analysed(2000, ...records);
    expect(slowestDocs.map((doc) => doc.elapsed)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    expect(slowestDocs[0]).toEqual({ name: 'object 12', elapsed: 12, beginTime: 600, beginSeq: 13 });
    expect(completionSeconds).toBe(78);
  });
});

describe('idle time', () => {
  const twice: [FlowRecord['op'], number, number, string?][] = [
    ['begin', 0, 100, 'a'],
    ['end', 0, 101],
    ['begin', 0, 105, 'b'],
    ['end', 0, 106],
  ];

  it('counts between completions and up to now while the stretch is open', () => {
    expect(analysed(108, ...twice)).toMatchObject({ idleSeconds: 6, idleLongestSeconds: 4, idleLongestAt: 101 });
    expect(analysed(116, ...twice)).toMatchObject({ idleSeconds: 14, idleLongestSeconds: 10, idleLongestAt: 106 });
  });

  it('is none before the first completion and while any pipe works', () => {
    expect(analysed(50)).toMatchObject({ idleSeconds: 0, idleLongestSeconds: 0, idleLongestAt: 0 });
    expect(analysed(50, ['begin', 0, 10, 'a'])).toMatchObject({ idleSeconds: 0 });
    expect(analysed(50, ['begin', 0, 10, 'a'], ['begin', 1, 11, 'b'], ['end', 0, 12])).toMatchObject({
      idleSeconds: 0,
    });
  });

  it('is never negative, whatever the clock does', () => {
    expect(analysed(90, ...twice)).toMatchObject({ idleSeconds: 4, idleLongestSeconds: 4 });
    expect(analysed(0, ['begin', 0, 10, 'a'], ['end', 0, 5])).toMatchObject({ completionSeconds: 0, idleSeconds: 0 });
  });
});
