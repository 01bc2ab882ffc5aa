import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { views } from '../../extension/identifiers.js';
import { eventually } from '../support/poll.js';
import { isAlive, processTree } from '../support/processes.js';
import { echo } from './support/pipelines.js';
import { engines, extensionHosts } from './support/processes.js';
import { EditorSession } from './support/session.js';

describe('the engine inside the editor', () => {
  let session: EditorSession;
  beforeEach(async () => {
    session = await EditorSession.open({
      files: { 'echo.pipe.json': echo },
      settings: { 'millrace.run.openLiveView': false },
    });
    session.explainFailure();
  });
  afterEach(() => session.close());

  async function run(): Promise<number> {
    const { workbench, server } = session;
    await workbench.open('echo.pipe.json');
    await workbench.editor.codeLens('Run').click();
    await workbench.editor.codeLens('Stop').waitFor();
    return eventually('the engine runs', () => engines(server)[0]);
  }

  it('starts again after a crash, says so, and runs pipelines as before', async () => {
    const { workbench, server } = session;
    const first = await run();
    process.kill(first, 'SIGKILL');
    await workbench
      .notification(/engine/i)
      .first()
      .waitFor();
    await session.screenshot('engine-crashed');
    const second = await eventually('another engine runs', () => engines(server).find((pid) => pid !== first));
    await workbench.editor.codeLens('Run').click();
    await workbench.editor.codeLens('Send text').click();
    await workbench.answer('After the crash', 'The text goes into');
    await workbench.editor.lineIn(/Text\.result/, 'After the crash').waitFor();
    expect(engines(server)).toEqual([second]);
  });

  it('leaves no process behind when the extension host is killed', async () => {
    const engine = await run();
    const tree = processTree(engine);
    const [host] = extensionHosts(session.server);
    if (host === undefined) throw new Error('There is no extension host');
    process.kill(host, 'SIGKILL');
    await eventually('the engine and its workers have ended', () => tree.every((pid) => !isAlive(pid)));
  });

  it('ends with its window when that is loaded again', async () => {
    const engine = await run();
    const tree = processTree(engine);
    await session.load();
    // The editor keeps the old extension host for a while, in case its window comes back.
    await eventually('the engine of the old window has ended', () => tree.every((pid) => !isAlive(pid)), 60_000);
    await session.workbench.openContainer('Millrace');
    await session.workbench.tree(views.pipelines).row('echo.pipe.json').waitFor();
  });
});
