import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskStatus } from '../../protocol/status.js';
import { alice, obeyPipeline, sendText, testTasks } from '../../test/support/tasks.js';
import { builtWorker } from '../../test/support/worker.js';
import type { OpenPipe } from './service.js';

const options = builtWorker();
const makeTasks = testTasks(options);
const arrows = ['0>1', '1>2', '2>3', '3>3', '3>4', '4>5', '4>6'];

describe('a task under any order of requests', () => {
  const step = fc.record({
    kind: fc.constantFrom(
      'send',
      'send',
      'fail',
      'open',
      'write',
      'close',
      'abandon',
      'cancel',
      'restart',
      'turn',
      'turn',
    ),
    which: fc.nat(3),
  });

  it('answers each, moves along the arrows, and accounts for every object', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.boolean(), async (steps, kill) => {
        const { tasks, sink, start } = makeTasks();
        const task = await start(obeyPipeline({ openMs: 1 }), { threads: 2 });
        const requests: Promise<unknown>[] = [];
        const pipes: OpenPipe[] = [];
        const problems: string[] = [];
        const request = (work: Promise<unknown>): void => void requests.push(work.catch((thrown: unknown) => thrown));
        const look = (): TaskStatus => {
          const status = task.status();
          if (status.completedCount + status.failedCount > status.totalCount)
            problems.push('more ended than there are');
          return status;
        };
        for (const { kind, which } of steps) {
          const pipe = pipes[which];
          if (kind === 'send') request(sendText(task, 'text'));
          else if (kind === 'fail') request(sendText(task, 'fail of me'));
          else if (kind === 'open' || kind === 'cancel') {
            const cancels: (() => void)[] = [];
            const cancellation = {
              cancelled: false,
              onCancel: (call: () => void) => (cancels.push(call), () => undefined),
            };
            const opening = task.open({ object: {}, mimeType: 'text/plain', dialect: 'spec' }, cancellation);
            request(opening.then((opened) => pipes.push(opened)));
            if (kind === 'cancel') {
              cancellation.cancelled = true;
              for (const cancel of cancels) cancel();
            }
          } else if (kind === 'write' && pipe !== undefined) request(pipe.write(Buffer.from('piece')));
          else if (kind === 'close' && pipe !== undefined) request(pipe.close());
          else if (kind === 'abandon' && pipe !== undefined) request(pipe.abandon('not wanted'));
          else if (kind === 'restart' && which === 0)
            request(tasks.restart(alice, { token: task.info.token }, obeyPipeline({ openMs: 1 })));
          else await new Promise((resolve) => setTimeout(resolve, 2));
          look();
        }
        if (kill) request(task.terminate());
        for (const pipe of pipes) request(pipe.close());
        // Whoever still waits for a pipe gets one as those before are closed, and closes it in turn.
        for (let at = 0; at < requests.length; at++) {
          let settled = false;
          const done = requests[at]?.then(() => (settled = true));
          while (!settled) {
            for (const pipe of pipes.splice(0)) request(pipe.close());
            await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 2))]);
          }
        }
        if (!task.ended) {
          for (const pipe of pipes.splice(0)) await pipe.close().catch(() => undefined);
          await sendText(task, 'last');
        }
        await task.terminate();
        const { totalCount, completedCount, failedCount } = look();
        expect(completedCount + failedCount).toBe(totalCount);
        expect(problems).toEqual([]);
        let state = 0;
        for (const update of sink.bodies('apaevt_status_update')) {
          const next = update.state as number;
          const restarts = next === 1 && (state === 0 || state === 5 || state === 6);
          if (!restarts && next !== state) expect(arrows).toContain(`${state}>${next}`);
          state = next;
        }
        expect(state).toBe(6);
        await tasks.dispose();
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });
});
