import fc from 'fast-check';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { TaskState } from '../../protocol/status.js';
import { counterNames } from '../worker/messages.js';
import { RunAnalytics } from './analytics.js';
import { makeSampler, UsageMeter } from './metrics.js';
import { RunStatus } from './status.js';

const counters = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(counterNames.length * 8);
  values.forEach((value, at) => bytes.writeDoubleLE(value, at * 8));
  return bytes;
};
const current = (status: RunStatus, now = 1) => status.current(now, new RunAnalytics([]), new UsageMeter());

describe('the status of a run', () => {
  it('keeps the newest 50 errors and warnings', () => {
    const status = new RunStatus('n', 'p', 's');
    for (let at = 0; at < 70; at++) status.takeNotes({ errors: [`e${at}`], warnings: [`w${at}`, `v${at}`] });
    const { errors, warnings } = current(status);
    expect([errors.length, errors[0], errors.at(-1)]).toEqual([50, 'e20', 'e69']);
    expect([warnings.length, warnings[0], warnings.at(-1)]).toEqual([50, 'w45', 'v69']);
  });

  it('never shows more objects ended than there are, and as many once all have ended', () => {
    const step = fc.constantFrom('begin', 'complete', 'fail', 'lose');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const status = new RunStatus('n', 'p', 's');
        let [open, completed, failed, lost] = [0, 0, 0, 0];
        for (const kind of steps) {
          if (kind === 'begin') {
            status.began('o', 10);
            open++;
          } else if (kind === 'lose') {
            status.loseOpen();
            lost += open;
            open = 0;
          } else if (open > 0) {
            if (kind === 'complete') completed++;
            else failed++;
            status.takeCounters(counters(completed, completed * 10, failed, failed * 10));
            status.ended(10);
            open--;
          }
          const shown = current(status);
          expect(shown.completedCount + shown.failedCount).toBe(shown.totalCount - open);
          expect(shown.completedSize + shown.failedSize).toBe(shown.totalSize - open * 10);
          expect(shown.failedCount).toBe(failed + lost);
        }
      }),
    );
  });

  it('has whole items and bytes per second over the last seconds, and none when it does not run', () => {
    const status = new RunStatus('n', 'p', 's');
    status.value.state = TaskState.RUNNING;
    for (let second = 0; second <= 20; second++) {
      status.takeCounters(counters(second * 3, second * 300));
      status.sampleRates(1000 + second);
    }
    expect(current(status)).toMatchObject({ rateCount: 3, rateSize: 300 });
    for (let second = 21; second <= 30; second++) status.sampleRates(1000 + second);
    expect(current(status)).toMatchObject({ rateCount: 0, rateSize: 0 });
    status.value.state = TaskState.STOPPING;
    expect(current(status)).toMatchObject({ rateCount: 0 });
  });

  it('is a copy that does not change any more', () => {
    const status = new RunStatus('n', 'p', 's');
    const before = current(status);
    status.takeSnapshot({ totalPipes: 2, byPipe: { 0: ['a'] }, currentObject: 'o', currentSize: 7 });
    expect(before.pipeflow).toEqual({ totalPipes: 0, byPipe: {} });
    expect(current(status)).toMatchObject({
      pipeflow: { totalPipes: 2, byPipe: { 0: ['a'] } },
      currentObject: 'o',
      currentSize: 7,
    });
  });
});

describe('the use of the machine', () => {
  it('gives current, peak and average values', () => {
    const meter = new UsageMeter();
    const cpus = availableParallelism();
    meter.add({ cpuPercent: 100 * cpus, memoryMb: 100, gpuMb: 10 }, 1);
    meter.add({ cpuPercent: 50 * cpus, memoryMb: 300, gpuMb: 0 }, 3);
    expect(meter.current()).toEqual({
      cpu_percent: 50,
      cpu_memory_mb: 300,
      gpu_memory_mb: 0,
      peak_cpu_percent: 100,
      peak_cpu_memory_mb: 300,
      peak_gpu_memory_mb: 10,
      avg_cpu_percent: 62.5 * cpus,
      avg_cpu_memory_mb: 250,
      avg_gpu_memory_mb: 2.5,
    });
  });

  it('is charged by the formulas of the wire', () => {
    const meter = new UsageMeter();
    meter.add({ cpuPercent: 150, memoryMb: 2048, gpuMb: 512 }, 600);
    expect(meter.tokens()).toEqual({
      cpu_utilization: 255,
      cpu_memory: 33.3,
      gpu_memory: 178.3,
      gpu_inference: 0,
      custom: {},
      total: 466.6,
    });
    expect(new UsageMeter().tokens().total).toBe(0);
  });

  it('never shows more than the whole machine', () => {
    const meter = new UsageMeter();
    meter.add({ cpuPercent: 1e6, memoryMb: 1, gpuMb: 0 }, 1);
    expect(meter.current().cpu_percent).toBe(100);
  });

  it('is measured for this very process, and for none that is gone', async () => {
    const sampler = makeSampler();
    const first = await sampler.sample(process.pid);
    expect(first?.memoryMb).toBeGreaterThan(10);
    const until = performance.now() + 100;
    while (performance.now() < until);
    const second = await sampler.sample(process.pid);
    expect(second?.cpuPercent).toBeGreaterThan(0);
    expect(await sampler.sample(2 ** 22 + 12345)).toBeUndefined();
    sampler.forget(process.pid);
  });
});
