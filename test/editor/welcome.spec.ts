import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { views } from '../../extension/identifiers.js';
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
    await session.screenshot('extension-page');
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
