import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.js';
import { echo } from '../support/pipelines.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { itWithPython, pythonDoor } from './python.js';
import { repository, specSession } from './session.js';

const temporary = temporaryDirectories();
const session = specSession();
const python = pythonDoor(session);
const package_ = join(repository, 'client', 'typescript', 'dist');

const pipeline = {
  ...echo,
  project_id: '${SERVICE_PROJECT_ID}',
  description: 'key ${SERVICE_APIKEY}, ${SERVICE_NOBODY} ${OTHER}',
};
/** The server keeps what it was sent: its own substitution never changes that. */
const sent = {
  project_id: 'from the file',
  // Names without a value and other names stay as they are written.
  description: 'key "quoted", ${SERVICE_NOBODY} ${OTHER}',
};

/** A folder with `.env` and the pipeline in a file. */
async function folderWithVariables(): Promise<string> {
  const folder = await temporary();
  const variables = ['SERVICE_PROJECT_ID="from the file"', `SERVICE_APIKEY='"quoted"'`, 'OTHER=secret'];
  await writeFile(join(folder, '.env'), `${variables.join('\n')}\n`);
  await writeFile(join(folder, 'a.pipe.json'), JSON.stringify(pipeline));
  return folder;
}

const env = () => ({ MILLRACE_URI: session.server.url, MILLRACE_APIKEY: session.server.key });

describe('Environment substitution (client side)', () => {
  it('`${SERVICE_*}` is replaced by the value of `.env` before a file is sent', async () => {
    const options = { env: env(), cwd: await folderWithVariables() };
    const done = await runCommand(join(package_, 'cli.js'), ['start', 'a.pipe.json', '--token', 'command'], options);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(await session.client.getPipeline('command')).toMatchObject(sent);
  });

  it('… and before a configuration object is sent', async () => {
    const folder = await folderWithVariables();
    await writeFile(
      join(folder, 'start.mjs'),
      `import { MillraceClient } from ${JSON.stringify(pathToFileURL(join(package_, 'index.js')).href)};
const client = new MillraceClient();
await client.connect();
await client.use({ pipeline: ${JSON.stringify(pipeline)}, token: 'object' });
await client.disconnect();`,
    );
    const done = await runCommand(join(folder, 'start.mjs'), [], { env: env(), cwd: folder });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(await session.client.getPipeline('object')).toMatchObject(sent);
  });

  itWithPython('Python: … and before either is sent', async () => {
    const body = `
await client.use(filepath='a.pipe.json', token='python file')
await client.use({**pipeline, 'name': 'object'}, token='python object', source='in')
`;
    await python.coroutine(body, { pipeline }, { cwd: await folderWithVariables() });
    for (const token of ['python file', 'python object']) {
      expect(await session.client.getPipeline(token)).toMatchObject(sent);
    }
  });
});
