import { afterEach, describe, expect, it } from 'vitest';
import { MillraceError } from '../../protocol/errors.js';
import { TaskState } from '../../protocol/status.js';
import { obeyPipeline, sendText, testTasks } from '../../test/support/tasks.js';
import { waitFor } from '../../test/support/waitFor.js';
import { builtWorker } from '../../test/support/worker.js';
import { ToWorker } from '../worker/messages.js';
import type { Task } from './task.js';
import { WorkerPool } from './workerPool.js';
import { WorkerProcess } from './workerProcess.js';

const options = builtWorker();
const makeTasks = testTasks(options);
const started: WorkerProcess[] = [];

afterEach(async () => {
  for (const worker of started) worker.kill(new MillraceError('cancelled'));
  await Promise.all(started.splice(0).map((worker) => worker.exited));
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Sends `order` and waits for the end of the task, which has to come within five seconds; another keeps answering. */
async function ruin(order: string): Promise<{ task: Task; sent: unknown }> {
  const { start } = makeTasks();
  const [task, other] = await Promise.all([start(obeyPipeline()), start(obeyPipeline({}, 'other'))]);
  const begun = performance.now();
  const sent = sendText(task, order, 'poison').catch((thrown: unknown) => thrown);
  let ended = false;
  void task.whenEnded().then(() => (ended = true));
  while (!ended) {
    expect(await sendText(other, 'well')).toMatchObject({ text: ['well\n\n'] });
    expect(task.status().name).not.toBe('');
    expect(performance.now() - begun).toBeLessThan(5000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(task.status()).toMatchObject({
    state: TaskState.CANCELLED,
    completed: true,
    totalCount: 1,
    completedCount: 0,
    failedCount: 1,
    serviceUp: false,
  });
  expect(other.status()).toMatchObject({ state: TaskState.RUNNING, failedCount: 0 });
  return { task, sent: await sent };
}

describe('a task whose component', () => {
  it('blocks for ever ends with the name of the object, while another task answers', async () => {
    const { task, sent } = await ruin('block');
    const message = 'A component blocked the task for 2 s while processing "poison"';
    expect(task.status().exitMessage).toContain(message);
    expect(task.status().errors).toEqual([task.status().exitMessage]);
    expect(task.status().exitCode).toBe(1);
    expect(sent).toMatchObject({ code: 'task_failed', message: task.status().exitMessage });
  });

  it('uses up the memory ends and says what to do', async () => {
    const { task, sent } = await ruin('exhaust');
    expect(task.status().exitMessage).toContain('ran out of memory; raise --worker-memory');
    expect(sent).toMatchObject({ code: 'task_failed' });
  });

  it('exits ends with the exit code', async () => {
    const { task } = await ruin('exit 7');
    expect(task.status()).toMatchObject({ exitCode: 7, exitMessage: "The task's process ended with exit code 7" });
  });

  it('throws where nobody catches ends with the words of the error', async () => {
    const { start } = makeTasks();
    const task = await start(obeyPipeline());
    await sendText(task, 'loose').catch(() => undefined);
    await task.whenEnded();
    expect(task.status().exitMessage).toBe('A component failed outside an object: nobody caught this');
  });

  it.skipIf(process.platform === 'win32')('writes garbage into the channel ends, and the server lives', async () => {
    const { task } = await ruin('garbage');
    expect(task.status().exitMessage).not.toBe('');
  });

  it('throws on one object goes on with the next', async () => {
    const { start } = makeTasks();
    const task = await start(obeyPipeline());
    const results = await Promise.all([sendText(task, 'fail of me', 'a'), sendText(task, 'fine', 'b')]);
    expect(results).toMatchObject([
      { error: { message: 'of me', component: 'obey', code: 'component_failed' } },
      { text: ['fine\n\n'] },
    ]);
    expect(task.status()).toMatchObject({ completedCount: 1, failedCount: 1, totalCount: 2, errors: ['a: of me'] });
  });

  it('puts what is no JSON into the result fails that object only', async () => {
    const { start } = makeTasks();
    const task = await start(obeyPipeline());
    await expect(sendText(task, 'bigint')).rejects.toMatchObject({ code: 'component_failed' });
    expect(await sendText(task, 'next')).toMatchObject({ text: ['next\n\n'] });
  });

  it('leaves a process behind that holds the output open can still be ended', async () => {
    const { start } = makeTasks();
    const task = await start(obeyPipeline());
    const { text } = await sendText(task, 'orphan');
    const orphan = Number((text as string[])[0]);
    try {
      const begun = performance.now();
      await task.terminate();
      expect(performance.now() - begun).toBeLessThan(5000);
      expect(task.status().state).toBe(TaskState.CANCELLED);
      expect(isAlive(orphan)).toBe(true);
    } finally {
      process.kill(orphan, 'SIGKILL');
    }
  });
});

describe('a worker', () => {
  it.skipIf(process.platform === 'win32')(
    'killed from outside settles every request once, with the reason',
    async () => {
      const worker = new WorkerProcess(options());
      started.push(worker);
      await worker.ready;
      process.kill(worker.pid, 'SIGSTOP');
      const answers = Array.from({ length: 20 }, () =>
        worker.request(ToWorker.ping).then(
          () => 'answer',
          (thrown: Error) => thrown.message,
        ),
      );
      process.kill(worker.pid, 'SIGKILL');
      expect(await worker.exited).toEqual({ code: null, signal: 'SIGKILL' });
      expect(new Set(await Promise.all(answers))).toEqual(new Set(["The task's process was ended by SIGKILL"]));
      expect(worker.alive).toBe(false);
      await expect(worker.request(ToWorker.ping)).rejects.toMatchObject({ code: 'task_failed' });
      expect(worker.pendingCount).toBe(0);
    },
  );

  it('answers a ping and stops when asked', async () => {
    const worker = new WorkerProcess(options());
    started.push(worker);
    await worker.ready;
    expect((await worker.request(ToWorker.ping)).length).toBe(0);
    await worker.stop('enough', 5000);
    expect(await worker.exited).toEqual({ code: 0, signal: null });
    expect(isAlive(worker.pid)).toBe(false);
  });

  it('that cannot be loaded says so', async () => {
    const worker = new WorkerProcess({ ...options(), entry: `${options().entry}.missing` });
    started.push(worker);
    await expect(worker.ready).rejects.toMatchObject({ code: 'task_failed' });
  });

  it('does not see the environment of the server', async () => {
    process.env.MILLRACE_TEST_SECRET = 'secret';
    try {
      const lines: string[] = [];
      const worker = new WorkerProcess({
        ...options(),
        execArgv: ['-e', 'console.log(JSON.stringify(process.env))', '--'],
      });
      started.push(worker);
      worker.onOutput = (line) => lines.push(line);
      await worker.exited;
      const seen = JSON.parse(lines.join('')) as Record<string, string>;
      expect(seen.PATH).toBe(process.env.PATH);
      expect(JSON.stringify(seen)).not.toContain('secret');
    } finally {
      delete process.env.MILLRACE_TEST_SECRET;
    }
  });

  it('passes its output on line by line, the last one too', async () => {
    const { start, sink } = makeTasks();
    const task = await start(obeyPipeline());
    await sendText(task, 'log first ö\nsecond');
    await waitFor(() => sink.bodies('output').length === 2, 'the output is there');
    expect(sink.bodies('output')).toMatchObject([
      { category: 'console', output: 'first ö\n' },
      { category: 'console', output: 'second\n' },
    ]);
  });
});

describe('the pool', () => {
  it('keeps warm workers, never gives one out twice, and ends them all', async () => {
    const pool = new WorkerPool({ ...options(), warm: 2 });
    pool.warmUp();
    const taken = [pool.take(), pool.take(), pool.take()];
    expect(new Set(taken.map(({ pid }) => pid)).size).toBe(3);
    await Promise.all(taken.map((worker) => worker.ready));
    await pool.dispose();
    expect(taken.map(({ pid }) => isAlive(pid))).toEqual([false, false, false]);
    expect(() => pool.take()).toThrow('The server is shutting down');
  });

  it('lets spare workers go after a while without a start', async () => {
    const pool = new WorkerPool({ ...options(), warm: 1, warmSeconds: 0.1 });
    pool.warmUp();
    const first = pool.take();
    await first.ready;
    first.stop('enough', 1000).catch(() => undefined);
    expect(await first.exited).toMatchObject({ code: 0 });
    await pool.dispose();
  });
});
