import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.js';
import { echo } from '../support/pipelines.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { repository, specSession } from './session.js';

const temporary = temporaryDirectories();
const session = specSession();
const script = join(repository, 'client', 'typescript', 'dist', 'cli.js');

describe('Environment substitution (client side)', () => {
  it('`${SERVICE_*}` is replaced by the value of `.env` before the configuration is sent', async () => {
    const folder = await temporary();
    await writeFile(join(folder, '.env'), 'SERVICE_PROJECT_ID="from the file"\nOTHER=secret\n');
    const pipeline = { ...echo, project_id: '${SERVICE_PROJECT_ID}', description: '${SERVICE_NOBODY} ${OTHER}' };
    await writeFile(join(folder, 'a.pipe.json'), JSON.stringify(pipeline));
    const env = { MILLRACE_URI: session.server.url, MILLRACE_APIKEY: session.server.key };
    const done = await runCommand(script, ['start', 'a.pipe.json', '--token', 'env'], { env, cwd: folder });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(await session.client.getPipeline('env')).toMatchObject({
      project_id: 'from the file',
      // Names without a value and other names stay as they are written.
      description: '${SERVICE_NOBODY} ${OTHER}',
    });
  });
});
