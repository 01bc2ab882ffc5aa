import { describe, expect, it } from 'vitest';
import { TaskState } from '../../protocol/status.js';
import { runningCount, taskNodes, taskTooltip } from './taskItems.js';
import { endedStatus, entryOf, online, statusOf } from './testing/entries.js';
import { TestConnection } from './testing/connections.js';

const now = 1185;

function only(...args: Parameters<typeof entryOf>) {
  const [node] = taskNodes([entryOf(...args)], now);
  if (node === undefined) throw new Error('There is no node');
  return node;
}

const lines = (node: ReturnType<typeof only>): string[] =>
  (node.children?.() ?? []).map(({ label, description }) => `${label}: ${description}`);

describe('a task in its tree', () => {
  it('shows its state, rate and counts, and offers what a live task can do', () => {
    const status = statusOf({ rateCount: 12, completedCount: 1234, failedCount: 3, totalCount: 1300, errors: ['e'] });
    const node = only({ id: 'a.in', name: 'echo.Webhook', status });
    expect(node).toMatchObject({
      label: 'echo.Webhook',
      description: 'Running · 12/s · 1,234 done · 3 failed',
      contextValue: 'task live',
      icon: { id: 'warning' },
      command: { id: 'millrace.task.showLiveView' },
      spoken: 'echo.Webhook, Running, 12/s, 1,234 done, 3 failed',
    });
  });

  it('has its figures below it', () => {
    const status = statusOf({
      completedCount: 2,
      totalCount: 4,
      completedSize: 1500,
      totalSize: 4000,
      rateCount: 1,
      rateSize: 700,
      currentObject: 'a.pdf',
      currentSize: 2500,
      metrics: { ...statusOf().metrics, cpu_percent: 12.4, cpu_memory_mb: 88.7 },
    });
    expect(lines(only({ id: 'a.in', status }))).toEqual([
      'Objects: 2 done, 4 in all',
      'Data: 1.5 kB of 4.0 kB',
      'Rate: 1/s, 700 B/s',
      'Now: a.pdf (2.5 kB)',
      'Load: 12 % CPU, 89 MB',
      'Uptime: 3 min 5 s',
    ]);
  });

  it('shows the latest errors and warnings, the newest first', () => {
    const errors = Array.from({ length: 8 }, (_, i) => `error ${i}`);
    const children = only({ id: 'a.in', status: statusOf({ errors, warnings: ['careful'] }) }).children?.() ?? [];
    const [first, second] = children.slice(-2);
    expect([first?.label, first?.description]).toEqual(['Errors', '8, the latest 5']);
    expect(first?.children?.().map(({ label }) => label)).toEqual([7, 6, 5, 4, 3].map((i) => `error ${i}`));
    expect(second?.children?.().map(({ label }) => label)).toEqual(['careful']);
  });

  it('says how it ended', () => {
    const failed = only({ id: 'a.in', status: endedStatus({ exitCode: 3, exitMessage: 'The worker crashed' }) });
    expect(failed).toMatchObject({ description: 'Failed', contextValue: 'task', icon: { id: 'error' } });
    expect(lines(failed)).toContain('End: The worker crashed');
    expect(lines(failed)).toContain('Duration: 1 min 40 s');
    const stopped = only({ id: 'b.in', status: endedStatus() });
    expect(stopped).toMatchObject({ description: 'Stopped', icon: { id: 'circle-slash' } });
    const done = only({ id: 'c.in', status: endedStatus({ state: TaskState.COMPLETED }) });
    expect(done).toMatchObject({ description: 'Completed', icon: { id: 'pass' } });
  });

  it('tells the states of a run apart in words, not only in colours', () => {
    const texts = [TaskState.STARTING, TaskState.INITIALIZING, TaskState.STOPPING, TaskState.CANCELLED].map(
      (state) => only({ id: 'a.in', status: statusOf({ state }) }).description,
    );
    expect(texts).toEqual(['Starting', 'Starting', 'Stopping', 'Restarting']);
  });

  it('offers nothing until its token is known', () => {
    const node = only({ id: 'a.in', token: '' });
    expect(node.contextValue).toBeUndefined();
    expect(node.command).toBeUndefined();
    expect(lines(node)).toEqual(['Status: Not heard of yet']);
  });

  it('says that nothing is known of it while the connection is lost', () => {
    const connection = online('Far');
    connection.down();
    const node = only({ id: 'a.in', status: statusOf({ completedCount: 4 }) }, connection);
    expect(node).toMatchObject({ description: 'Connection lost · 4 done', contextValue: 'task' });
    expect(only({ id: 'b.in', status: endedStatus() }, connection).description).toBe('Stopped');
  });

  it('has everything in its tooltip, and what others wrote only as text', () => {
    const status = statusOf({ errors: ['<b>bad</b> [x](command:y)'], completedCount: 2, totalCount: 2 });
    const text = taskTooltip(entryOf({ id: 'a.in', name: 'one | two', status }), now);
    expect(text).toContain('**one \\| two**');
    expect(text).toContain('| Objects | 2 done, 2 in all |');
    expect(text).toContain('| Project | project |');
    expect(text).toContain('- &lt;b\\>bad&lt;/b\\> \\[x\\]\\(command:y\\)');
  });
});

describe('the tree of tasks', () => {
  it('is empty without tasks, so that its welcome shows', () => {
    expect(taskNodes([], now)).toEqual([]);
    expect(runningCount([])).toBe(0);
  });

  it('has what runs first, and of both the newest first', () => {
    const tasks = ['a', 'b'].map((id) => entryOf({ id, status: statusOf() }));
    const ended = ['c', 'd'].map((id) => entryOf({ id, status: endedStatus() }));
    expect(taskNodes([...tasks, ...ended], now).map(({ label }) => label)).toEqual(['b', 'a', 'd', 'c']);
    expect(runningCount([...tasks, ...ended])).toBe(2);
  });

  it('counts none as running that may be gone', () => {
    const lost = new TestConnection('Far');
    expect(runningCount([entryOf({ id: 'a', status: statusOf() }, lost)])).toBe(0);
  });

  it('holds a thousand tasks, each with an id of its own', () => {
    const connection = online();
    const tasks = Array.from({ length: 1000 }, (_, i) => entryOf({ id: `t${i}`, status: statusOf() }, connection));
    const nodes = taskNodes(tasks, now);
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(1000);
    const below = nodes.flatMap((node) => node.children?.() ?? []);
    expect(new Set([...nodes, ...below].map(({ id }) => id)).size).toBe(1000 + below.length);
  });
});
