import { describe, expect, it } from 'vitest';
import { TaskState } from '../../protocol/status.js';
import { alice, bob, obeyPipeline, sendText, testTasks } from '../../test/support/tasks.js';
import { waitFor } from '../../test/support/waitFor.js';
import { builtWorker } from '../../test/support/worker.js';

const options = builtWorker();
const makeTasks = testTasks(options);

describe('a start', () => {
  it('gives a task that answers, under a token nobody can guess', async () => {
    const { tasks, start } = makeTasks();
    const task = await start(obeyPipeline());
    expect(task.info).toMatchObject({ projectId: 'project', source: 'in', provider: 'webhook' });
    expect(task.info.token).toMatch(/^tk_[\w-]{43}$/);
    expect(task.info.publicToken).toMatch(/^pk_[\w-]{43}$/);
    expect(task.info.id).toBe(`${task.info.token.slice(3, 11)}.in`);
    expect(await sendText(task, 'hello')).toMatchObject({ text: ['hello\n\n'], result_types: ['text'] });
    expect(tasks.list(alice)).toHaveLength(1);
  });

  it('makes one task of 16 simultaneous starts that use an existing one', async () => {
    const { tasks, sink } = makeTasks();
    const starts = Array.from({ length: 16 }, () =>
      tasks.start(alice, { pipeline: obeyPipeline(), token: 'shared', useExisting: true }),
    );
    const infos = await Promise.all(starts);
    expect(new Set(infos.map(({ token, publicToken }) => `${token} ${publicToken}`)).size).toBe(1);
    expect(sink.bodies('apaevt_task').filter(({ action }) => action === 'begin')).toHaveLength(1);
  });

  it('is refused while a task with the token runs, and accepted when it has ended', async () => {
    const { tasks, start } = makeTasks();
    const first = await start(obeyPipeline(), { token: 'mine' });
    await expect(start(obeyPipeline(), { token: 'mine' })).rejects.toMatchObject({
      code: 'task_exists',
      message: 'Pipeline is already running.',
    });
    await first.terminate();
    const second = await start(obeyPipeline(), { token: 'mine' });
    expect(second).not.toBe(first);
    expect(await sendText(second, 'again')).toMatchObject({ text: ['again\n\n'] });
    expect(tasks.list(alice)).toHaveLength(1);
    expect(tasks.credential(first.info.publicToken)).toBeUndefined();
  });

  it('that fails says which component refused and why, and leaves nothing behind', async () => {
    const { tasks } = makeTasks();
    const start = tasks.start(alice, { pipeline: obeyPipeline({ refuse: 'no disk' }), token: 'bad' });
    await expect(start).rejects.toMatchObject({ code: 'start_failed', message: 'Component "obey" (obey): no disk' });
    expect(tasks.list(alice)).toEqual([]);
    expect(() => tasks.find(alice, 'bad')).toThrow('Your pipeline is not running');
  });

  it('that is terminated half-way fails with a reason', async () => {
    const { tasks } = makeTasks();
    const start = tasks.start(alice, { pipeline: obeyPipeline({ spin: true }), token: 'slow' });
    const outcome = start.then(
      () => 'started',
      (thrown: unknown) => thrown,
    );
    await waitFor(() => tasks.find(alice, 'slow').state === TaskState.INITIALIZING, 'the components start');
    await tasks.find(alice, 'slow').terminate();
    expect(await outcome).toMatchObject({
      code: 'start_failed',
      message: 'The task was stopped while it started',
    });
  });
});

describe('a token', () => {
  it('of one key is unknown to every other', async () => {
    const { tasks, start } = makeTasks();
    const task = await start(obeyPipeline(), { token: 'word' });
    expect(() => tasks.find(bob, 'word')).toThrow('Your pipeline is not running');
    expect(tasks.list(bob)).toEqual([]);
    expect(tasks.summaries(bob)).toEqual([]);
    expect(tasks.findByProject(bob, 'project', 'in')).toBeUndefined();
    const { token } = await tasks.start(bob, { pipeline: obeyPipeline(), token: 'word' });
    expect(tasks.find(bob, token)).not.toBe(task);
    expect(tasks.find(alice, 'word')).toBe(task);
  });

  it('that was made here is a credential for its task; one that was chosen is not', async () => {
    const { tasks, start } = makeTasks();
    const [made, chosen] = await Promise.all([
      start(obeyPipeline()),
      start(obeyPipeline({}, 'other'), { token: 'tk_1' }),
    ]);
    expect(tasks.credential(made.info.token)).toEqual({ kind: 'task', keyId: 'alice', token: made.info.token });
    expect(tasks.credential(made.info.publicToken)).toEqual({
      kind: 'public',
      keyId: 'alice',
      token: made.info.token,
    });
    expect(tasks.credential('tk_1')).toBeUndefined();
    expect(tasks.credential(chosen.info.publicToken)).toMatchObject({ kind: 'public', token: 'tk_1' });
    expect(tasks.list({ kind: 'task', keyId: 'alice', token: made.info.token })).toEqual([made]);
  });
});

describe('terminate', () => {
  it('ends in a final state, which is kept for five minutes and then forgotten', async () => {
    const { tasks, start, forward, sink } = makeTasks();
    const task = await start(obeyPipeline());
    await task.terminate();
    expect(task.status()).toMatchObject({
      state: TaskState.CANCELLED,
      completed: true,
      status: 'Stopped',
      exitCode: 0,
      serviceUp: false,
    });
    await task.terminate();
    await expect(sendText(task, 'late')).rejects.toMatchObject({ code: 'task_failed' });
    forward(290);
    expect(tasks.find(alice, task.info.token)).toBe(task);
    forward(20);
    await waitFor(() => tasks.list(alice).length === 0, 'the task is forgotten');
    expect(() => tasks.find(alice, task.info.token)).toThrow('Your pipeline is not running');
    expect(tasks.credential(task.info.token)).toBeUndefined();
    expect(sink.gone.map(({ id }) => id)).toEqual([task.info.id]);
  });

  it('counts an object under way as failed', async () => {
    const { start } = makeTasks();
    const task = await start(obeyPipeline());
    const pipe = await task.open({ object: { name: 'stuck' }, mimeType: 'text/plain', dialect: 'spec' });
    const writing = pipe.write(Buffer.from('hang'));
    writing.catch(() => undefined);
    await task.terminate();
    await expect(writing).rejects.toMatchObject({ code: 'task_stopping' });
    await expect(pipe.close()).rejects.toMatchObject({ code: 'task_failed' });
    expect(task.status()).toMatchObject({ totalCount: 1, completedCount: 0, failedCount: 1 });
  });
});

describe('restart', () => {
  it('keeps token, project, source and start time, takes the new pipeline, and never says completed', async () => {
    const { tasks, start, sink } = makeTasks();
    const task = await start(obeyPipeline());
    await sendText(task, 'one');
    const before = { ...task.info, startTime: task.status().startTime };
    const info = await tasks.restart(
      alice,
      { token: '*', projectId: 'project', source: 'in' },
      {
        ...obeyPipeline({ warn: 'new' }),
        project_id: 'another',
      },
    );
    expect({ ...info, startTime: task.status().startTime }).toEqual(before);
    expect(task.status()).toMatchObject({ state: TaskState.RUNNING, totalCount: 0, completedCount: 0 });
    expect(task.status().warnings).toEqual(['obey: new']);
    expect(await sendText(task, 'two')).toMatchObject({ text: ['two\n\n'] });
    const updates = sink.bodies('apaevt_status_update');
    expect(updates.filter(({ completed }) => completed === true)).toEqual([]);
    expect(sink.bodies('apaevt_task').map(({ action }) => action)).toEqual(['begin', 'restart']);
    expect(tasks.find(alice, before.token)).toBe(task);
  });

  it('asked for twice at once leaves one running worker', async () => {
    const { tasks, start, sink } = makeTasks();
    const task = await start(obeyPipeline());
    const restarts = [1, 2].map(() => tasks.restart(alice, { token: task.info.token }, obeyPipeline()));
    const outcomes = await Promise.allSettled(restarts);
    expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
    expect(await sendText(task, 'here')).toMatchObject({ text: ['here\n\n'] });
    await task.terminate();
    expect(sink.bodies('apaevt_task').filter(({ action }) => action === 'end')).toHaveLength(1);
    expect(task.state).toBe(TaskState.CANCELLED);
  });

  it('is undone by a terminate that comes while it is under way', async () => {
    const { tasks, start } = makeTasks();
    const task = await start(obeyPipeline());
    const restart = tasks.restart(alice, { token: task.info.token }, obeyPipeline());
    restart.catch(() => undefined);
    await task.terminate();
    await expect(restart).rejects.toMatchObject({ code: 'start_failed' });
    expect(task.ended).toBe(true);
    expect(task.status()).toMatchObject({ state: TaskState.CANCELLED, completed: true });
  });

  it('of a pipeline that cannot run changes nothing', async () => {
    const { tasks, start } = makeTasks();
    const task = await start(obeyPipeline());
    const broken = { source: 'in', components: [{ id: 'in', provider: 'nothing', config: {} }] };
    await expect(tasks.restart(alice, { token: task.info.token }, broken)).rejects.toThrow(/nothing/);
    await expect(tasks.restart(alice, { token: task.info.token }, undefined)).rejects.toThrow(
      'Missing pipeline configuration in restart request',
    );
    await expect(tasks.restart(alice, {}, obeyPipeline())).rejects.toThrow('Task token is required for restart');
    expect(await sendText(task, 'still here')).toMatchObject({ text: ['still here\n\n'] });
  });
});

describe('the idle limit', () => {
  it('ends a task without data and says so', async () => {
    const { start, forward } = makeTasks();
    const task = await start(obeyPipeline(), { ttl: 100 });
    forward(99);
    expect(await sendText(task, 'not yet')).toMatchObject({ text: ['not yet\n\n'] });
    forward(99);
    task.tick();
    expect(task.state).toBe(TaskState.RUNNING);
    forward(2);
    await task.whenEnded();
    expect(task.status()).toMatchObject({
      state: TaskState.CANCELLED,
      status: 'Stopped',
      exitMessage: 'No data for 100 s (ttl)',
    });
  });

  it('of zero means none, and an open pipe keeps a task alive', async () => {
    const { start, forward } = makeTasks();
    const [endless, piped] = await Promise.all([
      start(obeyPipeline(), { ttl: 0 }),
      start(obeyPipeline({}, 'other'), { ttl: 30 }),
    ]);
    const pipe = await piped.open({ object: {}, mimeType: 'text/plain', dialect: 'spec' });
    forward(50);
    endless.tick();
    piped.tick();
    expect([endless.state, piped.state]).toEqual([TaskState.RUNNING, TaskState.RUNNING]);
    await pipe.close();
  });

  it('closes a pipe that nobody has used for a minute, as failed, and frees it', async () => {
    const { start, forward } = makeTasks();
    const task = await start(obeyPipeline(), { threads: 1 });
    const request = { object: { name: 'left' }, mimeType: 'text/plain', dialect: 'spec' } as const;
    const pipe = await task.open(request);
    forward(61);
    task.tick();
    await expect(pipe.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'pipe_not_found' });
    await expect(pipe.close()).rejects.toThrow(/Close pipe with id 0 not found/);
    expect(await sendText(task, 'next')).toMatchObject({ text: ['next\n\n'] });
    expect(task.status()).toMatchObject({ totalCount: 2, completedCount: 1, failedCount: 1 });
    expect(task.status().errors).toEqual(['left: The pipe was closed after 60 s without activity']);
  });
});

describe('a source that makes its own objects', () => {
  const produce = (config: object): object => ({
    source: 'make',
    components: [
      { id: 'make', provider: 'produce', config },
      { id: 'obey', provider: 'obey', config: {}, input: [{ from: 'make', lane: 'text' }] },
    ],
  });

  it('completes the task when it is done', async () => {
    const { start } = makeTasks();
    const task = await start(produce({ count: 3 }));
    await task.whenEnded();
    expect(task.status()).toMatchObject({
      state: TaskState.COMPLETED,
      completed: true,
      status: 'Completed',
      completedCount: 3,
      totalCount: 3,
      exitCode: 0,
    });
    await expect(sendText(task, 'late')).rejects.toMatchObject({ code: 'task_ended' });
  });

  it('may be done at once', async () => {
    const { start } = makeTasks();
    const task = await start(produce({ count: 0 }));
    await task.whenEnded();
    expect(task.state).toBe(TaskState.COMPLETED);
  });

  it('fails the task with its reason, and is never idle while it works', async () => {
    const { start, forward } = makeTasks();
    const waiting = await start(produce({ wait: true }), { ttl: 1 });
    forward(100);
    waiting.tick();
    expect(waiting.state).toBe(TaskState.RUNNING);
    const failing = await start(produce({ count: 1, fail: 'the disk is gone' }));
    await failing.whenEnded();
    expect(failing.status()).toMatchObject({
      state: TaskState.CANCELLED,
      exitCode: 1,
      exitMessage: 'the disk is gone',
      errors: ['the disk is gone'],
    });
  });
});
