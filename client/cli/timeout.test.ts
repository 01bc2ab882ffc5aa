import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Terminal } from './testing/terminal.js';

const pipeline = path.resolve(import.meta.dirname, '..', '..', 'examples', 'documents.json');
let shell: Terminal;

beforeEach(() => {
  shell = new Terminal();
});
afterEach(() => void vi.useRealTimers());

describe('a server that never answers', () => {
  /** Runs a command until it waits for the answer to `command` of the server, which never comes. */
  const runUntil = async (command: string, args: readonly string[]) => {
    vi.useFakeTimers();
    for (const silent of [command, 'deauth']) shell.server.on(silent, () => new Promise(() => undefined));
    const ended = vi.fn();
    const running = shell.run([...args]).then(ended);
    await expect.poll(() => shell.server.calls(command)).toHaveLength(1);
    return { ended, running };
  };

  /** The command gives up after so many milliseconds, and ends with its good-bye, which takes a second more. */
  const expectEnd = async ({ ended, running }: Awaited<ReturnType<typeof runUntil>>, ms: number, code: number) => {
    await vi.advanceTimersByTimeAsync(ms - 100);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1200);
    await expect.poll(() => ended.mock.calls).toEqual([[code]]);
    await running;
    expect(shell.server.sockets).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  };

  const orders: [string, string, readonly string[]][] = [
    ['list', 'get_tasks', ['list']],
    ['status --once', 'get_task_status', ['status', '--once', '--token', 'T1']],
    ['status', 'get_task_status', ['status', '--token', 'T1']],
    ['events', 'monitor', ['events']],
    ['stop', 'terminate', ['stop', '--token', 'T1']],
    ['validate', 'validate', ['validate', pipeline]],
    ['services', 'services', ['services']],
    ['services webhook', 'services', ['services', 'webhook']],
    ['store dir', 'store', ['store', 'dir']],
    ['store write', 'store', ['store', 'write', 'x', '--content', 'x']],
  ];

  it.each(orders)('is given a minute by %s', async (_, command, args) => {
    await expectEnd(await runUntil(command, args), 60_000, 1);
    expect(shell.stderr).toMatch(/^error: \w+ was not answered within 60 s\n {2}→ Raise the timeout, .+\n$/);
  });

  it.each(orders)('is given the time of --timeout by %s', async (_, command, args) => {
    await expectEnd(await runUntil(command, [...args, '--timeout', '1']), 1000, 1);
    expect(shell.stderr).toContain('was not answered within 1 s\n');
  });

  const work: [string, string, readonly string[], number][] = [
    ['send', 'process', ['send', '--token', 'T1', 'x'], 1],
    ['pipe', 'process', ['pipe', '--token', 'T1'], 1],
    ['chat', 'process', ['chat', '--token', 'T1', 'x'], 1],
    ['upload', 'process', ['upload', '--token', 'T1', pipeline], 5],
  ];

  it.each(work)('is given all the time it wants by %s', async (_, command, args) => {
    const { ended, running } = await runUntil(command, args);
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(ended).not.toHaveBeenCalled();
    shell.controller.abort();
    await vi.advanceTimersByTimeAsync(12_000);
    await running;
    expect(ended).toHaveBeenCalledExactlyOnceWith(130);
  });

  it.each(work)('is given the time of --timeout by %s too', async (_, command, args, code) => {
    await expectEnd(await runUntil(command, [...args, '--timeout', '1']), 1000, code);
    expect(shell.stderr + shell.stdout).toContain('was not answered within 1 s\n');
  });

  it.each(['get_tasks', 'get_task_status'])('is given all the time it wants with --timeout 0: %s', async (command) => {
    const args = command === 'get_tasks' ? ['list'] : ['status', '--once', '--token', 'T1'];
    const { ended, running } = await runUntil(command, [...args, '--timeout', '0']);
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(ended).not.toHaveBeenCalled();
    shell.controller.abort();
    await vi.advanceTimersByTimeAsync(3000);
    await running;
  });

  it('is given more time than any timer runs', async () => {
    const { ended, running } = await runUntil('get_tasks', ['list', '--timeout', '1e30']);
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(ended).not.toHaveBeenCalled();
    shell.controller.abort();
    await vi.advanceTimersByTimeAsync(3000);
    await running;
  });

  it('is given all the time it wants by a start, unless there is --timeout, and then ten seconds more to end it', async () => {
    const waiting = await runUntil('execute', ['start', pipeline]);
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(waiting.ended).not.toHaveBeenCalled();
    shell.controller.abort();
    await vi.advanceTimersByTimeAsync(12_000);
    await waiting.running;
    vi.useRealTimers();
    shell = new Terminal();
    await expectEnd(await runUntil('execute', ['start', pipeline, '--timeout', '1']), 11_000, 1);
    expect(shell.stderr).toMatch(/^error: The start was not answered within 1 s\n {2}→ Raise the timeout, .+\n$/);
  });

  it.each([
    ['ends a task of its own', ['send', '--pipeline', pipeline, 'x'], [{ token: 'tk_late' }]],
    ['ends a task that would stay', ['start', pipeline], [{ token: 'tk_late' }]],
    ['leaves a task alone that may have been joined', ['start', pipeline, '--use-existing'], []],
  ])('when it answers a start too late, the command %s', async (_, args, terminated) => {
    vi.useFakeTimers();
    shell.server.on('execute', () => new Promise((done) => setTimeout(() => done({ token: 'tk_late' }), 5000)));
    shell.server.on('terminate', () => undefined);
    const running = shell.run([...args, '--timeout', '1']);
    await expect.poll(() => shell.server.calls('execute')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5100);
    expect(await running).toBe(1);
    expect(shell.server.calls('terminate').map((call) => call.arguments)).toEqual(terminated);
    expect([shell.stdout, shell.server.sockets]).toEqual(['', []]);
  });
});
