import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Command, type Finished, runCommand, startCommand } from './support/command.js';
import { chatWith, echo, obeying } from './support/pipelines.js';
import { eventually } from './support/poll.js';
import { startScriptedModel } from './support/scriptedModel.js';
import { startServer, type TestServer } from './support/server.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';

const root = resolve(import.meta.dirname, '..');
const script = join(root, 'client', 'typescript', 'dist', 'cli.js');
const echoPipeline = join(root, 'examples', 'pipelines', 'echo.pipe.json');
const temporary = temporaryDirectories();
let server: TestServer;

beforeAll(async () => {
  server = await startServer({ args: ['--components', join(root, 'test', 'support', 'components')] });
  const done = await millrace(['start', echoPipeline, '--token', 'echo-task', '--ttl', '0', '--trace', 'full']);
  expect(done).toEqual({ code: 0, stdout: 'echo-task\n', stderr: '' });
});

afterAll(() => server.stop());

function environment(): Record<string, string> {
  return { MILLRACE_URI: server.url, MILLRACE_APIKEY: server.key };
}

function millrace(args: readonly string[], input?: string | Uint8Array, cwd?: string): Promise<Finished> {
  const optional = { ...(input === undefined ? {} : { input }), ...(cwd === undefined ? {} : { cwd }) };
  return runCommand(script, args, { env: environment(), ...optional });
}

/** The parsed output of a command with --json that must succeed. */
async function json<T>(args: readonly string[], code = 0): Promise<T> {
  const done = await millrace([...args, '--json']);
  expect(done.stderr).toBe('');
  expect(done.code).toBe(code);
  return JSON.parse(done.stdout) as T;
}

async function statusOf(token: string): Promise<Record<string, unknown>> {
  return json(['status', '--once', '--token', token]);
}

describe('exit codes', () => {
  it('are told by the help', async () => {
    const { code, stdout } = await millrace(['--help']);
    expect(code).toBe(0);
    for (const line of ['2    the command line is wrong', '3    no connection', '4    the key', '5    some files']) {
      expect(stdout).toContain(line);
    }
  });

  it.each([
    ['an unknown command', ['dance'], 2],
    ['an unknown option', ['list', '--dance'], 2],
    ['a missing token', ['stop'], 2],
    ['a file that does not match', ['upload', 'no-such-*.pdf', '--token', 'echo-task'], 2],
    ['an unknown task', ['status', '--once', '--token', 'nobody'], 1],
    ['a wrong key', ['list', '--apikey', 'wrong'], 4],
    ['no server', ['list', '--uri', 'http://127.0.0.1:9'], 3],
  ])('for %s: what was wrong goes to standard error', async (_, args, code) => {
    const done = await millrace(args);
    expect(done.code).toBe(code);
    expect(done.stderr).toMatch(/^error: .+\n/);
    expect(done.stdout).toBe('');
  });

  it('says that the key is missing when there is none', async () => {
    const done = await runCommand(script, ['list'], { env: { MILLRACE_URI: server.url }, cwd: await temporary() });
    expect(done.code).toBe(4);
    expect(done.stderr).toContain('MILLRACE_APIKEY');
  });
});

describe('start, list and stop', () => {
  it('names the token, lists the task and ends it', async () => {
    const started = await json<{ token: string; publicToken: string }>(['start', echoPipeline, '--name', 'nightly']);
    expect(started).toMatchObject({
      token: matching(/^tk_/),
      source: 'in',
      provider: 'webhook',
      publicToken: matching(/^pk_/),
    });
    const tasks = await json<{ token: string }[]>(['list']);
    expect(tasks.map(({ token }) => token)).toEqual(expect.arrayContaining(['echo-task', started.token]));
    expect((await millrace(['list'])).stdout).toMatch(/^TOKEN +NAME +SOURCE +STATUS\n/);
    expect(await millrace(['stop', '--token', started.token])).toMatchObject({ code: 0, stdout: '' });
    expect(await statusOf(started.token)).toMatchObject({ completed: true, state: 6, exitCode: 0 });
  });

  it('says why a pipeline cannot start', async () => {
    const file = join(await temporary(), 'bad.pipe');
    await writeFile(file, '{ source: "a", components: [{ id: "a", provider: "nonsense", config: {} }] }');
    const done = await millrace(['start', file]);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain('nonsense');
  });

  it('refuses a token that is in use, and joins its task with --use-existing', async () => {
    const again = ['start', echoPipeline, '--token', 'echo-task'];
    expect(await millrace(again)).toMatchObject({ code: 1, stderr: matching(/already running/) });
    expect(await millrace([...again, '--use-existing'])).toMatchObject({ code: 0, stdout: 'echo-task\n' });
  });
});

describe('sending', () => {
  it('prints what came back for a text, a file and standard input', async () => {
    const file = join(await temporary(), 'greeting.txt');
    await writeFile(file, 'Good morning');
    const task = ['--token', 'echo-task'];
    expect(await millrace(['send', 'Hello', ...task])).toEqual({ code: 0, stdout: 'Hello\n', stderr: '' });
    expect(await millrace(['send', '--file', file, ...task])).toEqual({
      code: 0,
      stdout: 'Good morning\n',
      stderr: '',
    });
    expect(await millrace(['send', ...task], 'Grüß Gott')).toEqual({ code: 0, stdout: 'Grüß Gott\n', stderr: '' });
    const result = await json(['send', '--file', file, ...task]);
    expect(result).toMatchObject({
      name: 'greeting.txt',
      path: '',
      text: ['Good morning\n\n'],
      result_types: ['text'],
    });
  });

  it('streams standard input as one object with pipe', async () => {
    const text = 'one line of a log\n'.repeat(100_000);
    const args = ['pipe', '--token', 'echo-task', '--mime', 'text/plain', '--name', 'app.log', '--json'];
    const done = await millrace(args, text);
    expect(done.code).toBe(0);
    const result = JSON.parse(done.stdout) as { name: string; text: string[] };
    expect(result.name).toBe('app.log');
    // Every piece that arrives is a text of its own, which the response ends with two line feeds.
    expect(result.text.join('').replaceAll('\n', '')).toBe(text.replaceAll('\n', ''));
  });

  it('ends the task that it started for itself, also when it is interrupted', async () => {
    const before = await json<unknown[]>(['list']);
    expect(await millrace(['send', '--pipeline', echoPipeline, 'x'])).toMatchObject({ code: 0, stdout: 'x\n' });
    const attached = startCommand(script, ['start', echoPipeline, '--attach'], { env: environment() });
    await attached.shows(/^running/m);
    expect(await json<unknown[]>(['list'])).toHaveLength(before.length + 1);
    attached.kill('SIGINT');
    expect((await attached.finished).code).toBe(130);
    expect(await json<unknown[]>(['list'])).toEqual(before);
  });
});

describe('upload', () => {
  it('uploads by pattern and from folders, with the names of subfolders', async () => {
    const folder = await temporary();
    await mkdir(join(folder, 'more', 'deep'), { recursive: true });
    await writeFile(join(folder, 'a.txt'), 'A');
    await writeFile(join(folder, 'b.txt'), 'B');
    await writeFile(join(folder, 'more', 'deep', 'c.txt'), 'C');
    const done = await millrace(['upload', '*.txt', 'more', '--token', 'echo-task', '--json'], '', folder);
    expect(done.code).toBe(0);
    const results = JSON.parse(done.stdout) as Record<string, unknown>[];
    expect(results).toEqual(
      ['a.txt', 'b.txt', 'deep/c.txt'].map(
        () => expect.objectContaining({ action: 'complete', file_size: 1 }) as unknown,
      ),
    );
    expect(results.map(({ result }) => (result as { text: string[] }).text[0])).toEqual(['A\n\n', 'B\n\n', 'C\n\n']);
    expect((results[2]?.['result'] as { path: string }).path).toBe('deep');
  });

  it('exits with 5 when a file fails, and still uploads the others', async () => {
    const folder = await temporary();
    const file = join(folder, 'obey.pipe.json');
    await writeFile(file, JSON.stringify(obeying));
    const texts = { 'a.txt': 'fine', 'b.txt': 'fail I cannot read this', 'c.txt': 'fine too' };
    for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
    const done = await millrace(['upload', 'a.txt', 'b.txt', 'c.txt', '--pipeline', file, '--json'], '', folder);
    expect(done).toMatchObject({ code: 5, stderr: '' });
    const results = JSON.parse(done.stdout) as Upload[];
    expect(results.map(({ action }) => action)).toEqual(['complete', 'error', 'complete']);
    expect(results[1]?.error).toBe('I cannot read this');
    const shown = await millrace(['upload', 'b.txt', '--pipeline', file], '', folder);
    expect(shown).toMatchObject({ code: 5, stdout: 'error  b.txt: I cannot read this\n' });
  });
});

/** For use inside of expected objects. */
function matching(pattern: RegExp): string {
  return expect.stringMatching(pattern) as string;
}

interface Sarif {
  runs: {
    tool: { driver: { rules: { id: string }[] } };
    results: {
      ruleId: string;
      ruleIndex: number;
      level: string;
      message: { text: string };
      locations: { physicalLocation: { artifactLocation: { uri: string }; region: Record<string, number> } }[];
    }[];
  }[];
}

interface Upload {
  action: string;
  error?: string;
}

describe('chat', () => {
  it('prints the answer piece by piece as the model says it, and keeps the conversation', async () => {
    const model = await startScriptedModel([{ say: ['Four', ' of', ' them.'] }, { say: 'You asked for a number.' }]);
    const file = join(await temporary(), 'chat.pipe.json');
    await writeFile(file, JSON.stringify(chatWith(model.baseUrl)));
    const done = await millrace(['chat', '--pipeline', file], 'How many?\nWhat did I ask?\n/exit\nignored\n');
    expect(done).toEqual({ code: 0, stdout: 'Four of them.\nYou asked for a number.\n', stderr: '' });
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests[1]?.body)).toContain('Four of them.');
    await model.close();
  });

  it('gives one answer as JSON', async () => {
    const model = await startScriptedModel([{ say: '{"count": 4}' }]);
    const file = join(await temporary(), 'chat.pipe.json');
    await writeFile(file, JSON.stringify(chatWith(model.baseUrl)));
    const result = await json(['chat', 'How many?', '--expect-json', '--pipeline', file]);
    expect(result).toMatchObject({ answers: [{ count: 4 }], result_types: ['answers'] });
    await model.close();
  });

  it('fails when the model does, with the reason', async () => {
    const model = await startScriptedModel([{ status: 401, error: 'No such account' }]);
    const file = join(await temporary(), 'chat.pipe.json');
    await writeFile(file, JSON.stringify(chatWith(model.baseUrl)));
    const done = await millrace(['chat', 'Hello?', '--pipeline', file]);
    expect(done).toMatchObject({ code: 1, stdout: '', stderr: matching(/^error: model: .*No such account/s) });
    await model.close();
  });
});

describe('watching', () => {
  it('shows the status once as text', async () => {
    const { code, stdout } = await millrace(['status', '--once', '--token', 'echo-task']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^state +running\n/);
    expect(stdout).toMatch(/^objects +\d+ done, 0 failed, \d+ in all$/m);
    expect(stdout).not.toContain('\u001b');
  });

  it('follows the status until the task ends, one JSON object a line', async () => {
    await millrace(['start', echoPipeline, '--token', 'followed']);
    const args = ['status', '--token', 'followed', '--json'];
    const watching = startCommand(script, args, { env: environment() });
    await watching.shows(/"state":3/);
    await millrace(['stop', '--token', 'followed']);
    const { code, stdout } = await watching.finished;
    expect(code).toBe(0);
    const states = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { state: number; completed: boolean });
    expect(states.at(-1)).toMatchObject({ state: 6, completed: true });
  });

  it('prints and logs events until it is interrupted', async () => {
    const log = join(await temporary(), 'events.jsonl');
    const args = ['events', 'flow', '--token', 'echo-task', '--json', '--log', log];
    const watching: Command = startCommand(script, args, { env: environment() });
    const seen = await eventually('a flow event', async () => {
      await millrace(['send', 'watched', '--token', 'echo-task']);
      return watching.stdout().includes('"op":"end"');
    });
    expect(seen).toBe(true);
    watching.kill('SIGINT');
    const { code, stdout } = await watching.finished;
    expect(code).toBe(130);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect(events.every(({ event }) => event === 'apaevt_flow')).toBe(true);
    expect(await readFile(log, 'utf8')).toBe(stdout);
  });
});

describe('validate', () => {
  it('exits with 0 for a valid pipeline', async () => {
    expect(await millrace(['validate', echoPipeline])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: matching(/is valid/),
    });
    expect(await json(['validate', echoPipeline])).toMatchObject({ errors: [], resolved: { id: 'in' } });
  });

  it('exits with 1 for a bad one and lists what is wrong', async () => {
    const file = join(await temporary(), 'bad.pipe');
    const [source, out] = echo.components;
    const components = [source, { ...out, input: [{ from: 'nobody', lane: 'text' }] }];
    await writeFile(file, JSON.stringify({ ...echo, components }));
    const done = await millrace(['validate', file]);
    expect(done).toMatchObject({ code: 1, stdout: matching(/^error +.*nobody/) });
    const { errors } = await json<{ errors: string[] }>(['validate', file], 1);
    expect(errors).toEqual([expect.stringContaining('nobody')]);
  });
});

describe('format', () => {
  it('forms the files it is given, says which, and changes nothing the second time', async () => {
    const folder = await temporary();
    const untidy = join(folder, 'untidy.pipe');
    const broken = join(folder, 'broken.pipe');
    await writeFile(untidy, '{components:[ /* none */ ],// yet\nsource:"a"}');
    await writeFile(broken, '{ components:   [');
    expect(await millrace(['format', untidy, echoPipeline, '--check'])).toMatchObject({
      code: 1,
      stdout: `${untidy}\n`,
    });
    expect(await millrace(['format', untidy, echoPipeline])).toEqual({ code: 0, stdout: `${untidy}\n`, stderr: '' });
    expect(await readFile(untidy, 'utf8')).toBe('{\n  components: [/* none */], // yet\n  source: "a"\n}\n');
    expect(await millrace(['format', untidy, '--check'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await millrace(['format', broken])).toMatchObject({ code: 1, stdout: '', stderr: matching(/is broken/) });
    expect(await readFile(broken, 'utf8')).toBe('{ components:   [');
    expect(await json(['format', untidy, broken], 1)).toEqual([
      { file: untidy, result: 'unchanged' },
      { file: broken, result: 'broken' },
    ]);
    expect(await millrace(['format', untidy, '--indent', '0'])).toMatchObject({ code: 2 });
  });

  it('never touches a file that is no text in UTF-8, and keeps a byte order mark', async () => {
    const folder = await temporary();
    const latin = join(folder, 'latin.pipe');
    const marked = join(folder, 'marked.pipe');
    const bytes = Buffer.from('{components:[], note:"caf\xe9"}', 'latin1');
    await writeFile(latin, bytes);
    await writeFile(marked, '\ufeff{components:[]}');
    expect(await millrace(['format', latin, marked])).toEqual({
      code: 1,
      stdout: `${marked}\n`,
      stderr: matching(/latin\.pipe is unreadable and was left as it is/),
    });
    expect(await readFile(latin)).toEqual(bytes);
    expect(await readFile(marked, 'utf8')).toBe('\ufeff{ components: [] }\n');
    expect(await json(['format', latin, marked, join(folder, 'none.pipe')], 1)).toEqual([
      { file: latin, result: 'unreadable' },
      { file: marked, result: 'unchanged' },
      { file: join(folder, 'none.pipe'), result: 'unreadable' },
    ]);
  });

  it('takes folders and patterns, and says that stdin is no file', async () => {
    const folder = await temporary();
    const files = ['b.pipe', 'a/c.pipe.json', 'a/D.PIPE.JSON5'].map((name) => join(folder, name));
    const others = ['notes.json', 'node_modules/x.pipe', '.hidden/y.pipe'].map((name) => join(folder, name));
    for (const file of [...files, ...others]) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, '{"components":[]}');
    }
    await symlink('..', join(folder, 'a', 'up'));
    expect((await millrace(['format', folder, '--check'])).stdout.split('\n').sort()).toEqual(['', ...files].sort());
    expect((await millrace(['format', `${folder}/**/*.json`, '--check'])).stdout.trim().split('\n')).toEqual([
      files[1],
      others[0],
    ]);
    expect(await millrace(['format', '-'], '{}')).toMatchObject({ code: 2, stderr: matching(/reads no stdin/) });
  });
});

describe('lint', () => {
  const bad = `{\n  source: 'in',\n  components: [\n    { id: 'in', provider: 'webhok', config: {} },\n  ],\n}\n`;

  it('finds nothing in the examples and needs no server for it', async () => {
    const done = await millrace(['lint', echoPipeline, '--uri', 'http://127.0.0.1:1']);
    expect(done).toMatchObject({ code: 0, stdout: '', stderr: '1 file: 0 errors, 0 warnings.\n' });
  });

  it('prints what is wrong where, as text, JSON and SARIF, and exits with 1', async () => {
    const file = join(await temporary(), 'bad.pipe.json5');
    await writeFile(file, bad);
    const text = await millrace(['lint', file]);
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/^.*bad\.pipe\.json5:4:27: error provider_unknown: .*did you mean "webhook"\?\n/);
    const [linted] = await json<{ file: string; problems: object[] }[]>(['lint', file], 1);
    expect(linted?.problems[0]).toMatchObject({ line: 4, column: 27, endColumn: 35, code: 'provider_unknown' });
    const { runs } = await json<{ runs: { results: object[] }[] }>(['lint', file, '--sarif'], 1);
    expect(runs[0]?.results[0]).toMatchObject({ ruleId: 'provider_unknown', level: 'error' });
  });

  it('fails for warnings unless only errors count', async () => {
    const file = join(await temporary(), 'warns.pipe');
    const [source] = echo.components;
    await writeFile(file, JSON.stringify({ ...echo, components: [source] }));
    expect(await millrace(['lint', file])).toMatchObject({ code: 1, stdout: matching(/ warning no_response: /) });
    expect(await millrace(['lint', file, '--severity', 'error'])).toMatchObject({ code: 0 });
  });

  it('says so when a file does not exist, and checks the others', async () => {
    const done = await millrace(['lint', 'nowhere.pipe', echoPipeline]);
    expect(done).toMatchObject({ code: 1, stdout: matching(/^nowhere\.pipe:1:1: error file_unreadable: .*no such/) });
    expect(done.stderr).toBe('2 files: 1 error, 0 warnings.\n');
  });

  it.each([
    ['no file', []],
    ['a pattern that nothing fits', ['no-such-*.pipe']],
    ['a severity that does not exist', [echoPipeline, '--severity', 'loud']],
    ['a code that does not exist', [echoPipeline, '--rule', 'unreachabel=off']],
    ['a file with variables that is not there', [echoPipeline, '--variables', 'nowhere.env']],
  ])('takes %s for a mistake of the command line', async (_, args) => {
    const done = await millrace(['lint', ...args, '--json']);
    expect(done).toMatchObject({ code: 2, stdout: '', stderr: matching(/^error: .+\n +→ /) });
  });

  it('writes SARIF as its schema wants it', async () => {
    const folder = await temporary();
    await writeFile(join(folder, 'größe 1.pipe'), bad);
    await writeFile(join(folder, 'whole.pipe'), bad.replace('],', "{ id: 'b', provider: 'hash', config: {} }],"));
    const args = ['lint', 'größe 1.pipe', join(folder, 'whole.pipe'), '--sarif'];
    const done = await millrace(args, undefined, folder);
    expect(done).toMatchObject({ code: 1, stderr: '' });
    const log = JSON.parse(done.stdout) as Sarif;
    expect(Object.keys(log).sort()).toEqual(['$schema', 'runs', 'version']);
    expect(log).toMatchObject({ version: '2.1.0', $schema: matching(/^https:.*sarif-2\.1\.0\.json$/) });
    const [run] = log.runs;
    const { rules } = run?.tool.driver ?? {};
    const addresses = run?.results.map(({ ruleId, ruleIndex, level, message, locations }) => {
      expect(rules?.[ruleIndex]?.id).toBe(ruleId);
      expect(['error', 'warning', 'note']).toContain(level);
      expect(message.text).not.toBe('');
      const [{ physicalLocation: place } = { physicalLocation: undefined }] = locations;
      const { startLine = 0, startColumn = 0, endLine = 0, endColumn = 0 } = place?.region ?? {};
      expect([startLine, startColumn].every((each) => Number.isInteger(each) && each >= 1)).toBe(true);
      expect(endLine > startLine || endColumn >= startColumn).toBe(true);
      return place?.artifactLocation.uri;
    });
    expect(addresses).toContain('gr%C3%B6%C3%9Fe%201.pipe');
    expect(addresses).toContain(pathToFileURL(join(folder, 'whole.pipe')).href);
  });
});

describe('the store', () => {
  it('writes, shows, lists and deletes files', async () => {
    const file = join(await temporary(), 'data.bin');
    await writeFile(file, Buffer.from([0, 1, 2, 255, 10]));
    expect(await millrace(['store', 'write', 'notes/today.txt', '--content', 'Hello'])).toMatchObject({ code: 0 });
    expect(await json(['store', 'write', 'notes/data.bin', '--file', file])).toMatchObject({ bytesWritten: 5 });
    expect(await millrace(['store', 'type', 'notes/today.txt'])).toEqual({ code: 0, stdout: 'Hello', stderr: '' });
    expect(await json(['store', 'dir', 'notes'])).toMatchObject([{ name: 'data.bin', size: 5 }, { name: 'today.txt' }]);
    expect(await json(['store', 'stat', 'notes'])).toMatchObject({ exists: true, type: 'dir' });
    expect(await json(['store', 'stat', 'nothing'], 1)).toEqual({ exists: false });
    expect(await millrace(['store', 'mkdir', 'empty'])).toMatchObject({ code: 0 });
    expect((await millrace(['store', 'dir'])).stdout).toMatch(/<dir>.*empty\n.*<dir>.*notes\n/s);
    expect(await millrace(['store', 'rm', 'notes'])).toMatchObject({ code: 1 });
    expect(await millrace(['store', 'rm', 'notes/today.txt'])).toMatchObject({ code: 0 });
    expect(await millrace(['store', 'rm', 'notes', '--recursive'])).toMatchObject({ code: 0 });
    expect(await millrace(['store', 'type', 'notes/today.txt'])).toMatchObject({
      code: 1,
      stderr: matching(/File not found/),
    });
  });
});

describe('services and completion', () => {
  it('lists the providers and describes one', async () => {
    expect((await millrace(['services'])).stdout).toMatch(/^webhook +source/m);
    expect(await json(['services', 'webhook'])).toMatchObject({ title: expect.any(String) as string });
    expect(await millrace(['services', 'nonsense'])).toMatchObject({ code: 1, stderr: matching(/nonsense/) });
  });

  it.each(['bash', 'zsh', 'fish'])('prints the completion of %s without a server', async (shell) => {
    const done = await runCommand(script, ['completion', shell]);
    expect(done).toMatchObject({ code: 0, stdout: matching(/upload/), stderr: '' });
  });
});
