import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { commands, views } from '../../extension/identifiers.js';
import { shortTitle } from './support/manifest.js';
import { EditorSession } from './support/session.js';

const limit = 60_000;

describe('a person who has only VS Code and the package', () => {
  let session: EditorSession;
  beforeAll(async () => {
    session = await EditorSession.open({ files: {}, trust: true, bare: true });
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  it('gets to a first result and the live view in under a minute', async () => {
    const { workbench } = session;
    const started = Date.now();
    await workbench.trustFolder();

    // The package, by the command of the Extensions view.
    await workbench.runTitled('Extensions: Install from VSIX...');
    await workbench.answerPath(inject('vsix'));
    await workbench.notification(/Completed installing/).waitFor();
    await session.screenshot('first-minute-1-installed');

    // A pipeline from a starter, named as proposed.
    await workbench.openContainer('Millrace');
    await workbench.tree(views.pipelines).welcome.getByText(shortTitle(commands.newPipeline)).click();
    await workbench.pick('Echo');
    await workbench.answer(undefined, 'Name of the file');
    await workbench.editor.tab('echo.pipe.json5').waitFor();
    await session.screenshot('first-minute-2-pipeline');

    // Run, which starts the engine and opens the live view.
    await workbench.editor.codeLens('Run').click();
    await workbench.liveView.frame.getByRole('heading', { name: 'Echo' }).waitFor();

    // A first text, and its result in an editor.
    await workbench.editor.codeLens('Send text').click();
    await workbench.answer('Hello from the first minute', 'The text goes into');
    await workbench.editor.lineIn(/Text\.result/, 'Hello from the first minute').waitFor();
    // Wherever the result opened, the live view is one click away and complete.
    await workbench.editor.tab(/^echo$/i).click();
    await workbench.liveView.frame.getByText(/^1$/).first().waitFor();
    // Both are on the screen: the result did not cover the live view.
    await workbench.liveView.frame.getByText(/^(Working|Waiting for work)$/).waitFor();
    await workbench.editor.lineIn(/Text\.result/, 'Hello from the first minute').waitFor();
    const took = Date.now() - started;
    await session.screenshot('first-minute-3-result');
    process.stdout.write(`From the package to a first result: ${(took / 1000).toFixed(1)} s\n`);
    expect(took).toBeLessThan(limit);
    expect(path.basename(inject('vsix'))).toMatch(/\.vsix$/);
  });
});
