import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Uri } from 'vscode';
import manifest from '../../package.json' with { type: 'json' };
import { bundledCatalogue } from '../../pipeline/bundledCatalogue.js';
import { echo, obeying } from '../../test/support/pipelines.js';
import { eventually } from '../../test/support/poll.js';
import { SurroundingFiles } from '../language/surroundingFiles.js';
import type { AnalysisOptionsOf } from '../pipelines/analysisOptions.js';
import { startServer, type TestServer } from '../../test/support/server.js';
import { connectionsOf, fileUri, TestConnection, TestRuns } from '../debug/testing.js';
import { checkTask, runWork, validateWork } from './pipelineTasks.js';
import { TaskTerminal, type TerminalWork } from './taskTerminal.js';

const components = path.resolve(import.meta.dirname, '..', '..', 'test', 'support', 'components');
const catalogue = bundledCatalogue();
const analysis = () => ({ catalogue });
const host = { readPipeline: (file: Uri) => readFile(file.fsPath, 'utf8') };

let server: TestServer;
let connection: TestConnection;
let folder: string;

beforeAll(async () => {
  server = await startServer({ args: ['--components', components] });
});

afterAll(async () => {
  await server.stop();
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-test-'));
  connection = new TestConnection('Test server', server);
});

afterEach(async () => {
  if (connection.connected !== undefined) {
    for (const { token } of await connection.connected.getTasks()) await connection.connected.terminate(token);
  }
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

async function write(content: unknown): Promise<Uri> {
  const file = path.join(folder, 'a.pipe');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return fileUri(file);
}

/** Opens a terminal as the editor does. */
function open(work: TerminalWork, listened = Promise.resolve()) {
  const terminal = new TaskTerminal(work, listened);
  let output = '';
  terminal.onDidWrite((text) => (output += text));
  const exitCode = new Promise<number>((resolve) => terminal.onDidClose(resolve));
  terminal.open();
  return { terminal, exitCode, output: () => output };
}

describe('validate', () => {
  const validate = async (content: unknown) => {
    const { exitCode, output } = open(validateWork(await write(content), 'a.pipe', { host, connection, analysis }));
    return { exitCode: await exitCode, lines: output().split('\r\n').slice(0, -1) };
  };

  it('finds nothing wrong with a sound pipeline', async () => {
    expect(await validate(echo)).toEqual({ exitCode: 0, lines: ['a.pipe: no problems.'] });
  });

  it('prints each problem so that the problem matcher of the manifest reads it', async () => {
    const { exitCode, lines } = await validate({
      ...echo,
      components: [echo.components[0], { ...echo.components[1], input: [{ from: 'nobody', lane: 'text' }] }],
    });
    expect(exitCode).toBe(1);
    const pattern = manifest.contributes.problemPatterns[0];
    const match = new RegExp(pattern?.regexp ?? '').exec(lines[0] ?? '');
    const group = (name: 'file' | 'line' | 'severity' | 'message') => match?.[pattern?.[name] ?? 0];
    expect(group('file')).toBe(path.join(folder, 'a.pipe'));
    expect(group('severity')).toBe('error');
    expect(group('message')).toContain('nobody');
    const text = JSON.stringify({ ...echo }, null, 2);
    expect(Number(group('line'))).toBeGreaterThan(text.split('\n').findIndex((line) => line.includes('"id": "out"')));
  });

  it('says where a text is broken', async () => {
    const { exitCode, lines } = await validate('{\n  components: [\n    { id: "a", ]\n}');
    expect(exitCode).toBe(1);
    expect(lines[0]).toMatch(/[/\\]a\.pipe:3:\d+: error syntax_object_unclosed: /);
  });

  it('goes by the severities and variables that are known for the file', async () => {
    const [source, out] = echo.components;
    const lonely = { id: 'lonely', provider: 'hash', config: {} };
    const config = { laneName: '${MILLRACE_LANE}' };
    const file = await write({ ...echo, components: [source, { ...out, config }, lonely] });
    const linesWith = async (analysis: AnalysisOptionsOf) => {
      const { exitCode, output } = open(validateWork(file, 'a.pipe', { host, connection, analysis }));
      await exitCode;
      return output().match(/(?:warning|information|info) \w+/g) ?? [];
    };
    const environment = new Set<string>();
    expect(await linesWith(() => ({ catalogue, environment }))).toEqual([
      expect.stringContaining('variable_undefined'),
      expect.stringContaining('unreachable'),
    ]);
    const asked: string[] = [];
    const around = new SurroundingFiles({}, (uri) => (uri.endsWith('/.env') ? 'MILLRACE_LANE=text' : undefined));
    const known: AnalysisOptionsOf = (uri) => {
      asked.push(uri.path);
      const names = new Set(around.environment(uri.toString()).keys());
      return { catalogue, environment: names, severities: { unreachable: 'off' } };
    };
    expect(await linesWith(known)).toEqual([]);
    expect(asked).toEqual([file.path]);
  });

  it('says that an empty file is no pipeline', async () => {
    expect(await validate('')).toMatchObject({ exitCode: 1 });
  });

  it('knows the components of the server that is connected', async () => {
    expect((await validate(obeying)).lines[0]).toMatch(/provider_unknown|Unknown provider/i);
    await connection.client();
    expect(await validate(obeying)).toMatchObject({ exitCode: 0 });
  });

  it('has one message for a file that cannot be read', async () => {
    const { exitCode, output } = open(
      validateWork(fileUri(path.join(folder, 'gone.pipe')), 'gone.pipe', { host, connection, analysis }),
    );
    expect(await exitCode).toBe(1);
    expect(output()).toMatch(/^Error: .*gone\.pipe/);
  });
});

describe('run', () => {
  it('streams what the task says until it has ended, with its exit code', async () => {
    const runs = new TestRuns(connectionsOf(connection));
    const { exitCode, output } = open(runWork(await write(obeying), 'a.pipe', runs));
    await eventually('the start', () => output().includes('Started a.pipe on Test server.'));
    const client = await connection.client();
    const token = runs.all[0]?.info.token ?? '';
    await client.send(token, 'log one line', { name: 'x' }, 'text/plain');
    await eventually('the line', () => output().includes('one line\r\n'));
    await client.send(token, 'exit 7', { name: 'x' }, 'text/plain').catch(() => undefined);
    expect(await exitCode).toBe(7);
    expect(output()).toMatch(/Exit code 7\.\r\n$/);
  });

  it('stops the task when the terminal is closed', async () => {
    const runs = new TestRuns(connectionsOf(connection));
    const { terminal, exitCode, output } = open(runWork(await write(echo), 'a.pipe', runs));
    await eventually('the start', () => output().includes('Started'));
    terminal.close();
    expect(await exitCode).toBe(0);
    expect(await (await connection.client()).getTasks()).toEqual([]);
  });

  it('says why a pipeline cannot start', async () => {
    const runs = new TestRuns(connectionsOf(connection));
    const { exitCode, output } = open(runWork(await write({ components: [] }), 'a.pipe', runs));
    expect(await exitCode).toBe(1);
    expect(output()).toContain('does not have a source component');
  });
});

describe('a terminal to which the editor does not listen yet', () => {
  const greet: TerminalWork = (print) => {
    print('Hello.');
    return Promise.resolve(0);
  };

  it('prints nothing until it does', async () => {
    let listen = (): void => undefined;
    const { exitCode, output } = open(greet, new Promise((resolve) => (listen = resolve)));
    await new Promise(setImmediate);
    expect(output()).toBe('');
    listen();
    expect(await exitCode).toBe(0);
    expect(output()).toBe('Hello.\r\n');
  });

  it('does no work when it is closed meanwhile', async () => {
    let listen = (): void => undefined;
    const { terminal, exitCode, output } = open(greet, new Promise((resolve) => (listen = resolve)));
    terminal.close();
    listen();
    expect(await exitCode).toBe(1);
    expect(output()).toBe('Cancelled.\r\n');
  });
});

describe('a task of tasks.json', () => {
  it('names the field that is wrong', () => {
    expect(() => checkTask({ action: 'fly', file: 'a.pipe' })).toThrow('"action"');
    expect(() => checkTask({ action: 'run' })).toThrow('"file"');
    expect(checkTask({ action: 'run', file: 'a.pipe' })).toEqual({ action: 'run', file: 'a.pipe' });
  });
});
