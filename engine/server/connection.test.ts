import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/poll.js';
import { RawClient, type RawMessage } from '../../test/support/rawClient.js';
import { MillraceError } from '../../protocol/errors.js';
import { Authenticator, keyIdOf } from './auth.js';
import { BinaryBody, type CommandTable, extension, JsonText } from './command.js';
import { processCommands } from './commands/process.js';
import { taskCommands } from './commands/tasks.js';
import { EventHub } from './hub.js';
import { FakeTasks } from './testing.js';
import { WebSocketDoor } from './websocket.js';

const key = 'the key of the test';
const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

interface Served {
  url: string;
  tasks: FakeTasks;
  door: WebSocketDoor;
  logged: string[];
  login(): Promise<RawClient>;
  connect(): Promise<RawClient>;
}

/** The socket door with tasks in memory, and with the given commands besides. */
async function serve(more: CommandTable = {}): Promise<Served> {
  const http = createServer();
  const tasks = new FakeTasks();
  await tasks.start({ kind: 'key', keyId: keyIdOf(key) }, { pipeline: {}, token: 'T' });
  const logged: string[] = [];
  const log = (_: object, text: string): void => void logged.push(text);
  const authenticator = new Authenticator([key], (token) => tasks.credential(token));
  const door = new WebSocketDoor(
    http,
    { hosts: [], origins: [] },
    {
      commands: { ...taskCommands(tasks), ...processCommands(tasks), ping: extension(() => ({ pong: true })), ...more },
      hub: new EventHub(() => 0),
      logger: { error: log, debug: () => undefined },
      authenticate: (credential) => authenticator.authenticate(credential),
      welcome: (principal) => ({ kind: principal.kind }),
      now: () => 0,
    },
  );
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const clients: RawClient[] = [];
  const keep = (client: RawClient): RawClient => (clients.push(client), client);
  cleanups.push(() => {
    for (const client of clients) client.socket.terminate();
    door.dispose();
    http.close();
  });
  return {
    url,
    tasks,
    door,
    logged,
    connect: async () => keep(await RawClient.open(url)),
    login: async () => keep(await RawClient.login(url, key)),
  };
}

/** A promise that is resolved from outside. */
function makeGate(): { passed: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

const open = { subcommand: 'open', token: 'T', object: {}, mimeType: 'text/plain' };

describe('before a login', () => {
  it.each([
    'execute',
    'restart',
    'terminate',
    'mrext_process',
    'rrext_get_task_status',
    'mrext_ping',
    'nothing',
    'toString',
  ])('%s is refused, and the connection ends after the answer', async (command) => {
    const { connect } = await serve();
    const client = await connect();
    expect(await client.call(command, { token: 'T' })).toMatchObject({
      type: 'response',
      command,
      success: false,
      message: 'Not authenticated',
      code: 'not_authenticated',
    });
    expect((await client.closed).code).toBe(1000);
  });

  it('public commands and a logout are answered', async () => {
    const { connect } = await serve({ public_probe: extension(({ principal }) => ({ asked: principal.kind })) });
    const client = await connect();
    expect(await client.call('deauth')).toMatchObject({ success: true, body: {} });
    expect(await client.body('rrext_public_probe')).toEqual({ asked: 'public' });
  });

  it.each([
    [undefined, 'No authorization provided'],
    ['', 'No authorization provided'],
    ['Bearer ', 'No authorization provided'],
    ['wrong', 'Invalid API key'],
    [['the key of the test'], 'Invalid API key'],
    ['tk_unknown', 'Bad request'],
  ])('the credential %j is refused with "%s", then the connection ends', async (auth, message) => {
    const { connect } = await serve();
    const client = await connect();
    expect(await client.call('auth', { auth })).toMatchObject({ success: false, message });
    expect((await client.closed).code).toBe(1000);
  });

  it('what cannot be read is answered and ends the connection', async () => {
    const { connect } = await serve();
    const client = await connect();
    const answer = client.answerTo(77);
    client.socket.send('{"type":"request","seq":77,');
    expect(await answer).toMatchObject({ success: false, code: 'invalid_message' });
    await client.closed;
  });
});

describe('a login', () => {
  it('may be repeated, but not more than five times on one connection', async () => {
    const { login } = await serve();
    const client = await login();
    for (let attempt = 2; attempt <= 5; attempt++)
      expect(await client.call('auth', { auth: `Bearer ${key}` })).toMatchObject({ success: true });
    expect(await client.call('auth', { auth: key })).toMatchObject({ success: false, code: 'auth_too_many' });
    expect((await client.closed).code).toBe(1000);
  });

  it('ends with a logout, after which nothing is served', async () => {
    const { login } = await serve();
    const client = await login();
    expect(await client.body('mrext_ping')).toEqual({ pong: true });
    await client.body('deauth');
    expect(await client.call('mrext_ping')).toMatchObject({ code: 'not_authenticated' });
    await client.closed;
  });

  it('with the token of a task reaches that task, with its public key only its data', async () => {
    const { connect, tasks } = await serve();
    const token = (await tasks.start({ kind: 'key', keyId: keyIdOf(key) }, { pipeline: {} })).token;
    const owner = await connect();
    expect(await owner.body('auth', { auth: token })).toEqual({ kind: 'task' });
    expect(await owner.call('rrext_get_task_status')).toMatchObject({ success: true });
    expect(await owner.call('execute', { pipeline: {} })).toMatchObject({ code: 'permission_denied' });
    expect(await owner.call('rrext_get_task_status', { token: 'T' })).toMatchObject({ code: 'permission_denied' });
    const page = await connect();
    expect(await page.body('auth', { auth: `pk_${token}` })).toEqual({ kind: 'public' });
    const sent = await page.body('rrext_process', { subcommand: 'send', object: {}, mimeType: 'text/plain' }, 'hi');
    expect(sent).toMatchObject({ text: ['hi\n\n'] });
    expect(await page.call('rrext_get_task_status')).toMatchObject({ code: 'permission_denied' });
    expect(await page.call('terminate')).toMatchObject({ code: 'permission_denied' });
  });
});

describe('a message', () => {
  it.each<[string, string | Buffer, number, string]>([
    ['is not JSON', '{"type":"request","seq":5,"command":', 5, 'invalid_message'],
    ['shows no number', 'hello', 0, 'invalid_message'],
    ['is a list', '[{"seq":6}]', 6, 'invalid_message'],
    ['is binary without sense', Buffer.from([0xff, 0x0a, 1, 2]), 0, 'invalid_message'],
    ['has a broken header', Buffer.from('{"seq": 8,\npayload'), 8, 'invalid_message'],
    ['has no command', '{"type":"request","seq":9}', 9, 'invalid_message'],
    ['has no whole number', '{"type":"request","seq":1.5,"command":"x"}', 1.5, 'invalid_message'],
    ['has an endless number', '{"type":"request","seq":1e999,"command":"x"}', 0, 'invalid_message'],
    [
      'has arguments of the wrong kind',
      '{"type":"request","seq":10,"command":"mrext_ping","arguments":[]}',
      10,
      'invalid_message',
    ],
    ['names no command', '{"type":"request","seq":11,"command":"mrext_nothing"}', 11, 'unknown_command'],
    ['has no prefix where one belongs', '{"type":"request","seq":12,"command":"ping"}', 12, 'unknown_command'],
    ['has a prefix where none belongs', '{"type":"request","seq":13,"command":"mrext_execute"}', 13, 'unknown_command'],
    [
      'asks for what every object has',
      '{"type":"request","seq":14,"command":"mrext_constructor"}',
      14,
      'unknown_command',
    ],
  ])('that %s is answered as far as it can be, and the connection goes on', async (_, data, seq, code) => {
    const { login } = await serve();
    const client = await login();
    const answer = client.answerTo(seq);
    client.socket.send(data);
    expect(await answer).toMatchObject({ type: 'response', success: false, code });
    expect(await client.body('mrext_ping')).toEqual({ pong: true });
  });

  it('that is no request is not answered', async () => {
    const { login } = await serve();
    const client = await login();
    const seen: RawMessage[] = [];
    client.socket.on('message', (data: Buffer) => seen.push(JSON.parse(data.toString()) as RawMessage));
    client.socket.send('{"type":"response","seq":90}');
    client.socket.send('{"type":"event","seq":91,"event":"x"}');
    client.socket.send('{}');
    await client.body('mrext_ping');
    expect(seen).toHaveLength(1);
  });

  it('may have the token in its older place', async () => {
    const { login } = await serve();
    const client = await login();
    const answer = client.answerTo(50);
    client.socket.send('{"type":"request","seq":50,"command":"rrext_get_task_status","token":"T"}');
    expect(await answer).toMatchObject({ success: true, body: { project_id: 'project' } });
  });
});

describe('an answer', () => {
  it('has one line and a number of its own, text or binary', async () => {
    const { login } = await serve({
      lines: extension(() => ({ text: 'a\nb' })),
      raw: extension(() => new JsonText('{"given":true}')),
      bytes: extension(() => new BinaryBody({ size: 3 }, Buffer.from('a\nb'))),
      none: extension(() => undefined),
    });
    const client = await login();
    const [lines, raw, bytes, none] = await Promise.all(
      ['lines', 'raw', 'bytes', 'none'].map((name) => client.call(`mrext_${name}`)),
    );
    expect(lines?.body).toEqual({ text: 'a\nb' });
    expect(raw?.body).toEqual({ given: true });
    expect(bytes).toMatchObject({ body: { size: 3 }, payload: Buffer.from('a\nb') });
    expect(none).toMatchObject({ success: true, command: 'mrext_none' });
    expect(none).not.toHaveProperty('body');
    expect([lines, raw, bytes, none].map((answer) => answer?.seq)).toEqual([2, 3, 4, 5]);
  });

  it('comes when it is ready, in any order', async () => {
    const gate = makeGate();
    const { login } = await serve({ slow: extension(() => gate.passed.then(() => 'late')) });
    const client = await login();
    const order: string[] = [];
    const slow = client.call('mrext_slow').then(() => order.push('slow'));
    await client.call('mrext_ping').then(() => order.push('ping'));
    gate.open();
    await slow;
    expect(order).toEqual(['ping', 'slow']);
  });

  it('to what failed by accident says so, and the log has it', async () => {
    const { login, logged } = await serve({
      broken: extension(() => Promise.reject(new TypeError('oops'))),
      refusing: extension(() => {
        throw new MillraceError('too_many', 'Not now', { hint: 'Later.' });
      }),
    });
    const client = await login();
    expect(await client.call('mrext_broken')).toMatchObject({ success: false, code: 'internal', message: 'oops' });
    expect(await client.call('mrext_refusing')).toMatchObject({ code: 'too_many', message: 'Not now', hint: 'Later.' });
    expect(logged).toEqual(['request failed']);
  });
});

describe('a client that sends faster than a task takes in', () => {
  it('is not read from until the task has caught up, and loses nothing', async () => {
    const gate = makeGate();
    const { login, tasks, door } = await serve();
    const task = tasks.tasks.get('T');
    if (task === undefined) throw new Error('There is no task');
    task.behaviour = { takeIn: () => gate.passed };
    task.keepBytes = 0;
    const client = await login();
    const { pipe_id } = await client.body('mrext_process', open);
    const chunk = Buffer.alloc(1024 * 1024);
    const writes = Array.from({ length: 64 }, () =>
      client.call('mrext_process', { subcommand: 'write', token: 'T', pipe_id }, chunk),
    );
    await eventually('the client is held back', () => door.connections()[0]?.paused);
    const read = door.connections()[0]?.messagesIn ?? 0;
    expect(read).toBeLessThan(45);
    gate.open();
    for (const write of writes) expect(await write).toMatchObject({ success: true });
    expect(task.seen[0]?.bytes).toBe(64 * chunk.length);
    expect(door.connections()[0]?.paused).toBe(false);
  });

  it('may have thousands of requests waiting; those beyond are refused, and the rest is answered', async () => {
    const gate = makeGate();
    const { login } = await serve({ wait: extension(() => gate.passed.then(() => ({}))) });
    const client = await login();
    const waiting = Array.from({ length: 17_000 }, () => client.call('mrext_wait'));
    const last = await waiting.at(-1);
    expect(last).toMatchObject({ success: false, code: 'too_many' });
    gate.open();
    const answers = await Promise.all(waiting);
    expect(answers.filter(({ success }) => success === true)).toHaveLength(16_384);
    expect(await client.body('mrext_ping')).toEqual({ pong: true });
  });
});

describe('the pipes of a connection', () => {
  const write = (pipe_id: unknown): object => ({ subcommand: 'write', token: 'T', pipe_id });

  it('are opened, written and closed by number or by a name of the client', async () => {
    const { login } = await serve();
    const client = await login();
    const { pipe_id } = await client.body('rrext_process', open);
    expect(await client.call('rrext_process', write(pipe_id), 'one ')).toMatchObject({ success: true });
    await client.body('rrext_process', { ...write(pipe_id), data: 'two' });
    expect(await client.body('rrext_process', { subcommand: 'close', token: 'T', pipe_id })).toMatchObject({
      text: ['one two\n\n'],
    });
    const named = [
      client.call('mrext_process', { ...open, pipe: 'mine' }),
      client.call('mrext_process', { subcommand: 'write', token: 'T', pipe: 'mine' }, 'at once'),
      client.call('mrext_process', { subcommand: 'close', token: 'T', pipe: 'mine' }),
    ];
    expect((await Promise.all(named)).map(({ success }) => success)).toEqual([true, true, true]);
    expect((await named[2])?.body).toMatchObject({ text: ['at once\n\n'] });
  });

  it('with a name that is taken are refused without an object being made', async () => {
    const { login, tasks } = await serve();
    const client = await login();
    await client.body('mrext_process', { ...open, pipe: 'mine' });
    expect(await client.call('mrext_process', { ...open, pipe: 'mine' })).toMatchObject({
      code: 'invalid_argument',
      message: 'There is already a pipe called "mine"',
    });
    expect(tasks.tasks.get('T')?.seen).toHaveLength(1);
  });

  it.each(['mrext', 'rrext'])('are given up with %s_process, as often as a client likes', async (prefix) => {
    const { login, tasks } = await serve();
    const [client, other] = [await login(), await login()];
    const process = `${prefix}_process`;
    const { pipe_id } = await client.body(process, open);
    await client.body(process, { ...open, pipe: 'mine' });
    await other.body(process, { subcommand: 'abandon', token: 'T', pipe: 'mine' });
    const seen = tasks.tasks.get('T')?.seen;
    expect(seen?.map(({ state }) => state)).toEqual(['open', 'open']);
    for (const pipe of [{ pipe_id }, { pipe: 'mine', reason: 'r'.repeat(10_000) }]) {
      const abandon = { subcommand: 'abandon', token: 'T', ...pipe };
      expect(await client.call(process, abandon)).toMatchObject({ success: true });
      expect(await client.call(process, abandon)).toMatchObject({ success: true });
    }
    expect(seen?.map(({ state, reason }) => [state, reason])).toEqual([
      ['abandoned', 'The client gave the object up'],
      ['abandoned', 'r'.repeat(500)],
    ]);
    expect(await client.call(process, { subcommand: 'close', token: 'T', pipe_id })).toMatchObject({ success: false });
  });

  it('are given up by a client that does not wait for the open', async () => {
    const gate = makeGate();
    const { login, tasks } = await serve();
    const client = await login();
    const task = tasks.tasks.get('T');
    if (task === undefined) throw new Error('There is no task');
    task.behaviour = { admit: () => gate.passed };
    const opening = client.call('mrext_process', { ...open, pipe: 'mine' });
    const abandoning = client.call('mrext_process', { subcommand: 'abandon', token: 'T', pipe: 'mine' });
    gate.open();
    expect(await opening).toMatchObject({ success: true });
    expect(await abandoning).toMatchObject({ success: true });
    expect(task.seen.map(({ state }) => state)).toEqual(['abandoned']);
  });

  it('are given up although they never opened', async () => {
    const { login, tasks } = await serve();
    const client = await login();
    const task = tasks.tasks.get('T');
    if (task === undefined) throw new Error('There is no task');
    task.behaviour = { admit: () => Promise.reject(new MillraceError('pipe_failed')) };
    const opening = client.call('mrext_process', { ...open, pipe: 'mine' });
    const abandoning = client.call('mrext_process', { subcommand: 'abandon', token: 'T', pipe: 'mine' });
    expect(await opening).toMatchObject({ success: false });
    expect(await abandoning).toMatchObject({ success: true });
  });

  it('are unknown to every other connection', async () => {
    const { login } = await serve();
    const [mine, other] = [await login(), await login()];
    const { pipe_id } = await mine.body('mrext_process', open);
    expect(await other.call('mrext_process', write(pipe_id), 'x')).toMatchObject({ code: 'pipe_not_found' });
    expect(await other.call('mrext_process', { subcommand: 'close', token: 'T', pipe_id })).toMatchObject({
      code: 'pipe_not_found',
      message: `Close pipe with id ${String(pipe_id)} not found`,
    });
    expect(await mine.call('mrext_process', write(pipe_id), 'x')).toMatchObject({ success: true });
  });

  it('are abandoned when it closes, those still opening too', async () => {
    const gate = makeGate();
    const { login, tasks } = await serve();
    const client = await login();
    await client.body('mrext_process', open);
    const task = tasks.tasks.get('T');
    if (task === undefined) throw new Error('There is no task');
    task.behaviour = { admit: () => gate.passed };
    void client.call('mrext_process', open);
    void client.call('mrext_process', { ...open, pipe: 'named' });
    await eventually('the messages have arrived', async () => {
      await client.call('mrext_ping');
      return true;
    });
    await client.close();
    await eventually('the first pipe is abandoned', () => task.seen[0]?.state === 'abandoned');
    gate.open();
    await eventually(
      'all are abandoned',
      () => task.seen.length === 3 && task.seen.every(({ state }) => state === 'abandoned'),
    );
  });

  it.each([
    [{ ...open, object: undefined }, 'No object info specified'],
    [{ ...open, mimeType: undefined }, 'No mimeType specified'],
    [{ ...open, token: undefined }, 'Task token is required'],
    [{ ...open, token: 'other' }, 'Your pipeline is not running'],
    [{ ...open, subcommand: 'jump' }, 'Invalid subcommand jump'],
    [{ subcommand: 'write', token: 'T' }, 'No pipe_id specified'],
    [{ subcommand: 'write', token: 'T', pipe_id: 9 }, 'Write pipe with id 9 not found'],
    [{ subcommand: 'close', token: 'T', pipe_id: null }, 'No pipe_id specified'],
    [{ subcommand: 'abandon', token: 'T' }, 'No pipe_id specified'],
    [{ subcommand: 'abandon', token: 'T', pipe: 'p', reason: 1 }, '`reason` must be a string'],
    [{ subcommand: 'send', token: 'T', object: {}, mimeType: 'text/plain' }, 'No data specified'],
  ])('are refused for %j', async (args, message) => {
    const { login } = await serve();
    const client = await login();
    expect(await client.call('rrext_process', args)).toMatchObject({ success: false, message });
  });
});
