import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPython, pythonEnvironment, type PythonEnvironment, type Run } from './support/python.js';
import { RawClient } from './support/rawClient.js';
import { type ScriptedModel, startScriptedModel } from './support/scriptedModel.js';
import { startServer, type TestServer } from './support/server.js';

/** The clients that already exist for this wire, as published; they must work unchanged. Newest, documented, oldest. */
const versions = ['1.5.0', '1.1.0', '1.0.0'] as const;
type Version = (typeof versions)[number];
const others = ['websockets==15.0.1', 'pydantic==2.12.5', 'aiofiles==24.1.0'];

const scripts = resolve(import.meta.dirname, 'existingClients');
const python = await findPython();

/** What became of one operation: its value, or the words and the classes of its error. */
interface Outcome {
  value?: unknown;
  error?: string;
  kinds?: string[];
}

describe.runIf(python !== undefined).each(versions)('the published Python client %s', (version) => {
  let server: TestServer;
  let model: ScriptedModel;
  let folder: string;
  let environment: PythonEnvironment;

  beforeAll(async () => {
    environment = await pythonEnvironment(python ?? '', [`rocketride==${version}`, ...others]);
    folder = await mkdtemp(join(tmpdir(), 'millrace-test-'));
    await writeFile(join(folder, '.env'), 'ROCKETRIDE_LANE="from_file"\n');
    server = await startServer();
    model = await startScriptedModel([{ say: ['The sky is ', 'green.'] }, { say: '{"colour": "green"}' }]);
  }, 300_000);

  afterAll(async () => {
    await model.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const since = (first: Version): boolean => versions.indexOf(version) <= versions.indexOf(first);
  const env = { ROCKETRIDE_URI: '', ROCKETRIDE_APIKEY: '' };

  /** Declares the tests of one script, which runs once before them. */
  function script(name: string, declare: (outcome: (operation: string) => Outcome) => void): void {
    describe(name, () => {
      let outcomes: Record<string, Outcome>;
      beforeAll(async () => {
        const context = { url: server.url, key: server.key, folder, model: model.baseUrl };
        const args = [join(scripts, `${name}.py`), JSON.stringify(context)];
        const { code, stdout, stderr } = await environment.python(args, { cwd: folder, env, timeoutMs: 120_000 });
        expect(code, stderr).toBe(0);
        outcomes = JSON.parse(stdout) as Record<string, Outcome>;
      }, 150_000);
      declare((operation) => outcomes[operation] ?? { error: `"${operation}" was not run` });
    });
  }

  script('session', (outcome) => {
    it('connects, pings and disconnects', () => {
      expect(outcome('connect')).toHaveProperty('value');
      expect(outcome('connected')).toEqual({ value: true });
      expect(outcome('ping')).toEqual({ value: null });
      expect(outcome('disconnect')).toEqual({ value: null });
      expect(outcome('disconnected')).toEqual({ value: false });
    });

    it('tells its callbacks', () => {
      const calls = outcome('callbacks').value as string[];
      expect([calls[0], calls.at(-1)]).toEqual(['connected', 'disconnected']);
    });

    it('is told that a key is wrong', () => {
      expect(outcome('wrong key')).toMatchObject({ error: 'Invalid API key' });
      expect(outcome('wrong key').kinds?.[0]).toBe('AuthenticationException');
    });

    if (since('1.1.0')) {
      it('logs out and in again on the same connection', () => {
        expect(outcome('logout')).toEqual({ value: null });
        expect(outcome('login again').value).toMatchObject({ userToken: server.key, capabilities: ['oss'] });
        expect(outcome('ping after login')).toEqual({ value: null });
        expect(outcome('account').value).toMatchObject({ organizations: [{ id: 'local' }] });
      });

      it('is refused the facts of the server without a key, as it logs in before it asks', () => {
        expect(outcome('server info')).toMatchObject({ error: 'No authorization provided' });
      });
    }
    if (since('1.5.0')) {
      it('names itself for the dashboard', () => {
        expect(outcome('identify').value).toContain('A name of its own');
      });
    }
  });

  script('tasks', (outcome) => {
    it.each([
      ['use', /^tk_/, 'use'],
      ['use wrapped', /^PY-wrapped$/, 'wrapped'],
      ['use options', /^PY-options$/, 'options'],
      ['use filepath', /^PY-file$/, 'file'],
    ])('starts a pipeline: %s', (operation, token, projectId) => {
      const started = outcome(operation).value;
      expect(started).toMatchObject({ projectId, source: 'webhook_1', provider: 'webhook' });
      expect((started as { token: string }).token).toMatch(token);
    });

    it('starts another source than the one that is configured', () => {
      expect(outcome('use source').value).toMatchObject({ source: 'chat_1', provider: 'chat' });
    });

    it('hears why a pipeline cannot start', () => {
      expect(outcome('use unknown source').error).toContain('"nowhere" not found');
      expect(outcome('use unknown provider').error).toContain('no_such_provider');
      expect(outcome('use twice')).toMatchObject({ error: 'Pipeline is already running.' });
      expect(outcome('use missing file').kinds).toContain('FileNotFoundError');
      expect(outcome('use nothing').kinds).toContain('ValueError');
    });

    it('joins a running task, and sixteen starts at once make one task', () => {
      expect(outcome('use existing').value).toMatchObject({ token: 'PY-options', projectId: 'options' });
      expect(outcome('use sixteen').value).toEqual(Array.from({ length: 16 }, () => 'PY-16'));
    });

    it('has variables of its .env file put in', () => {
      expect(outcome('use variable').value).toMatchObject({ from_file: ['text\n\n'] });
    });

    it('reads every field of the status', () => {
      const status = outcome('status options').value as Record<string, unknown>;
      expect(Object.keys(status)).toEqual(expect.arrayContaining(statusFields));
      expect(status).toMatchObject({ state: 3, completed: false, completedCount: 1, completedSize: 4, errors: [] });
    });

    it('ends a task and can still read its status', () => {
      expect(outcome('terminate')).toEqual({ value: null });
      expect(outcome('status after the end').value).toMatchObject({ state: 6, completed: true, exitCode: 0 });
      expect(outcome('send after the end').kinds).toContain('RuntimeError');
    });

    it('is told that a token is unknown', () => {
      const unknown = { error: 'Your pipeline is not running' };
      expect(outcome('unknown token')).toMatchObject(unknown);
      expect(outcome('terminate unknown')).toMatchObject(unknown);
    });

    if (since('1.1.0')) {
      it('names a task and traces it', () => {
        expect(outcome('status options').value).toMatchObject({
          name: 'My name.Hook',
          componentStats: { response_1: { calls: expect.any(Number) as number } },
        });
      });

      it('gives variables along with the start, which count more than those of the file', () => {
        expect(outcome('use env').value).toMatchObject({ from_argument: ['text\n\n'] });
      });

      it('finds a token by project and source, and the pipeline as it was sent', () => {
        expect(outcome('token')).toEqual({ value: 'PY-options' });
        expect(outcome('token of nothing')).toMatchObject({ error: 'Your pipeline is not running' });
        expect(JSON.stringify(outcome('pipeline').value)).toContain('"laneName":"${ROCKETRIDE_LANE}"');
      });

      it.each(['restart', 'restart by token'])('puts another pipeline under a running task: %s', (operation) => {
        expect(outcome(operation).value).toMatchObject({ again: ['text\n\n'] });
      });
    }
    if (since('1.5.0')) {
      it('lists the running tasks', () => {
        const listed = outcome('tasks').value as { token: string }[];
        expect(listed.map(({ token }) => token)).toEqual(expect.arrayContaining(['PY-options', 'PY-16', 'PY-file']));
      });

      it('reads tasks page by page, searched and sorted', () => {
        const page = outcome('task page').value as { rows: { projectId: string }[]; total: number };
        expect(page).toMatchObject({ page: 1, pageSize: 2 });
        expect(page.rows.map(({ projectId }) => projectId)).toEqual(['wrapped', 'variable']);
        expect(page.total).toBeGreaterThan(2);
        expect(outcome('all tasks').value).toMatchObject({ page: 1 });
      });
    }
  });

  script('data', (outcome) => {
    it.each([
      ['text', ['Hällo\n\n']],
      ['bytes', ['raw\n\nbytes\n\n']],
      ['objinfo', ['x\n\n']],
    ])('sends %s', (operation, text) => {
      const result = outcome(operation).value;
      expect(result).toMatchObject({ text, result_types: { text: 'text' } });
      expect((result as { objectId: string }).objectId).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('gets the name and its folder back', () => {
      expect(outcome('text').value).toMatchObject({ path: '' });
      expect(outcome('objinfo').value).toMatchObject({ name: 'folder/note.txt', path: 'folder' });
    });

    it('gets no content back for what nobody listens to', () => {
      expect(outcome('no type').value).not.toHaveProperty('result_types');
      expect(outcome('empty').value).not.toHaveProperty('text');
      expect(outcome('neither').kinds).toContain('ValueError');
    });

    it('sends 20 MB in one piece', () => {
      expect(outcome('big').value).toEqual({ same: true, bytes: 20_000_000 });
    });

    it('uploads files by path, with facts about them, and with a MIME type', () => {
      const complete = (text: string, name: string) => ({
        action: 'complete',
        result: { text: [`${text}\n\n`], name },
      });
      expect(outcome('paths').value).toMatchObject([complete('first', 'a.txt'), complete('second', 'b.txt')]);
      expect(outcome('tuples').value).toMatchObject([complete('first', 'renamed.txt')]);
      expect(outcome('triples').value).toMatchObject([complete('first', 'blank.txt ')]);
      expect(outcome('missing path').error).toContain('File not found');
    });

    it('sees the progress of its uploads', () => {
      const actions = (outcome('progress').value as { action: string }[]).map(({ action }) => action);
      expect(actions).toEqual(expect.arrayContaining(['open', 'write', 'close', 'complete']));
    });

    it('uploads more files at once than a task has pipes', () => {
      expect(outcome('many').value).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    });

    it('never makes the server complain', () => {
      expect(server.log()).toBe('');
    });

    it('streams through a pipe, as a block and by hand', () => {
      expect(outcome('pipe').value).toMatchObject({ text: ['one\n\ntwo\n\nthree\n\n'], name: 'pipe.txt' });
      expect(outcome('pipe by hand').value).toEqual({
        number: expect.any(Number) as number,
        opened: true,
        text: ['x\n\n'],
      });
    });

    it('hears what is wrong with a pipe', () => {
      expect(outcome('pipe without open').kinds).toContain('RuntimeError');
      expect(outcome('pipe of a dead task').error).toContain('Your pipeline is not running');
      expect(outcome('wrong provider').error).toContain(`You are looking for a "chat", but this pipeline isn't it`);
    });

    it('chats with a model', () => {
      expect(outcome('chat').value).toMatchObject({
        answers: ['The sky is green.'],
        result_types: { answers: 'answers' },
      });
      expect(outcome('chat json').value).toMatchObject({ answers: [{ colour: 'green' }] });
      expect(outcome('chat without question')).toHaveProperty('error');
      expect(JSON.stringify(model.requests[0]?.body)).toMatch(/Be brief.*sky is green.*Which colour has the sky/s);
    });

    if (since('1.1.0')) {
      it('listens to what components say while it streams', () => {
        expect(outcome('pipe with on_sse').value).toMatchObject({ text: ['one\n\ntwo\n\nthree\n\n'] });
      });
    }
  });

  script('events', (outcome) => {
    it('gets the present status and the running tasks when it subscribes', () => {
      const [summary] = outcome('summary').value as { body: object }[];
      expect(summary).toMatchObject({ event: 'apaevt_status_update', body: { state: 3, completed: false } });
      expect(Object.keys(summary?.body ?? {})).toEqual(expect.arrayContaining(statusFields));
      const tasks = expect.arrayContaining([expect.objectContaining({ projectId: 'events' })]) as unknown;
      expect(outcome('task').value).toMatchObject([{ event: 'apaevt_task', body: { action: 'running', tasks } }]);
    });

    it('sees its object counted, and nothing more once it has unsubscribed', () => {
      expect(outcome('status after a send').value).toMatchObject({ completedCount: 1, errors: [] });
      expect(outcome('unsubscribed')).toEqual({ value: [] });
      expect(outcome('unknown token')).toMatchObject({ error: 'Your pipeline is not running' });
    });

    if (since('1.1.0')) {
      it('sees tasks begin and end', () => {
        const life = outcome('life').value as { id: string; body: { action: string } }[];
        expect(life.map(({ body }) => body.action)).toEqual(['begin', 'end']);
        expect(life[0]?.id).toBe('PY-life.webhook_1');
      });

      it('follows an object through the components', () => {
        const flow = outcome('flow').value as { op: string; pipes: string[] }[];
        expect([flow[0]?.op, flow.at(-1)?.op]).toEqual(['begin', 'end']);
        expect(flow.map(({ pipes }) => pipes)).toContainEqual(['flow.txt', 'response_1']);
        expect(outcome('clear')).toEqual({ value: null });
      });
    }
  });

  script('services', (outcome) => {
    it('reads the catalogue', () => {
      expect(outcome('services').value).toEqual(expect.arrayContaining(['webhook', 'parse', 'llm_openai_api']));
      expect(outcome('service').value).toMatchObject({ protocol: 'parse://', prefix: 'parse' });
      expect(outcome('unknown service').error).toContain("'no_such_provider' not found");
    });

    it('validates pipelines', () => {
      expect(outcome('valid').value).toMatchObject({ errors: [], warnings: [], pipeline: {} });
      const errors = expect.arrayContaining([
        expect.objectContaining({ message: expect.stringContaining('no_such_provider') as string, id: 'a' }),
      ]) as unknown;
      expect(outcome('invalid').value).toMatchObject({ errors, pipeline: {} });
      expect(outcome('source').value).toMatchObject({
        errors: [{ message: expect.stringContaining('nowhere') as string }],
      });
    });

    if (since('1.1.0')) {
      it('reads the overview', () => {
        expect(outcome('dashboard').value).toMatchObject({
          overview: { totalConnections: 1 },
          connections: [{ clientInfo: { name: 'Python SDK', version } }],
        });
      });

      it('is told politely what there is not', () => {
        expect(outcome('profiler').value).toMatchObject({ active: false });
        expect(outcome('profiler start').value).toMatchObject({ status: 'error' });
        expect(outcome('unknown command')).toMatchObject({ error: 'Invalid command: rrext_no_such_command' });
        expect(outcome('still there')).toEqual({ value: null });
      });
    }
    if (since('1.5.0')) {
      it('reads connections page by page', () => {
        expect(outcome('connections').value).toMatchObject({ total: 1, page: 1, pageSize: 1, rows: [{}] });
        expect(outcome('profiler threads').value).toMatchObject({ status: 'error' });
      });
    }
  });

  if (since('1.1.0')) {
    script('store', (outcome) => {
      it('keeps files', () => {
        expect(outcome('write')).toEqual({ value: null });
        expect(outcome('read')).toEqual({ value: 'Hällo' });
        expect(outcome('json')).toEqual({ value: { list: [1, 'zwei', null] } });
        expect(outcome('stat').value).toMatchObject({ exists: true, type: 'file', size: 6 });
        expect(outcome('stat of nothing').value).toMatchObject({ exists: false });
      });

      it('reads and writes by handle, in pieces of at most 4 MiB', () => {
        const size = 256 * 20_000 + 5;
        expect(outcome('handles').value).toEqual({
          ...{ written: size, size, first: 4 * 1024 * 1024, same: true },
          after: { base64: '' },
        });
      });

      it('lists, makes, renames and removes', () => {
        expect(outcome('root').value).toMatchObject({ count: 2, entries: [{ name: 'empty', type: 'dir' }, {}] });
        expect(outcome('list').value).toMatchObject({
          count: 3,
          entries: [{ name: 'a.txt', type: 'file', size: 6 }, {}, {}],
        });
        expect(outcome('renamed')).toEqual({ value: 'Hällo' });
        for (const done of ['mkdir', 'rename', 'delete', 'rmdir', 'rmdir recursive']) {
          expect(outcome(done), done).toEqual({ value: null });
        }
        expect(outcome('empty root').value).toMatchObject({ count: 0 });
      });

      it('hears what cannot be done', () => {
        expect(outcome('missing').error).toBe('File not found: notes/a.txt');
        expect(outcome('outside').error).toContain('../key');
        expect(outcome('rmdir full').error).toBe('Directory not empty: notes');
        expect(outcome('delete again')).toHaveProperty('error');
      });

      it('keeps templates', () => {
        expect(outcome('template').value).toMatchObject({ project_id: 'template' });
        expect(outcome('templates').value).toMatchObject({ count: 1, templates: [{ id: 'first' }] });
        expect(outcome('delete template')).toEqual({ value: null });
        expect(outcome('no template')).toHaveProperty('error');
      });

      it('keeps logs of runs', () => {
        expect(outcome('save log')).toEqual({ value: 'webhook_1-1.5.log' });
        expect(outcome('logs').value).toMatchObject([{ name: 'webhook_1-1.5.log' }]);
        expect(outcome('log')).toEqual({ value: { body: { startTime: 1.5 } } });
        expect(outcome('no logs')).toEqual({ value: [] });
      });

      it('keeps variables, and says that accounts belong to hosted services', () => {
        expect(outcome('variables')).toEqual({ value: { keys: [] } });
        expect(outcome('variable names')).toEqual({ value: ['ROCKETRIDE_COLOUR'] });
        expect(outcome('variable values')).toEqual({ value: { ROCKETRIDE_COLOUR: 'green' } });
        expect(outcome('hosted')).toMatchObject({ error: 'Account management requires SaaS mode' });
      });
    });

    script('deploy', (outcome) => {
      it('keeps deployments', () => {
        const record = { pipeline: { project_id: 'deployed' }, state: 'active' };
        expect(outcome('add').value).toMatchObject({ ...record, schedule: '@daily' });
        expect(outcome('list').value).toMatchObject({ deployments: [record] });
        expect(outcome('status').value).toMatchObject({ ...record, schedule: 'manual' });
        expect(outcome('remove')).toEqual({ value: {} });
      });

      it('hears what is wrong with one', () => {
        expect(outcome('add again')).toMatchObject({ error: 'Deployment already exists: deployed' });
        expect(outcome('bad schedule').error).toContain("Invalid schedule 'sometimes'");
        expect(outcome('remove again')).toHaveProperty('error');
      });
    });
  }

  describe('its command line', () => {
    const token = 'CLI-task';
    let pipeline: string;
    let file: string;
    const cli = (...args: string[]): Promise<Run> =>
      environment.program('rocketride', args, {
        cwd: folder,
        env: { ROCKETRIDE_URI: server.url, ROCKETRIDE_APIKEY: server.key, NO_COLOR: '1' },
        timeoutMs: 60_000,
      });

    beforeAll(async () => {
      pipeline = join(folder, 'cli.pipe');
      file = join(folder, 'cli.txt');
      await writeFile(file, 'from the command line');
      await writeFile(pipeline, JSON.stringify(echoOnFile));
      // The older command lines watch a token before they start it, so the task has to be there for them.
      const starter = await RawClient.login(server.url, server.key);
      await starter.body('execute', { pipeline: echoOnFile, token, ttl: 0 });
      await starter.close();
    });

    it('lists tasks', async () => {
      const { code, stdout } = await cli('list', '--json');
      expect(code).toBe(0);
      expect(stdout).toContain(token);
    });

    it('uploads to a task and stops it', async () => {
      const uploaded = await cli('upload', file, '--token', token);
      expect(uploaded, uploaded.stdout).toMatchObject({ code: 0 });
      const stopped = await cli('stop', '--token', token);
      expect(stopped, stopped.stdout).toMatchObject({ code: 0 });
      expect(await cli('stop', '--token', 'nobody')).toMatchObject({ code: 1 });
    });

    if (since('1.1.0')) {
      it('works in the file store', async () => {
        expect(await cli('store', 'write', 'cli/a.txt', '--content', 'hello')).toMatchObject({ code: 0 });
        expect((await cli('store', 'dir', 'cli')).stdout).toContain('a.txt');
        expect((await cli('store', 'type', 'cli/a.txt')).stdout).toContain('hello');
        expect((await cli('store', 'stat', 'cli/a.txt')).stdout).toContain('size: 5');
        expect(await cli('store', 'mkdir', 'cli/more')).toMatchObject({ code: 0 });
        expect(await cli('store', 'rm', 'cli/a.txt')).toMatchObject({ code: 0 });
      });
    }
    if (since('1.5.0')) {
      it('starts a pipeline, and one for an upload', async () => {
        const { code, stdout } = await cli('start', '--pipeline', pipeline, '--token', 'CLI-started', '--json');
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toEqual({ token: 'CLI-started' });
        const uploaded = await cli('upload', file, '--pipeline', pipeline, '--json');
        expect(JSON.parse(uploaded.stdout)).toMatchObject({ uploaded: 1, failed: 0, totalBytes: 21 });
      });

      it('validates files', async () => {
        const bad = join(folder, 'bad.pipe');
        await writeFile(bad, JSON.stringify({ components: [{ id: 'a', provider: 'no_such_provider', config: {} }] }));
        const { code, stdout } = await cli('validate', pipeline, bad, '--json');
        expect(code).toBe(1);
        expect(JSON.parse(stdout)).toMatchObject({
          summary: { total: 2, valid: 1, invalid: 1 },
          files: [
            { valid: true, errors: [] },
            { valid: false, errors: [{ id: 'a' }, {}] },
          ],
        });
      });

      it('shows the state of the profiler', async () => {
        expect((await cli('profile', 'status')).stdout).toContain('inactive');
      });
    }
  });
});

/** The fields of a task's status that these clients read. */
const statusFields = [
  ...['name', 'project_id', 'source', 'completed', 'state', 'startTime', 'endTime', 'debuggerAttached', 'status'],
  ...['warnings', 'errors', 'currentObject', 'currentSize', 'notes', 'totalSize', 'totalCount', 'completedSize'],
  ...['completedCount', 'failedSize', 'failedCount', 'wordsSize', 'wordsCount', 'rateSize', 'rateCount', 'serviceUp'],
  ...['exitCode', 'exitMessage', 'pipeflow', 'metrics', 'tokens', 'componentStats', 'slowestDocs'],
  ...['completionSeconds', 'idleSeconds', 'idleLongestSeconds', 'idleLongestAt'],
];

const echoOnFile = {
  project_id: 'cli',
  source: 'webhook_1',
  components: [
    { id: 'webhook_1', provider: 'webhook', config: { mode: 'Source' } },
    {
      id: 'response_1',
      provider: 'response_text',
      config: { laneName: 'text' },
      input: [{ lane: 'text', from: 'webhook_1' }],
    },
  ],
};
