import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StartInfo, UseOptions } from '../../client/typescript/src/index.js';
import { echo, obeying } from '../support/pipelines.js';
import { eventually } from '../support/poll.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { itWithPython, pythonDoor } from './python.js';
import { specSession } from './session.js';

const temporary = temporaryDirectories();
const session = specSession();
const python = pythonDoor(session);
let count = 0;

/** Starts a pipeline of a project of its own. */
function use(options: UseOptions = {}): Promise<StartInfo> {
  const pipeline = { ...echo, project_id: `start-${++count}`, ...options.pipeline };
  return session.client.use({ ...options, pipeline });
}

describe('Start request (`use`)', () => {
  it('`pipeline`: the configuration', async () => {
    const { token, projectId } = await use();
    expect(await session.client.getPipeline(token)).toMatchObject({ project_id: projectId });
  });

  it('`filepath`: a JSON or JSON5 file', async () => {
    const folder = await temporary();
    const texts = { 'a.json': JSON.stringify(echo), 'b.json5': `{ components: ${JSON.stringify(echo.components)}, }` };
    for (const [name, text] of Object.entries(texts)) {
      const filepath = join(folder, name);
      await writeFile(filepath, text);
      const { token } = await session.client.use({ filepath });
      await session.client.terminate(token);
    }
  });

  it('one of `pipeline` and `filepath` is required', async () => {
    await expect(session.client.use({})).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('`token`: one’s own; the server makes one when absent', async () => {
    expect((await use({ token: 'my own' })).token).toBe('my own');
    const made = [(await use()).token, (await use()).token];
    expect(new Set(made).size).toBe(2);
    for (const token of made) expect(token).not.toBe('');
  });

  it('`source`: overrides that of the configuration', async () => {
    const second = { id: 'second', provider: 'webhook', config: {} };
    const other = { id: 'other', provider: 'response_text', config: { laneName: 'other' } };
    const pipeline = {
      source: 'in',
      components: [...echo.components, second, { ...other, input: [{ from: 'second', lane: 'text' }] }],
    };
    const first = await use({ pipeline });
    expect(await session.client.send(first.token, 'x')).toMatchObject({ result_types: ['text'] });
    const overridden = await use({ pipeline, source: 'second' });
    expect(overridden).toMatchObject({ source: 'second' });
    expect(await session.client.send(overridden.token, 'x')).toMatchObject({ result_types: ['other'] });
    await expect(use({ pipeline, source: 'nobody' })).rejects.toThrow(/nobody/);
  });

  it('`threads`: so many objects at once; the server chooses when absent', async () => {
    const slow = { id: 'obey', provider: 'obey', config: { openMs: 200 }, input: [{ from: 'in', lane: 'text' }] };
    const answer = { id: 'out', provider: 'response', config: {}, input: [{ from: 'obey', lane: 'text' }] };
    const components = [echo.components[0], slow, answer];
    const { token } = await use({ pipeline: { components }, threads: 2, pipelineTraceLevel: 'metadata' });
    await Promise.all(Array.from({ length: 4 }, () => session.client.send(token, 'x')));
    await expect.poll(async () => (await session.client.getTaskStatus(token)).pipeflow.totalPipes).toBe(2);
    const { token: chosen } = await use();
    expect(await session.client.send(chosen, 'x')).toMatchObject({ text: ['x\n\n'] });
    for (const threads of [0, 65, 1.5]) {
      await expect(use({ threads })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('`use_existing` / `useExisting`: joins the pipeline of the same token', async () => {
    const first = await use({ token: 'shared' });
    await expect(use({ token: 'shared' })).rejects.toMatchObject({ code: 'task_exists' });
    expect(await use({ token: 'shared', useExisting: true })).toEqual(first);
    const body = { pipeline: echo, token: 'shared', use_existing: true, auth: session.server.key };
    expect(await (await session.post('/task', body)).json()).toMatchObject({ status: 'OK', data: first });
  });

  it('`args`: passed to the pipeline', async () => {
    const { token } = await session.client.use({ pipeline: obeying, args: ['--fast', 'two'] });
    expect(await session.client.send(token, 'args')).toMatchObject({ text: ['--fast two\n\n'] });
    const bad = { pipeline: echo, args: 'no list' } as unknown as UseOptions;
    await expect(session.client.use(bad)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('`ttl`: seconds without work, then the task ends; 0 means never', async () => {
    const slow = { id: 'obey', provider: 'obey', config: { openMs: 4000 }, input: [{ from: 'in', lane: 'text' }] };
    const answer = { ...echo.components[1], input: [{ from: 'obey', lane: 'text' }] };
    const { token: lasting } = await use({ ttl: 0 });
    const { token } = await use({ ttl: 1 });
    const { token: busy } = await use({ pipeline: { components: [echo.components[0], slow, answer] }, ttl: 3 });
    // Work that takes longer is no idle time.
    expect(await session.client.send(busy, 'x')).toMatchObject({ text: ['x\n\n'] });
    for (const idle of [token, busy]) {
      await eventually('the task has ended', async () => (await session.client.getTaskStatus(idle)).completed);
    }
    expect(await session.client.getTaskStatus(lasting)).toMatchObject({ completed: false });
    await expect(use({ ttl: -1 })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it.each(['none', 'metadata', 'summary', 'full'] as const)('`pipelineTraceLevel`: %s', async (level) => {
    const { token } = await use({ pipelineTraceLevel: level });
    const details: { op: string }[] = [];
    const stop = session.client.listen(({ event, body }) => {
      if (event === 'apaevt_flow') details.push(body as { op: string });
    });
    const subscription = await session.client.subscribe({ token }, ['flow']);
    await session.client.send(token, 'traced data');
    await session.client.ping();
    stop();
    await subscription.dispose();
    expect(details.length > 0).toBe(level !== 'none');
    // `summary` has what came out, `full` also what went from component to component.
    const showing = details.filter((each) => JSON.stringify(each).includes('traced data')).map(({ op }) => op);
    expect(showing.includes('end')).toBe(level === 'summary' || level === 'full');
    expect(showing.includes('enter')).toBe(level === 'full');
  });

  it('`pipelineTraceLevel`: nothing else', async () => {
    const options = { pipelineTraceLevel: 'loud' } as unknown as UseOptions;
    await expect(use(options)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('start result: an object with `token` and other metadata', async () => {
    expect(await use({ token: 'result' })).toMatchObject({ token: 'result', source: 'in', provider: 'webhook' });
  });

  itWithPython('Python: the same parameters, `use_existing` among them', async () => {
    const folder = await temporary();
    await writeFile(
      join(folder, 'a.json5'),
      `{ project_id: 'a file', components: ${JSON.stringify(echo.components)}, }`,
    );
    const body = `
own = await client.use(pipeline, token='python', source='in', threads=1, args=['a', 'b'], ttl=0, pipelineTraceLevel='metadata')
refused = await classes(client.use(pipeline, token='python'))
joined = await client.use(pipeline, token='python', use_existing=True)
text = (await client.send('python', 'args'))['text']
status = await client.get_task_status('python')
file = await client.use(filepath=folder + '/a.json5')
return {'own': own, 'refused': refused, 'joined': joined, 'text': text, 'stats': list(status['componentStats']), 'file': file}
`;
    const told = (await python.coroutine(body, { pipeline: obeying, folder })) as Record<string, unknown>;
    expect(told).toMatchObject({
      own: { token: 'python', source: 'in' },
      refused: expect.arrayContaining(['TaskError', 'RuntimeError']) as unknown,
      text: ['a b\n\n'],
      stats: ['in', 'obey', 'out'],
      file: { token: expect.stringMatching(/./) as string, projectId: 'a file' },
    });
    expect(told['joined']).toEqual(told['own']);
  });
});
