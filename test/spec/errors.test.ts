import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { built } from '../support/builtClient.js';
import { echo, obeying } from '../support/pipelines.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { itWithPython, pythonDoor, pythonIsThere } from './python.js';
import { specSession } from './session.js';

const temporary = temporaryDirectories();
const session = specSession();
const python = pythonDoor(session);
const { AuthenticationError, FileNotFoundError, MillraceError, PipeError, TaskError, ValidationError } = built;

beforeAll(async () => {
  await session.client.use({ pipeline: echo, token: 'echo', ttl: 0 });
  await session.client.use({ pipeline: obeying, token: 'obey', ttl: 0 });
});

/** Row → what fails so in Python, given `folder`, `refusing` and `two_sources`; and the class of the table. */
const inPython: Record<string, [operations: string[], expected: string]> = {
  'start: neither `filepath` nor `pipeline`': [['client.use()'], 'ValueError'],
  'start: the file does not exist': [["client.use(filepath=folder + '/none.pipe')"], 'FileNotFoundError'],
  'start: invalid JSON in the file': [["client.use(filepath=folder + '/bad.pipe')"], 'JSONDecodeError'],
  'start: the pipeline failed to start': [['client.use(refusing)'], 'RuntimeError'],
  'start, status: invalid or missing API key': [
    ["MillraceClient(auth='wrong').connect()", "MillraceClient(auth='').connect()"],
    'AuthenticationError',
  ],
  'status: an invalid token': [["client.get_task_status('nobody')"], 'RuntimeError'],
  'send, pipe: data is neither text nor bytes': [
    ["client.send('echo', 7)", "(await client.pipe('echo', {}, 'text/plain').open()).write(7)"],
    'ValueError',
  ],
  'send, pipe: not running, or the operation failed': [
    [
      "client.send('nobody', 'x')",
      "client.send('', 'x')",
      "client.pipe('nobody').open()",
      "client.pipe('echo', {}, 'text/plain', 'chat').open()",
      "client.pipe('echo').write(b'before it is open')",
    ],
    'RuntimeError',
  ],
  'send_files: a path does not exist': [["client.send_files([folder + '/none.txt'], 'echo')"], 'FileNotFoundError'],
  'validate: the server returned an error': [['client.validate(two_sources)'], 'RuntimeError'],
};

describe('Errors in Python', () => {
  let told: Record<string, string[][]> = {};
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-spec-'));
    await writeFile(join(folder, 'bad.pipe'), '{ "components": [ oops ] }');
    const [source, obey, out] = obeying.components;
    const refusing = { source: 'in', components: [source, { ...obey, config: { refuse: 'no' } }, out] };
    const given = { folder, refusing, two_sources: { components: [source, { ...source, id: 'second' }] } };
    const rows = Object.entries(inPython).map(
      ([row, [operations]]) =>
        `${JSON.stringify(row)}: [${operations.map((each) => `await classes(${each})`).join(', ')}],`,
    );
    if (pythonIsThere) {
      told = (await python.coroutine(`return {\n${rows.join('\n')}\n}`, given)) as typeof told;
    }
    await rm(folder, { recursive: true });
  });

  for (const [row, [operations, expected]] of Object.entries(inPython)) {
    itWithPython(`${row}: ${expected}`, () => {
      expect(told[row]).toHaveLength(operations.length);
      for (const classes of told[row] ?? []) expect(classes).toContain(expected);
    });
  }
});

describe('Errors', () => {
  it('start: neither `filepath` nor `pipeline`', async () => {
    await expect(session.client.use({})).rejects.toBeInstanceOf(ValidationError);
  });

  it('start: the configuration file does not exist', async () => {
    const failing = session.client.use({ filepath: join(await temporary(), 'none.pipe') });
    await expect(failing).rejects.toThrow(/none\.pipe/);
    await expect(failing).rejects.toBeInstanceOf(FileNotFoundError);
  });

  it('start: invalid JSON in the configuration file', async () => {
    const filepath = join(await temporary(), 'bad.pipe');
    await writeFile(filepath, '{\n  "components": [ oops ] }');
    const failing = session.client.use({ filepath });
    await expect(failing).rejects.toMatchObject({ code: 'pipeline_syntax' });
    await expect(failing).rejects.toThrow(/bad\.pipe: .*line 2, column \d+/s);
  });

  it('start: the pipeline failed to start, with details', async () => {
    const [source, obey, out] = obeying.components;
    const refusing = { ...obey, config: { refuse: 'the moon is not full' } };
    const pipeline = { source: 'in', components: [source, refusing, out] };
    await expect(session.client.use({ pipeline })).rejects.toThrow(/the moon is not full/);
    await expect(session.client.use({ pipeline })).rejects.toBeInstanceOf(TaskError);
  });

  it('start, status: invalid or missing API key', async () => {
    for (const auth of ['wrong', '']) {
      await expect(session.another({ auth }).connect()).rejects.toBeInstanceOf(AuthenticationError);
      const headers = auth === '' ? {} : { authorization: `Bearer ${auth}` };
      expect((await fetch(`${session.server.url}/task?token=echo`, { headers })).status).toBe(401);
    }
  });

  it('status: it cannot be read, as with an invalid token', async () => {
    await expect(session.client.getTaskStatus('nobody')).rejects.toBeInstanceOf(TaskError);
  });

  it('send, pipe: data is neither text nor bytes', async () => {
    await expect(session.client.send('echo', 7 as unknown as string)).rejects.toBeInstanceOf(ValidationError);
    const pipe = await session.client.pipe('echo', {}, 'text/plain').open();
    await expect(pipe.write(7 as unknown as string)).rejects.toBeInstanceOf(ValidationError);
    await pipe.close();
  });

  it('send, pipe: the pipeline is not running, or the operation failed', async () => {
    await expect(session.client.send('nobody', 'x')).rejects.toBeInstanceOf(TaskError);
    await expect(session.client.pipe('nobody').open()).rejects.toBeInstanceOf(TaskError);
    await expect(session.client.pipe('echo', {}, 'text/plain', 'chat').open()).rejects.toBeInstanceOf(PipeError);
    expect(await session.client.send('obey', 'fail it')).toMatchObject({ error: { message: 'it' } });
  });

  it('send_files: a path does not exist', async () => {
    await expect(session.client.sendFiles(['none.txt'], 'echo')).rejects.toBeInstanceOf(FileNotFoundError);
  });

  it('validate: the server returned an error', async () => {
    const [source] = echo.components;
    const pipeline = { components: [source, { ...source, id: 'second' }] };
    await expect(session.client.validate(pipeline)).rejects.toBeInstanceOf(MillraceError);
  });

  it('rule 1: an invalid structure gives descriptive messages in `errors`', async () => {
    const [source, out] = echo.components;
    const components = [source, { ...out, input: [{ from: 'nobody', lane: 'text' }] }];
    const { errors } = await session.client.validate({ source: 'in', components });
    expect(errors).toEqual([expect.stringMatching(/"out".*"nobody"/)]);
    const missing = await session.post('/pipe/validate', { pipeline: { source: 'in' } });
    expect(JSON.stringify(await missing.json())).toContain('components');
  });

  it('rule 2: a failed file is a result with `action` error', async () => {
    const file = join(await temporary(), 'bad.txt');
    await writeFile(file, 'fail here');
    expect(await session.client.sendFiles([file], 'obey')).toMatchObject([{ action: 'error', error: 'here' }]);
  });

  it('rule 3: a missing client package is 404 with a JSON error', async () => {
    const response = await fetch(`${session.server.url}/client/python/none-1.0.0-py3-none-any.whl`);
    expect(response.status).toBe(404);
    expect(await response.json()).toHaveProperty('error');
  });
});
