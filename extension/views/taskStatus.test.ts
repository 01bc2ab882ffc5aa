import { describe, expect, it } from 'vitest';
import { emptyStatus, TaskState } from '../../protocol/status.js';
import { lostStatus, readStatus } from './taskStatus.js';

describe('the status of a server', () => {
  it('is taken as it is when it is complete', () => {
    const status = { ...emptyStatus('p', 's'), state: TaskState.RUNNING, completedCount: 3, errors: ['bad'] };
    status.pipeflow = { totalPipes: 1, byPipe: { '0': ['name', 'in'] } };
    expect(readStatus({ ...status, __id: 'x' })).toEqual(status);
  });

  it('is none when it has no state', () => {
    for (const value of [undefined, null, 'text', [], {}, { state: '3' }]) expect(readStatus(value)).toBeUndefined();
  });

  it('is filled up where an older server says less, and never has a member of another kind', () => {
    const status = readStatus({
      state: 3,
      name: 7,
      errors: ['bad', null, 4],
      warnings: 'none',
      metrics: { cpu_percent: 'much', cpu_memory_mb: 12 },
      tokens: null,
      exitCode: null,
      extra: true,
    });
    const empty = emptyStatus();
    const metrics = { ...empty.metrics, cpu_memory_mb: 12 };
    expect(status).toEqual({ ...empty, state: 3, errors: ['bad'], metrics });
  });

  it('of a lost task has ended, with the counts it had', () => {
    const last = { ...emptyStatus(), state: TaskState.RUNNING, completedCount: 5, rateCount: 9 };
    const status = lostStatus(last, 'Gone', 77);
    expect(status).toMatchObject({
      completed: true,
      completedCount: 5,
      rateCount: 0,
      endTime: 77,
      exitMessage: 'Gone',
    });
    expect(last.completed).toBe(false);
  });
});
