import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commands, views } from '../../extension/identifiers.js';
import { echo, unknownProvider } from './support/pipelines.js';
import { EditorSession } from './support/session.js';

describe('pipeline files that are not right', () => {
  let session: EditorSession;
  beforeAll(async () => {
    session = await EditorSession.open({
      files: { 'empty.pipe': '', 'broken.pipe.json': `${echo.slice(0, -4)}`, 'unknown.pipe.json': unknownProvider },
    });
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  it('are listed with what is wrong', async () => {
    const { workbench } = session;
    await workbench.openContainer('Millrace');
    const tree = workbench.tree(views.pipelines);
    for (const name of ['empty.pipe', 'broken.pipe.json', 'unknown.pipe.json']) await tree.row(name).waitFor();
    await session.screenshot('bad-files');
  });

  it('are told once when somebody runs them', async () => {
    const { workbench, page } = session;
    await workbench.open('broken.pipe.json');
    await page.locator('.squiggly-error').first().waitFor();
    await workbench.run(commands.runPipeline);
    await workbench
      .notification(/Broken pipeline/)
      .first()
      .waitFor();
    expect(await workbench.notification(/Broken pipeline/).count()).toBe(1);
    await session.screenshot('bad-file-run');
    await workbench.runTitled('Notifications: Clear All Notifications');
  });

  it('of an unknown provider are marked at their line', async () => {
    const { workbench, page } = session;
    await workbench.open('unknown.pipe.json');
    await page.locator('.squiggly-error, .squiggly-warning').first().waitFor();
    await session.screenshot('unknown-provider');
  });
});
