import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commands, views } from '../../extension/identifiers.js';
import { type TestServer, startServer } from '../support/server.js';
import { shortTitle } from './support/manifest.js';
import { echo } from './support/pipelines.js';
import { engines } from './support/processes.js';
import { EditorSession } from './support/session.js';

describe('a server of one’s own', () => {
  let server: TestServer;
  let session: EditorSession;
  beforeAll(async () => {
    server = await startServer();
    session = await EditorSession.open({
      files: { 'echo.pipe.json': echo },
      settings: {
        'millrace.connections': [{ name: 'Lab', url: server.url }],
        'millrace.connection': 'Lab',
        'millrace.run.openLiveView': false,
      },
    });
  });
  afterAll(async () => {
    await session.close();
    await server.stop();
  });
  beforeEach(() => session.explainFailure());

  const lab = () => session.workbench.tree(views.connections).row('Lab');

  it('asks for a key once when it refuses the one it got', async () => {
    const { workbench } = session;
    await workbench.openContainer('Millrace');
    await workbench.tree(views.connections).choose('Lab', shortTitle(commands.setConnectionKey));
    await workbench.answer('not-the-key');
    await workbench.quickInput.widget.filter({ hasText: /refuses the key/ }).waitFor();
    await session.screenshot('connection-bad-key');
    await workbench.page.keyboard.press('Escape');
    await lab().filter({ hasText: 'Failed' }).waitFor();
  });

  it('runs pipelines with the right key, without an engine in the editor', async () => {
    const { workbench } = session;
    await workbench.tree(views.connections).choose('Lab', shortTitle(commands.setConnectionKey));
    await workbench.answer(server.key);
    await lab().filter({ hasText: 'Connected' }).waitFor();
    await workbench.open('echo.pipe.json');
    await workbench.editor.codeLens('Run').click();
    await workbench.editor.codeLens('Send text').click();
    await workbench.answer('To the lab', 'The text goes into');
    await workbench.editor.lineIn(/Text\.result/, 'To the lab').waitFor();
    expect(engines(session.server)).toEqual([]);
    await session.screenshot('connection-good-key');
  });

  it('says that it is trying again when the server has gone', async () => {
    await server.stop();
    await lab().filter({ hasText: 'Trying again' }).waitFor();
    await session.screenshot('connection-lost');
  });
});
