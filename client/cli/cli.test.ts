import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createError } from '../typescript/src/errors.js';
import { Terminal } from './testing/terminal.js';

let folder = '';
let pipeline = '';
let shell: Terminal;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-cli-'));
  pipeline = path.join(folder, 'echo.pipe');
  await writeFile(pipeline, '{ components: [{ id: "a", provider: "webhook", config: {} }], source: "a" } // JSON5');
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  shell = new Terminal();
});
afterEach(() => void vi.useRealTimers());

const startTask = async (token = 'T1') => {
  expect(await shell.run(['start', pipeline, '--token', token])).toBe(0);
};

describe('millrace', () => {
  it('prints help with examples and exit codes', async () => {
    expect(await shell.run(['--help'])).toBe(0);
    expect(shell.stdout).toContain('Exit codes:');
    expect(shell.stdout).toContain('$ millrace start');
  });

  it('has help with examples and the global options for each command', async () => {
    await shell.run(['--help']);
    const names = [...shell.stdout.matchAll(/^ {2}([a-z]+)\b.* {2,}\S/gm)].map(([, name]) => name ?? '');
    const commands = names.filter((name) => name !== 'help');
    expect(commands).toEqual(
      expect.arrayContaining(['start', 'send', 'upload', 'pipe', 'chat', 'status', 'events', 'list', 'stop']),
    );
    for (const name of commands) {
      expect(await shell.run([name, '--help']), name).toBe(0);
      expect(shell.stdout, name).toContain('Examples:\n  $ millrace ');
      expect(shell.stdout, name).toContain('--apikey <key>');
    }
  });

  it('never shows the key of the environment in its help', async () => {
    await shell.run(['start', '--help'], { env: { MILLRACE_APIKEY: 'very-secret' } });
    expect(shell.stdout).not.toContain('very-secret');
  });

  it.each([
    ['an unknown command', ['dance']],
    ['an unknown option', ['list', '--dance']],
    ['a missing operand', ['start']],
    ['a number that is none', ['start', 'x.pipe', '--threads', 'many']],
    ['a time that is none', ['list', '--timeout', 'soon']],
    ['a time before now', ['list', '--timeout=-1']],
    ['a missing token', ['status']],
    ['an unknown event type', ['events', 'nonsense']],
    ['nothing to send', ['store', 'write', 'x']],
  ])('exits with 2 for %s and says so', async (_, args) => {
    expect(await shell.run(args)).toBe(2);
    expect(shell.stderr).toMatch(/^error: /);
    expect(shell.stderr).toContain('→');
    expect(shell.stdout).toBe('');
  });

  it('exits with 3 when there is no server', async () => {
    shell.server.down = true;
    expect(await shell.run(['list'])).toBe(3);
    expect(shell.stderr).toMatch(/^error: Could not connect.*\n {2}→ .*millrace-engine serve/);
  });

  it('exits with 3 when the server says nothing for half a minute', async () => {
    vi.useFakeTimers();
    shell.server.on('auth', () => new Promise(() => undefined));
    const ended = vi.fn();
    const running = shell.run(['list']).then(ended);
    await vi.advanceTimersByTimeAsync(29_900);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    await running;
    expect(ended).toHaveBeenCalledWith(3);
    expect(shell.stderr).toMatch(/^error: Could not connect to .+ within 30 s\n {2}→ .+\n$/);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not wait for a server that says nothing any more when it is interrupted', async () => {
    vi.useFakeTimers();
    for (const silent of ['get_tasks', 'deauth']) shell.server.on(silent, () => new Promise(() => undefined));
    const running = shell.run(['list']);
    await vi.advanceTimersByTimeAsync(100);
    expect(shell.server.calls('get_tasks')).toHaveLength(1);
    shell.controller.abort();
    await vi.advanceTimersByTimeAsync(3000);
    expect(shell.server.sockets).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(await running).toBe(130);
  });

  it('exits with 4 when the key is refused', async () => {
    expect(await shell.run(['list', '--apikey', 'wrong'])).toBe(4);
    expect(shell.stderr).toContain('error: Invalid API key\n  → Check the key');
  });

  it('takes global options before and after the command', async () => {
    await startTask();
    expect(await shell.run(['--json', '--token', 'T1', 'status', '--once'])).toBe(0);
    const before = shell.stdout;
    expect(await shell.run(['status', '--once', '--token', 'T1', '--json'])).toBe(0);
    expect(JSON.parse(shell.stdout)).toEqual(JSON.parse(before));
  });

  it('takes the token from MILLRACE_TOKEN', async () => {
    await startTask();
    expect(await shell.run(['send', 'Hi'], { env: { MILLRACE_TOKEN: 'T1' } })).toBe(0);
    expect(shell.stdout).toBe('Hi\n');
  });

  it('leaves no connection behind, whatever happened', async () => {
    await startTask();
    for (const args of [['list'], ['send', 'x', '--token', 'none'], ['status', '--once', '--token', 'T1']]) {
      await shell.run(args);
      expect(shell.server.sockets).toHaveLength(0);
    }
  });

  it('writes no colours or cursor moves unless it is a terminal that wants them', async () => {
    await startTask();
    const args = ['status', '--once', '--token', 'T1'];
    await shell.run(args);
    expect(shell.stdout).not.toContain('\u001b');
    await shell.run(args, { tty: true, env: { NO_COLOR: '1' } });
    expect(shell.stdout).not.toContain('\u001b');
    await shell.run(args, { tty: true });
    expect(shell.stdout).toContain('\u001b[32mrunning');
  });
});

describe('start', () => {
  it('prints the token, and all of the answer as JSON', async () => {
    expect(await shell.run(['start', pipeline])).toBe(0);
    expect(shell.stdout).toMatch(/^tk_\w+\n$/);
    expect(await shell.run(['start', pipeline, '--json', '--token', 'T9'])).toBe(0);
    expect(JSON.parse(shell.stdout)).toMatchObject({ token: 'T9', publicToken: 'pk_1' });
    expect(shell.engine.tasks.size).toBe(2);
  });

  it('passes its options on', async () => {
    const options = ['--source', 'b', '--threads', '3', '--ttl', '0', '--trace', 'full', '--use-existing'];
    await shell.run(['start', pipeline, ...options, '--args', 'one', 'two']);
    expect(shell.server.calls('execute')[0]?.arguments).toMatchObject({
      pipeline: { source: 'b' },
      name: 'echo',
      threads: 3,
      ttl: 0,
      pipelineTraceLevel: 'full',
      useExisting: true,
      args: ['one', 'two'],
    });
  });

  it('says what is wrong with the file', async () => {
    expect(await shell.run(['start', path.join(folder, 'none.pipe')])).toBe(1);
    expect(shell.stderr).toContain('error: File not found');
    const broken = path.join(folder, 'broken.pipe');
    await writeFile(broken, '{ components: [');
    expect(await shell.run(['start', broken])).toBe(1);
    expect(shell.stderr).toContain('broken.pipe');
  });

  it('--attach shows the status until the task ends, and ends it', async () => {
    const running = shell.run(['start', pipeline, '--attach', '--token', 'T1']);
    await expect.poll(() => shell.server.calls('monitor')).toHaveLength(1);
    const task = shell.engine.tasks.get('T1');
    const status = { ...task?.status, state: 5, completed: true, exitCode: 1, status: 'Finished' };
    shell.server.broadcast('apaevt_status_update', status, 'T1.source');
    expect(await running).toBe(1);
    expect(shell.stdout).toContain('running: Running (0 done, 0 failed)\ncompleted: Finished');
    expect(shell.server.calls('terminate')).toHaveLength(1);
  });
});

describe('send', () => {
  it('starts a pipeline for itself and ends it', async () => {
    expect(await shell.run(['send', '--pipeline', pipeline, 'Hello'])).toBe(0);
    expect(shell.stdout).toBe('Hello\n');
    expect(shell.server.calls('terminate')).toHaveLength(1);
  });

  it('starts a task of its own although MILLRACE_TOKEN names another', async () => {
    await startTask();
    expect(await shell.run(['send', '--pipeline', pipeline, 'x'], { env: { MILLRACE_TOKEN: 'T1' } })).toBe(0);
    expect(shell.engine.tasks.get('T1')?.status.completed).toBe(false);
    expect(await shell.run(['send', '--pipeline', pipeline, 'x', '--token', 'T2'])).toBe(0);
    expect(shell.engine.tasks.has('T2')).toBe(true);
  });

  it('sends files and stdin', async () => {
    await startTask();
    const file = path.join(folder, 'note.txt');
    await writeFile(file, 'from a file');
    await shell.run(['send', '--token', 'T1', '--file', file, '--json']);
    expect(JSON.parse(shell.stdout)).toMatchObject({ name: 'note.txt', text: ['from a file'] });
    await shell.run(['send', '--token', 'T1'], { stdin: 'from stdin' });
    expect(shell.stdout).toBe('from stdin\n');
    expect(await shell.run(['send', '--token', 'T1', '--file', path.join(folder, 'none')])).toBe(1);
    expect(shell.stderr).toContain('File not found');
  });

  it('exits with 1 when a component failed', async () => {
    await startTask();
    expect(await shell.run(['send', '--token', 'T1', '--name', 'bad', 'x'])).toBe(1);
    expect(shell.stderr).toBe('error: bad is broken\n');
  });

  it('lets no control characters of a result through', async () => {
    await startTask();
    await shell.run(['send', '--token', 'T1', 'a\u001b[2Jb\u0007']);
    expect(shell.stdout).toBe('a[2Jb\n');
  });

  it('ends the task it started when it is interrupted', async () => {
    shell.server.on('process', () => {
      shell.controller.abort();
      return new Promise(() => undefined);
    });
    expect(await shell.run(['send', '--pipeline', pipeline, 'x'])).toBe(130);
    expect(shell.stderr).toBe('');
    expect(shell.server.calls('terminate')).toHaveLength(1);
    expect(shell.server.sockets).toHaveLength(0);
  });
});

describe('an interrupt while a task starts', () => {
  const interruptStart = async (args: string[], answer: Record<string, unknown> | Error) => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    shell.server.on('execute', async () => {
      shell.controller.abort();
      await held;
      if (answer instanceof Error) throw answer;
      return answer;
    });
    shell.server.on('terminate', () => undefined);
    const running = shell.run(args);
    // The command has heard of the interrupt long before the server answers.
    await expect.poll(() => shell.controller.signal.aborted).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 0));
    release();
    expect(await running).toBe(130);
    expect(shell.server.sockets).toHaveLength(0);
    return shell.server.calls('terminate').map((call) => call.arguments);
  };

  it.each([
    ['of its own', () => ['send', '--pipeline', pipeline, 'x']],
    ['that would stay', () => ['start', pipeline]],
    ['that it would watch', () => ['start', pipeline, '--attach']],
  ])('ends a task %s when the answer comes', async (_, args) => {
    expect(await interruptStart(args(), { token: 'tk_late' })).toEqual([{ token: 'tk_late' }]);
    expect(shell.stdout).toBe('');
  });

  it('leaves a task alone that may have been joined', async () => {
    expect(await interruptStart(['start', pipeline, '--token', 'T', '--use-existing'], { token: 'T' })).toEqual([]);
  });

  it('waits ten seconds for the answer and no longer', async () => {
    shell.server.on('execute', () => {
      vi.useFakeTimers();
      shell.controller.abort();
      return new Promise(() => undefined);
    });
    const ended = vi.fn();
    const running = shell.run(['send', '--pipeline', pipeline, 'x']).then(ended);
    await expect.poll(() => shell.controller.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(9900);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    await running;
    expect(ended).toHaveBeenCalledWith(130);
    expect(shell.server.calls('terminate')).toEqual([]);
    expect(shell.server.sockets).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits ten seconds for the end of its task and no longer', async () => {
    for (const silent of ['process', 'terminate']) shell.server.on(silent, () => new Promise(() => undefined));
    const running = shell.run(['send', '--pipeline', pipeline, 'x']);
    await expect.poll(() => shell.server.calls('process')).toHaveLength(1);
    vi.useFakeTimers();
    shell.controller.abort();
    await vi.advanceTimersByTimeAsync(9900);
    expect(shell.server.sockets).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2200);
    expect(shell.server.sockets).toHaveLength(0);
    expect(await running).toBe(130);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has nothing to end when the start is refused', async () => {
    const taken = createError('task_exists');
    expect(await interruptStart(['send', '--pipeline', pipeline, '--token', 'T', 'x'], taken)).toEqual([]);
    expect(shell.stderr).toBe('');
  });
});

describe('upload', () => {
  beforeAll(async () => {
    await mkdir(path.join(folder, 'docs', 'deep'), { recursive: true });
    await writeFile(path.join(folder, 'docs', 'a.txt'), 'A');
    await writeFile(path.join(folder, 'docs', 'b.md'), 'B');
    await writeFile(path.join(folder, 'docs', 'deep', 'c.txt'), 'C');
    await writeFile(path.join(folder, 'bad.txt'), 'D');
  });

  it('takes files, folders and patterns, each file once', async () => {
    const docs = path.join(folder, 'docs');
    const pattern = `${docs.replaceAll('\\', '/')}/**/*.txt`;
    const args = ['upload', '--pipeline', pipeline, path.join(docs, 'a.txt'), docs, pattern, '--json'];
    expect(await shell.run(args)).toBe(0);
    const results = JSON.parse(shell.stdout) as { result: { name: string; text: string[] } }[];
    expect(results.map(({ result }) => [result.name, result.text[0]])).toEqual([
      ['a.txt', 'A'],
      ['b.md', 'B'],
      ['deep/c.txt', 'C'],
    ]);
    expect(shell.server.calls('terminate')).toHaveLength(1);
  });

  it('prints one line for each file and exits with 5 when some failed', async () => {
    await startTask();
    const [bad, good] = [path.join(folder, 'bad.txt'), path.join(folder, 'docs', 'a.txt')];
    expect(await shell.run(['upload', '--token', 'T1', bad, good])).toBe(5);
    expect(shell.stdout).toBe(`error  ${bad}: bad.txt is broken\nok     ${good}\n`);
    expect(shell.stderr).toBe('');
  });

  it('draws bars on a terminal', async () => {
    await startTask();
    await shell.run(['upload', '--token', 'T1', path.join(folder, 'docs')], { tty: true });
    expect(shell.stderr).toContain('[########################] 3/3 files, 3 B of 3 B');
  });

  it('refuses a path or pattern without files before it connects', async () => {
    expect(await shell.run(['upload', '--token', 'T1', path.join(folder, '*.none')])).toBe(2);
    expect(shell.stderr).toContain('File not found');
    expect(shell.server.requests).toEqual([]);
  });
});

describe('pipe', () => {
  it('streams stdin piece by piece as one object', async () => {
    await startTask();
    const pieces = (async function* () {
      yield 'one';
      yield 'two';
    })();
    expect(await shell.run(['pipe', '--token', 'T1', '--name', 'p'], { stdin: pieces })).toBe(0);
    expect(shell.stdout).toBe('one|two\n');
  });

  it('gives its object up when it is interrupted while stdin is silent', async () => {
    await startTask();
    const silent = (async function* (): AsyncGenerator<string> {
      yield 'one';
      await new Promise(() => undefined);
    })();
    const running = shell.run(['pipe', '--token', 'T1'], { stdin: silent });
    await expect.poll(() => [...shell.engine.pipes.values()][0]?.parts).toHaveLength(1);
    shell.controller.abort();
    expect(await running).toBe(130);
    expect(shell.engine.pipes.size).toBe(0);
    expect(shell.engine.abandoned).toHaveLength(1);
  });
});

describe('chat', () => {
  const answering = (deltas: string[], answers: unknown[]) => {
    let pipeId = 0;
    const questions: unknown[] = [];
    shell.server.on('process', ({ args, data, socket }) => {
      if (args.subcommand === 'open') return { pipe_id: ++pipeId };
      if (args.subcommand === 'write') {
        questions.push(JSON.parse(new TextDecoder().decode(data)));
        for (const text of deltas)
          socket.event('apaevt_sse', { pipe_id: pipeId, type: 'delta', data: { text } }, 'T1.c');
        return undefined;
      }
      return { objectId: 'o', result_types: ['answers'], answers };
    });
    return questions;
  };

  it('prints the answer', async () => {
    await startTask();
    answering([], ['Because.']);
    expect(await shell.run(['chat', '--token', 'T1', 'Why?'])).toBe(0);
    expect(shell.stdout).toBe('Because.\n');
  });

  it('prints the pieces as they come instead, and not with --json', async () => {
    await startTask();
    answering(['Be', 'cause'], ['Because']);
    await shell.run(['chat', '--token', 'T1', 'Why?']);
    expect(shell.stdout).toBe('Because\n');
    await shell.run(['chat', '--token', 'T1', 'Why?', '--json']);
    expect(JSON.parse(shell.stdout)).toMatchObject({ answers: ['Because'] });
  });

  it('asks a question a line and remembers what was said', async () => {
    await startTask();
    const questions = answering([], ['fine']);
    expect(await shell.run(['chat', '--token', 'T1'], { stdin: 'one\n\ntwo\n/exit\nthree\n' })).toBe(0);
    expect(shell.stdout).toBe('fine\nfine\n');
    expect(questions).toMatchObject([
      { questions: [{ text: 'one' }], history: [] },
      {
        questions: [{ text: 'two' }],
        history: [
          { role: 'user', content: 'one' },
          { role: 'assistant', content: 'fine' },
        ],
      },
    ]);
  });
});

describe('status', () => {
  it('redraws on a terminal', async () => {
    await startTask();
    const running = shell.run(['status', '--token', 'T1'], { tty: true });
    await expect.poll(() => shell.server.calls('monitor')).toHaveLength(1);
    const status = { ...shell.engine.tasks.get('T1')?.status, state: 5, completed: true, completedCount: 7 };
    shell.server.broadcast('apaevt_status_update', status, 'T1.source');
    expect(await running).toBe(0);
    expect(shell.stdout).toContain('objects  0 done');
    expect(shell.stdout).toContain('\u001b[8A');
    expect(shell.stdout).toContain('objects  7 done');
  });

  it('fails when the connection is lost meanwhile', async () => {
    await startTask();
    const running = shell.run(['status', '--token', 'T1']);
    await expect.poll(() => shell.server.calls('monitor')).toHaveLength(1);
    shell.server.dropAll();
    expect(await running).toBe(3);
    expect(shell.stderr).toContain('error: The connection was lost');
  });

  it('fails for a token of no task', async () => {
    expect(await shell.run(['status', '--token', 'none'])).toBe(1);
    expect(shell.stderr).toContain('error: Your pipeline is not running\n  → Start the pipeline first');
  });
});

describe('events', () => {
  it('prints events until it is interrupted, and keeps them in a log', async () => {
    await startTask();
    const log = path.join(folder, 'events.jsonl');
    const running = shell.run(['events', 'flow,task', '--json', '--log', log]);
    await expect.poll(() => shell.server.calls('monitor')).toHaveLength(1);
    expect(shell.server.calls('monitor')[0]?.arguments).toEqual({ token: '*', types: ['flow', 'task'] });
    shell.server.broadcast('apaevt_task', { action: 'begin' }, 'T1.a');
    shell.server.broadcast('apaevt_flow', { op: 'enter' }, 'T1.a');
    await expect.poll(() => shell.stdout.trim().split('\n')).toHaveLength(2);
    shell.controller.abort();
    expect(await running).toBe(130);
    expect(await readFile(log, 'utf8')).toBe(shell.stdout);
    expect(JSON.parse(shell.stdout.split('\n')[0] ?? '')).toMatchObject({ event: 'apaevt_task', id: 'T1.a' });
  });
});

describe('list and stop', () => {
  it('show the running tasks and end one', async () => {
    await shell.run(['list']);
    expect(shell.stderr).toBe('No task is running.\n');
    await startTask();
    await shell.run(['list']);
    expect(shell.stdout).toBe('TOKEN  NAME  SOURCE  STATUS\nT1     echo  a       Running\n');
    await shell.run(['list', '--json']);
    expect(JSON.parse(shell.stdout)).toMatchObject([{ token: 'T1' }]);
    expect(await shell.run(['stop', '--token', 'T1'])).toBe(0);
    expect(shell.engine.tasks.get('T1')?.status.completed).toBe(true);
  });
});

describe('validate', () => {
  it('prints the problems and exits with 1 when there are errors', async () => {
    shell.server.on('validate', () => ({ errors: ['no source'], warnings: ['odd'], chain: [] }));
    expect(await shell.run(['validate', pipeline])).toBe(1);
    expect(shell.stdout).toBe('error    no source\nwarning  odd\n');
    shell.server.on('validate', () => ({ errors: [], warnings: [], chain: ['a'] }));
    expect(await shell.run(['validate', pipeline, '--source', 'a'])).toBe(0);
    expect(shell.stderr).toBe(`${pipeline} is valid.\n`);
    expect(shell.server.calls('validate')[1]?.arguments).toMatchObject({ source: 'a' });
  });
});

describe('store', () => {
  it('writes, lists, prints and deletes files', async () => {
    expect(await shell.run(['store', 'write', 'a/b.txt', '--content', 'Hello'])).toBe(0);
    await shell.run(['store', 'type', 'a/b.txt']);
    expect(shell.stdout).toBe('Hello');
    await shell.run(['store', 'dir']);
    expect(shell.stdout).toContain('5 B');
    expect(await shell.run(['store', 'stat', 'a/b.txt'])).toBe(0);
    expect(shell.stdout).toBe('file  5 B\n');
    expect(await shell.run(['store', 'rm', 'a/b.txt'])).toBe(0);
    expect(await shell.run(['store', 'stat', 'a/b.txt'])).toBe(1);
    expect(await shell.run(['store', 'type', 'a/b.txt'])).toBe(1);
    expect(shell.stderr).toContain('File not found: a/b.txt');
    expect(await shell.run(['store', 'mkdir', 'c'])).toBe(0);
    expect(await shell.run(['store', 'rm', 'c', '--recursive'])).toBe(0);
  });
});

describe('services', () => {
  it('lists providers and describes one', async () => {
    const webhook = { title: 'Web hook', classType: ['source'] };
    shell.server.on('services', ({ args }) => {
      if (args.service === undefined) return { services: { webhook }, version: 1 };
      if (args.service !== 'webhook')
        throw createError('service_unknown', `Service '${args.service as string}' not found`);
      return webhook;
    });
    await shell.run(['services']);
    expect(shell.stdout).toBe('PROVIDER  KIND    TITLE\nwebhook   source  Web hook\n');
    await shell.run(['services', 'webhook']);
    expect(JSON.parse(shell.stdout)).toEqual(webhook);
    expect(await shell.run(['services', 'other'])).toBe(1);
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('knows every command and its options in %s', async (kind) => {
    expect(await shell.run(['completion', kind])).toBe(0);
    for (const word of ['upload', 'store', 'mkdir', 'max-concurrent', 'apikey']) expect(shell.stdout).toContain(word);
  });

  it('refuses another shell', async () => {
    expect(await shell.run(['completion', 'cmd'])).toBe(2);
  });
});
