import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commands, views } from '../../extension/identifiers.js';
import { echo } from './support/pipelines.js';
import { commandTitle } from './support/manifest.js';
import { engines } from './support/processes.js';
import { EditorSession } from './support/session.js';

describe('a folder that is not trusted', () => {
  let session: EditorSession;
  beforeEach(async () => {
    session = await EditorSession.open({ files: { 'echo.pipe.json': echo }, trust: true });
    session.explainFailure();
  });
  afterEach(() => session.close());

  it('shows pipelines but runs none and starts no engine', async () => {
    const { workbench } = session;
    await workbench.statusBarItem('Restricted Mode').waitFor();
    await workbench.openContainer('Millrace');
    await workbench.tree(views.pipelines).row('echo.pipe.json').click();
    await workbench.editor.tab('echo.pipe.json').waitFor();
    await workbench.tree(views.tasks).welcome.getByText('Pipelines run only in a trusted workspace').waitFor();
    expect((await workbench.offered('Millrace')).join('\n')).not.toContain(commandTitle(commands.runPipeline));
    expect(engines(session.server)).toEqual([]);
    await session.screenshot('untrusted');
  });
});
