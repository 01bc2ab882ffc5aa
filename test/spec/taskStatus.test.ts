import { beforeAll, describe, expect, it } from 'vitest';
import type { TaskStatus } from '../../client/typescript/src/index.js';
import { obeying } from '../support/pipelines.js';
import { eventually } from '../support/poll.js';
import { specSession } from './session.js';

const session = specSession();
const number = expect.any(Number) as number;
const before = Date.now() / 1000;
let running: TaskStatus;
let ended: TaskStatus;

/** Five texts: three that work, one that fails, one that logs. */
beforeAll(async () => {
  const { client } = session;
  const pipeline = { ...obeying, name: 'Measured', project_id: 'measured' };
  const { token } = await client.use({ pipeline, threads: 1, pipelineTraceLevel: 'metadata' });
  for (const text of ['one', 'two', 'three', 'fail on purpose', 'log a note']) {
    await client.send(token, text, { name: `${text}.txt` });
  }
  // The flow is told now and then.
  running = await eventually('the flow is known', async () => {
    const status = await client.getTaskStatus(token);
    return status.pipeflow.totalPipes > 0 && status;
  });
  await client.terminate(token);
  ended = await client.getTaskStatus(token);
});

/** Row → its value while the task runs. */
const rows: Record<string, unknown> = {
  state: 3,
  completed: false,
  name: expect.stringMatching(/^Measured\b/),
  project_id: 'measured',
  source: 'in',
  startTime: number,
  endTime: 0,
  totalCount: 5,
  completedCount: 4,
  failedCount: 1,
  totalSize: 36,
  completedSize: 21,
  rateCount: number,
  rateSize: number,
  errors: [expect.stringContaining('on purpose')],
  warnings: [],
  status: expect.stringMatching(/./),
  currentObject: expect.any(String),
  exitCode: 0,
  exitMessage: '',
  metrics: expect.any(Object),
  tokens: expect.any(Object),
  pipeflow: { totalPipes: 1, byPipe: { '0': [] } },
  componentStats: expect.any(Object),
  slowestDocs: expect.any(Array),
  completionSeconds: number,
  idleSeconds: number,
  idleLongestSeconds: number,
  idleLongestAt: number,
};

describe('Task status (`TASK_STATUS`)', () => {
  it.each(Object.keys(rows))('`%s`', (row) => {
    expect(running[row as keyof TaskStatus]).toEqual(rows[row]);
  });

  it('`startTime` and `endTime` are Unix times in seconds', () => {
    expect(running.startTime).toBeGreaterThan(before - 1);
    expect(ended.endTime).toBeGreaterThanOrEqual(running.startTime);
    expect(ended.endTime).toBeLessThan(Date.now() / 1000 + 1);
  });

  it('`state`, `completed` and `exitCode` of an ended task', () => {
    expect(ended).toMatchObject({ state: 6, completed: true, exitCode: 0 });
  });

  it('counts, sizes and rates are whole numbers', () => {
    const { totalCount, completedCount, failedCount, totalSize, completedSize, rateCount, rateSize } = running;
    for (const each of [totalCount, completedCount, failedCount, totalSize, completedSize, rateCount, rateSize]) {
      expect(Number.isInteger(each)).toBe(true);
    }
  });

  it('`metrics`: percent and MB, with peaks', () => {
    for (const metrics of [running.metrics, ended.metrics]) {
      for (const kind of ['cpu_percent', 'cpu_memory_mb', 'gpu_memory_mb'] as const) {
        expect(metrics[kind]).toBeGreaterThanOrEqual(0);
        expect(metrics[`peak_${kind}`]).toBeGreaterThanOrEqual(metrics[kind]);
      }
      expect(metrics.cpu_percent).toBeLessThanOrEqual(100);
    }
  });

  it('`tokens`: cumulative, with their sum', () => {
    const { cpu_utilization, cpu_memory, gpu_memory, total } = ended.tokens;
    expect(cpu_utilization + cpu_memory + gpu_memory).toBeCloseTo(total, 3);
    expect(ended.tokens.total).toBeGreaterThanOrEqual(running.tokens.total);
  });

  it('`componentStats` entry: `calls`, `totalSeconds`, `maxSeconds`', () => {
    expect(Object.keys(running.componentStats).sort()).toEqual(['in', 'obey', 'out']);
    for (const { calls, totalSeconds, maxSeconds } of Object.values(running.componentStats)) {
      expect(Number.isInteger(calls) && calls > 0).toBe(true);
      expect(totalSeconds).toBeGreaterThanOrEqual(maxSeconds);
    }
  });

  it('`slowestDocs` entry: `name`, `elapsed`, `beginTime`, `beginSeq`; slowest first', () => {
    const elapsed = running.slowestDocs.map((each) => each.elapsed);
    expect(elapsed).toEqual([...elapsed].sort((a, b) => b - a));
    for (const each of running.slowestDocs) {
      expect(each).toEqual({
        name: expect.stringMatching(/\.txt$/) as string,
        elapsed: number,
        beginTime: number,
        beginSeq: number,
      });
    }
  });

  it('run analytics only with tracing', async () => {
    const { token } = await session.client.use({ pipeline: { ...obeying, project_id: 'untraced' } });
    await session.client.send(token, 'x');
    expect(await session.client.getTaskStatus(token)).toMatchObject({
      componentStats: {},
      slowestDocs: [],
      completionSeconds: 0,
      idleSeconds: 0,
    });
  });

  it('the idle time that is still open is extended', async () => {
    const { client } = session;
    const pipeline = { ...obeying, project_id: 'idle' };
    const { token } = await client.use({ pipeline, pipelineTraceLevel: 'metadata' });
    await client.send(token, 'x');
    const first = (await client.getTaskStatus(token)).idleSeconds;
    await expect.poll(async () => (await client.getTaskStatus(token)).idleSeconds).toBeGreaterThan(first);
    const { idleLongestSeconds, idleLongestAt } = await client.getTaskStatus(token);
    expect(idleLongestSeconds).toBeGreaterThan(0);
    expect(idleLongestAt).toBeGreaterThan(before);
  });
});
