import { beforeAll, describe, expect, it } from 'vitest';
import type { TaskStatus } from '../../client/typescript/src/index.js';
import { obeying } from '../support/pipelines.js';
import { eventually } from '../support/poll.js';
import { itWithPython, pythonDoor } from './python.js';
import { specSession } from './session.js';

const session = specSession();
const python = pythonDoor(session);
const number = expect.any(Number) as number;
const before = Date.now() / 1000;
let running: TaskStatus;
let ended: TaskStatus;
/** The numbers of the events that tell of the begin of an object. */
const begins = new Map<string, number>();

/** Six texts: four that work, one of them slow; one that fails; one that logs. */
beforeAll(async () => {
  const { client } = session;
  const pipeline = { ...obeying, name: 'Measured', project_id: 'measured' };
  const { token } = await client.use({ pipeline, threads: 1, pipelineTraceLevel: 'metadata' });
  const stop = client.listen(({ event, body }) => {
    const { op, pipes, seqNo } = body as { op: string; pipes: string[]; seqNo: number };
    if (event === 'apaevt_flow' && op === 'begin') begins.set(pipes[0] ?? '', seqNo);
  });
  await client.subscribe({ token }, ['flow']);
  for (const text of ['one', 'two', 'three', 'wait 300', 'fail on purpose', 'log a note']) {
    await client.send(token, text, { name: `${text}.txt` });
  }
  // The flow is told now and then.
  running = await eventually('the flow is known', async () => {
    const status = await client.getTaskStatus(token);
    return status.pipeflow.byPipe['0']?.length === 0 && status;
  });
  await client.ping();
  stop();
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
  totalCount: 6,
  completedCount: 5,
  failedCount: 1,
  totalSize: 44,
  completedSize: 29,
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

  it('`state`, `completed`, `exitCode`: of a task that was ended, and of one whose process failed', async () => {
    expect(ended).toMatchObject({ state: 6, completed: true, exitCode: 0 });
    const { token } = await session.client.use({ pipeline: { ...obeying, project_id: 'exits' } });
    await expect(session.client.send(token, 'exit 3')).rejects.toThrow();
    expect(await eventually('the task has ended', () => whenCompleted(token))).toMatchObject({
      exitCode: 3,
      exitMessage: expect.stringContaining('3') as string,
    });
  });

  it('`endTime`: 0.0 while the task runs, and the time of its end', () => {
    expect([running.endTime, running.completed]).toEqual([0, false]);
    expect(ended.endTime).toBeGreaterThan(0);
  });

  it('`currentObject` and `pipeflow`: what is being processed, and by which components', async () => {
    const { client } = session;
    const { token } = await client.use({ pipeline: { ...obeying, project_id: 'hangs' }, threads: 1 });
    const sent = client.send(token, 'hang', { name: 'endless.txt' }).catch(() => undefined);
    const status = await eventually('the object is under way', async () => {
      const found = await client.getTaskStatus(token);
      return found.pipeflow.byPipe['0']?.includes('obey') === true && found;
    });
    expect(status).toMatchObject({
      currentObject: 'endless.txt',
      totalCount: 1,
      completedCount: 0,
      pipeflow: { totalPipes: 1, byPipe: { '0': ['obey'] } },
    });
    await client.terminate(token);
    await sent;
  });

  it('`rateCount` and `rateSize`: items and bytes per second', async () => {
    const { client } = session;
    const { token } = await client.use({ pipeline: { ...obeying, project_id: 'rates' } });
    const text = 'x'.repeat(1000);
    const { rateCount, rateSize, completedCount, startTime } = await eventually('there is a rate', async () => {
      for (let count = 0; count < 20; count++) await client.send(token, text);
      const status = await client.getTaskStatus(token);
      return status.rateCount > 1 && Date.now() / 1000 > status.startTime + 1 && status;
    });
    // More than a second has passed, and what was measured is most of it.
    expect(rateCount).toBeLessThanOrEqual(4 * completedCount);
    expect(startTime).toBeGreaterThan(before);
    expect(rateSize / rateCount).toBeGreaterThan(500);
    expect(rateSize / rateCount).toBeLessThan(2000);
    await client.terminate(token);
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

  it('`metrics` and `tokens` grow with the work, the tokens cumulatively and with their sum', async () => {
    const { client } = session;
    const { token } = await client.use({ pipeline: { ...obeying, project_id: 'burns' } });
    const whenAbove = (least: number) =>
      eventually('the work was measured', async () => {
        await client.send(token, 'burn 300');
        const found = await client.getTaskStatus(token);
        return found.tokens.cpu_utilization > least && found.metrics.cpu_percent > 0 && found;
      });
    const first = await whenAbove(0);
    expect(first.metrics.cpu_memory_mb).toBeGreaterThan(1);
    const second = await whenAbove(first.tokens.cpu_utilization);
    await client.terminate(token);
    const last = await client.getTaskStatus(token);
    expect(last.tokens.total).toBeGreaterThanOrEqual(second.tokens.total);
    for (const { tokens } of [first, second, last]) {
      const { cpu_utilization, cpu_memory, gpu_memory, total } = tokens;
      expect(cpu_utilization + cpu_memory + gpu_memory).toBeCloseTo(total, 3);
    }
  });

  it('`componentStats` entry: `calls`, `totalSeconds`, `maxSeconds`', () => {
    expect(Object.keys(running.componentStats).sort()).toEqual(['in', 'obey', 'out']);
    for (const { calls, totalSeconds, maxSeconds } of Object.values(running.componentStats)) {
      expect(Number.isInteger(calls) && calls > 0).toBe(true);
      expect(totalSeconds).toBeGreaterThanOrEqual(maxSeconds);
    }
    const { obey, out } = running.componentStats;
    expect(obey?.maxSeconds).toBeGreaterThan(0.29);
    expect(obey?.totalSeconds).toBeLessThan(Date.now() / 1000 - before);
    // What failed did not reach it.
    expect(out?.calls).toBeLessThan(obey?.calls ?? 0);
  });

  it('`slowestDocs` entry: `name`, `elapsed`, `beginTime`, `beginSeq`; slowest first', () => {
    const { slowestDocs, startTime } = running;
    expect(slowestDocs).toHaveLength(6);
    expect(slowestDocs[0]?.name).toBe('wait 300.txt');
    expect(slowestDocs[0]?.elapsed).toBeGreaterThan(0.29);
    const elapsed = slowestDocs.map((each) => each.elapsed);
    expect(elapsed).toEqual([...elapsed].sort((a, b) => b - a));
    for (const each of slowestDocs) {
      expect(Object.keys(each).sort()).toEqual(['beginSeq', 'beginTime', 'elapsed', 'name']);
      expect(each.beginTime).toBeGreaterThan(startTime);
      expect(each.beginTime + each.elapsed).toBeLessThan(Date.now() / 1000);
      expect(each.beginSeq).toBe(begins.get(each.name));
    }
  });

  it('`completionSeconds`: the sum of all completions', () => {
    const sum = running.slowestDocs.reduce((all, { elapsed }) => all + elapsed, 0);
    expect(running.completionSeconds).toBeCloseTo(sum, 3);
  });

  it('run analytics only with tracing', async () => {
    const { token } = await session.client.use({ pipeline: { ...obeying, project_id: 'untraced' } });
    await session.client.send(token, 'x');
    expect(await session.client.getTaskStatus(token)).toMatchObject({
      componentStats: {},
      slowestDocs: [],
      completionSeconds: 0,
      idleSeconds: 0,
      idleLongestSeconds: 0,
      idleLongestAt: 0,
    });
  });

  it('the idle time that is still open is extended', async () => {
    const { client } = session;
    const pipeline = { ...obeying, project_id: 'idle' };
    const { token } = await client.use({ pipeline, pipelineTraceLevel: 'metadata' });
    const unused = { completionSeconds: 0, idleLongestAt: 0 };
    expect(await client.getTaskStatus(token)).toMatchObject(unused);
    const sent = Date.now() / 1000;
    await client.send(token, 'x');
    const began = Date.now() / 1000;
    const first = (await client.getTaskStatus(token)).idleSeconds;
    await expect.poll(async () => (await client.getTaskStatus(token)).idleSeconds).toBeGreaterThan(first + 0.2);
    const { idleSeconds } = await client.getTaskStatus(token);
    expect(idleSeconds).toBeLessThan(Date.now() / 1000 - before);
    await client.send(token, 'x');
    const { idleLongestSeconds, idleLongestAt } = await client.getTaskStatus(token);
    expect(idleLongestSeconds).toBeGreaterThan(0.19);
    expect(idleLongestSeconds).toBeLessThanOrEqual((await client.getTaskStatus(token)).idleSeconds);
    expect(idleLongestAt).toBeGreaterThanOrEqual(sent);
    expect(idleLongestAt).toBeLessThanOrEqual(began);
  });

  itWithPython('Python: `get_task_status` gives the same fields', async () => {
    const { token } = await session.client.use({ pipeline: { ...obeying, project_id: 'python' } });
    const status = await session.client.getTaskStatus(token);
    const told = (await python.coroutine('return await client.get_task_status(token)', { token })) as TaskStatus;
    expect(Object.keys(told).sort()).toEqual(Object.keys(status).sort());
    expect(told).toMatchObject({ state: 3, completed: false, startTime: status.startTime, project_id: 'python' });
  });
});

async function whenCompleted(token: string): Promise<TaskStatus | false> {
  const status = await session.client.getTaskStatus(token);
  return status.completed && status;
}
