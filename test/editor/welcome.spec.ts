import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { commands, views } from '../../extension/identifiers.js';
import { eventually } from '../support/poll.js';
import { shortTitle } from './support/manifest.js';
import { EditorSession } from './support/session.js';

describe('the packed extension in a fresh editor', () => {
  let session: EditorSession;
  beforeAll(async () => {
    session = await EditorSession.open({ files: { 'notes.txt': 'Nothing here is a pipeline.' } });
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  it('is listed and says what it is', async () => {
    const { page } = session;
    await page.keyboard.press('Control+Shift+X');
    await page.locator('.extensions-list .extension-list-item').filter({ hasText: 'Millrace' }).first().click();
    await page.locator('.extension-editor .name').filter({ hasText: 'Millrace' }).waitFor();
    // No picture on its page is broken.
    const text = page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
    await text.getByText('In under a minute').waitFor();
    expect(await text.locator('img').count()).toBe(0);
    await session.screenshot('extension-page');
    // From the page of an extension, VS Code 1.100 opens a walkthrough of its own whatever it is asked for.
    await session.workbench.runTitled('View: Close Editor');
    expect(inject('vsix')).toMatch(/millrace-\d+\.\d+\.\d+\.vsix$/);
  });

  it('opens its container and says in each empty view what to do', async () => {
    const { workbench } = session;
    await workbench.openContainer('Millrace');
    await workbench.tree(views.pipelines).welcome.getByText('This workspace has no pipelines yet').waitFor();
    await workbench.tree(views.pipelines).welcome.getByText('New Pipeline from…').waitFor();
    await workbench.tree(views.tasks).welcome.waitFor();
    await session.screenshot('welcome');
  });

  it('leads through five steps, the last with a picture of the live view', async () => {
    const { page, workbench } = session;
    await workbench.openContainer('Millrace');
    await workbench.tree(views.pipelines).welcome.getByText(shortTitle(commands.openWalkthrough)).click();
    await page.getByText('Get Started with Millrace').first().waitFor();
    // Pictures have room beside the steps when the side bar is closed.
    await page.keyboard.press('Control+B');
    await page.getByRole('button', { name: /Watch it work/ }).click();
    const picture = page.getByRole('img', { name: /The live view: a pipeline as a graph/ });
    await picture.waitFor();
    await eventually('the picture is shown', () =>
      picture.evaluate((image) => 'naturalWidth' in image && image.naturalWidth !== 0),
    );
    await session.screenshot('walkthrough');
  });
});

describe('the packed extension in a window without a folder', () => {
  let session: EditorSession;
  beforeAll(async () => {
    session = await EditorSession.open();
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  it('offers to open one', async () => {
    const { workbench } = session;
    await workbench.openContainer('Millrace');
    const { welcome } = workbench.tree(views.pipelines);
    await welcome.getByText('No folder is open').waitFor();
    expect(await welcome.innerText()).toContain('Open Folder');
    await session.screenshot('no-folder');
  });
});
