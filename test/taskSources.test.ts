import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePipelineText } from '../pipeline/document.js';
import { forbiddenMoves, statesSeen } from './support/moves.js';
import { echo } from './support/pipelines.js';
import { eventually } from './support/poll.js';
import { RawClient } from './support/rawClient.js';
import { startServer, type TestServer } from './support/server.js';

const root = resolve(import.meta.dirname, '..');
const keys = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')] as const;
let server: TestServer;
let client: RawClient;
let stranger: RawClient;

beforeAll(async () => {
  server = await startServer({
    keys,
    args: ['--components', join(root, 'examples', 'components')],
    env: { SERVICE_OF_SERVER: 'server', MILLRACE_OF_BOTH: 'server', OF_NOBODY: 'never' },
  });
  client = await RawClient.login(server.url, keys[0]);
  stranger = await RawClient.login(server.url, keys[1]);
});

afterAll(async () => {
  await client.close();
  await stranger.close();
  await server.stop();
});

function send(token: string, text: string, by = client): Promise<Record<string, unknown>> {
  return by.body('mrext_process', { subcommand: 'send', token, object: {}, mimeType: 'text/plain' }, text);
}

/** The filesys example on folders below the data directory, which go with it. */
async function folderPipeline(
  name: string,
): Promise<{ pipeline: object; env: Record<string, string>; output: string }> {
  const text = await readFile(join(root, 'examples', 'pipelines', 'filesys.pipe.json5'), 'utf8');
  const pipeline = { ...(parsePipelineText(text) as object), project_id: name };
  const input = join(server.dataDirectory, name, 'in');
  const output = join(server.dataDirectory, name, 'out');
  await mkdir(join(input, 'deep'), { recursive: true });
  await writeFile(join(input, 'one.txt'), 'The first file');
  await writeFile(join(input, 'deep', 'two.md'), '# The second file');
  await writeFile(join(input, 'broken.pdf'), '%PDF-1.4 and nothing else');
  await writeFile(join(input, 'skipped.zip'), 'no archive');
  return { pipeline, env: { MILLRACE_INPUT: input, MILLRACE_OUTPUT: output }, output };
}

describe('a schedule', () => {
  // A schedule has minutes as its finest step, so this one test has to wait for the next of them.
  it('runs a deployment when its time comes, with the variables of its key', async () => {
    const { pipeline, env, output } = await folderPipeline('scheduled');
    await client.body('mrext_account_me', { subcommand: 'set_env', env });
    await client.body('mrext_monitor', { projectId: 'scheduled', source: 'files', types: ['task'] });
    await client.body('mrext_deploy_add', { pipeline, schedule: '* * * * *' });
    const end = await client.event(
      ({ body }) => body?.['action'] === 'end' && body['projectId'] === 'scheduled',
      100_000,
    );
    expect(end.body).toMatchObject({ source: 'files' });
    expect((await readdir(output)).sort()).toEqual(['deep', 'one.txt']);
    const { token } = await client.body('mrext_get_token', { projectId: 'scheduled', source: 'files' });
    const run = await client.body('mrext_get_task_status', { token });
    expect(run).toMatchObject({ state: 5, exitCode: 0, completedCount: 3 });
    expect(await client.body('mrext_deploy_status', { projectId: 'scheduled' })).toMatchObject({ state: 'active' });
    await client.body('mrext_deploy_remove', { projectId: 'scheduled' });
    await client.body('mrext_account_me', { subcommand: 'set_env', env: {} });
    expect(await stranger.body('mrext_deploy_list')).toEqual({ deployments: [] });
  }, 150_000);
});

describe('a source that fetches its own objects', () => {
  it('completes with exit code 0 and counts every file', async () => {
    const { pipeline, env, output } = await folderPipeline('folder');
    await client.body('mrext_monitor', { projectId: 'folder', source: 'files', types: ['summary'] });
    await client.body('execute', { pipeline, env, token: 'folder', pipelineTraceLevel: 'metadata' });
    await eventually('its end', () => statesSeen(client, 'folder').at(-1) === 5);
    expect(forbiddenMoves(statesSeen(client, 'folder'))).toEqual([]);
    const run = await client.body('mrext_get_task_status', { token: 'folder' });
    expect(run).toMatchObject({
      completed: true,
      exitCode: 0,
      exitMessage: '',
      status: 'Completed',
      totalCount: 3,
      completedCount: 3,
      failedCount: 0,
      completedSize: 14 + 17 + 25,
      errors: [],
      warnings: [expect.stringContaining('broken.pdf')],
    });
    expect((run['componentStats'] as Record<string, object>)['write']).toBeDefined();
    expect(await readFile(join(output, 'one.txt'), 'utf8')).toContain('The first file');
    expect(await readFile(join(output, 'deep', 'two.txt'), 'utf8')).toContain('The second file');
  });

  it('that cannot find its folder says so in a warning', async () => {
    const { pipeline } = await folderPipeline('nowhere');
    const env = { MILLRACE_INPUT: join(server.dataDirectory, 'no such folder'), MILLRACE_OUTPUT: server.dataDirectory };
    await client.body('execute', { pipeline, env, token: 'nowhere' });
    const run = await eventually('its end', async () => {
      const status = await client.body('mrext_get_task_status', { token: 'nowhere' });
      return status['completed'] === true && status;
    });
    expect(run).toMatchObject({
      state: 5,
      exitCode: 0,
      totalCount: 0,
      errors: [],
      warnings: [matching(/no such folder/)],
    });
  });
});

/** For use inside of expected objects. */
function matching(pattern: RegExp): string {
  return expect.stringMatching(pattern) as string;
}

describe("a user's own components", () => {
  const shouting = (config: object): object => ({
    project_id: 'shouting',
    source: 'in',
    components: [
      { id: 'in', provider: 'webhook', config: {} },
      { id: 'shout', provider: 'shout', config, input: [{ from: 'in', lane: 'text' }] },
      { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'shout', lane: 'text' }] },
    ],
  });

  it('work like those that are built in, with their profiles', async () => {
    await client.body('execute', { pipeline: shouting({}), token: 'loud' });
    expect((await send('loud', 'hello'))['text']).toEqual(['HELLO!\n\n']);
    await client.body('execute', { pipeline: shouting({ profile: 'louder' }), token: 'louder' });
    expect((await send('louder', 'hello'))['text']).toEqual(['HELLO!!!\n\n']);
    const warned = shouting({ marks: 0 });
    await client.body('execute', { pipeline: warned, token: 'quiet' });
    const { warnings } = await client.body('mrext_get_task_status', { token: 'quiet' });
    expect(warnings).toEqual([expect.stringContaining('shout adds no exclamation marks')]);
  });

  it('are listed, and their settings are checked', async () => {
    const { title } = await client.body('mrext_services', { service: 'shout' });
    expect(title).toBe('Shout');
    const component = { id: 'x', provider: 'shout', config: { marks: 'many' } };
    expect((await client.body('mrext_validate', { component }))['errors']).not.toEqual([]);
    expect(await client.call('execute', { pipeline: shouting({ marks: 11 }) })).toMatchObject({
      success: false,
      message: expect.stringContaining('marks') as string,
    });
  });
});

describe('variables', () => {
  /** Shows the value of a text in the name of the lane. */
  const showing = (text: string): object => {
    const [source, response] = echo.components;
    const config = { lanes: [{ laneId: 'text', laneName: text }] };
    return { ...echo, project_id: 'variables', components: [source, { ...response, config }] };
  };

  async function shown(text: string, by: RawClient, env?: object): Promise<unknown> {
    const { token } = (await by.body('execute', { pipeline: showing(text), env })) as { token: string };
    const { result_types: types } = await send(token, 'x', by);
    const { pipeline } = await by.body('mrext_get_pipeline', { token });
    expect(pipeline).toEqual(showing(text));
    await by.body('terminate', { token });
    return (types as string[])[0];
  }

  it('come from the caller, else from what the key has set, else from the server', async () => {
    const env = { MILLRACE_OF_BOTH: 'key', SERVICE_OF_KEY: 'key', SERVICE_OF_ALL: 'key' };
    expect(await client.body('mrext_account_me', { subcommand: 'set_env', env })).toEqual({ updated: true });
    const text = '${SERVICE_OF_SERVER} ${MILLRACE_OF_BOTH} ${SERVICE_OF_KEY} ${SERVICE_OF_ALL} ${SERVICE_OF_NONE}';
    expect(await shown(text, client, { SERVICE_OF_ALL: 'caller' })).toBe('server key key caller ${SERVICE_OF_NONE}');
    expect(await client.body('mrext_account_me', { subcommand: 'env_keys' })).toEqual({
      keys: ['MILLRACE_OF_BOTH', 'SERVICE_OF_ALL', 'SERVICE_OF_KEY'],
    });
  });

  it('of one key are none of another', async () => {
    const env = { SERVICE_OF_KEY: 'mine' };
    await client.body('mrext_account_me', { subcommand: 'set_env', env });
    expect(await stranger.body('mrext_account_me', { subcommand: 'get_env' })).toEqual({ env: {} });
    expect(await shown('${SERVICE_OF_KEY}', stranger)).toBe('${SERVICE_OF_KEY}');
    await stranger.body('mrext_account_me', { subcommand: 'set_env', env: { SERVICE_OF_KEY: 'yours' } });
    expect(await shown('${SERVICE_OF_KEY}', client)).toBe('mine');
    expect(await shown('${SERVICE_OF_KEY}', stranger)).toBe('yours');
  });

  it('never show what else is in the environment of the server', async () => {
    expect(await shown('${OF_NOBODY} ${HOME} ${MILLRACE_APIKEY}', client)).not.toMatch(/never|root|home/);
  });
});

describe('several keys', () => {
  it('each keep their files, tasks and deployments to themselves', async () => {
    await client.body('execute', { pipeline: echo, token: 'shared-name' });
    await stranger.body('execute', { pipeline: echo, token: 'shared-name' });
    await client.body('terminate', { token: 'shared-name' });
    expect((await send('shared-name', 'still here', stranger))['text']).toEqual(['still here\n\n']);
    const { handle } = await client.body('mrext_store', { subcommand: 'fs_open', path: 'private.txt', mode: 'w' });
    await client.body('mrext_store', { subcommand: 'fs_write', handle }, 'secret');
    await client.body('mrext_store', { subcommand: 'fs_close', handle, mode: 'w' });
    const stat = { subcommand: 'fs_stat', path: 'private.txt' };
    expect(await client.body('mrext_store', stat)).toMatchObject({ exists: true, size: 6 });
    expect(await stranger.body('mrext_store', stat)).toEqual({ exists: false });
    await client.body('mrext_deploy_add', { pipeline: { ...echo, project_id: 'private' } });
    expect((await stranger.call('mrext_deploy_status', { projectId: 'private' })).success).toBe(false);
    const { tasks } = (await stranger.body('mrext_dashboard')) as { tasks: { projectId: string }[] };
    expect(tasks.map(({ projectId }) => projectId)).not.toContain('private');
  });
});
