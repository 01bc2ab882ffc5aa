import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commands } from '../../extension/identifiers.js';
import { chooseFromMenu } from './pages/contextMenu.js';
import { shortTitle } from './support/manifest.js';
import { EditorSession } from './support/session.js';

const examples = path.resolve(import.meta.dirname, '..', '..', 'examples');
const documents = ['invoice.pdf', 'minutes.docx', 'price-list.xlsx', 'newsletter.html', 'complaint.eml', 'damaged.pdf'];

describe('the live view of documents on their way', () => {
  let session: EditorSession;
  beforeAll(async () => {
    const read = async (name: string) =>
      [`mail/${name}`, await readFile(path.join(examples, 'documents', name))] as const;
    session = await EditorSession.open({
      files: {
        'documents.pipe.json': await readFile(path.join(examples, 'pipelines', 'documents.pipe.json')),
        ...Object.fromEntries(await Promise.all(documents.map(read))),
      },
    });
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  it('shows each of them, and the one that cannot be read', async () => {
    const { page, workbench } = session;
    await workbench.open('documents.pipe.json');
    await workbench.editor.codeLens('Run').click();
    await workbench.liveView.frame.getByRole('heading', { name: 'Documents' }).waitFor();
    const folder = page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'mail' });
    await chooseFromMenu(folder, shortTitle(commands.sendToPipeline));
    await workbench.editor.tab(/documents\.results/).waitFor();
    await workbench.editor.tab(/^Documents$/i).click();
    // The whole window is for the live view.
    await workbench.runTitled('View: Maximize Editor Group and Hide Side Bars');
    await workbench.liveView.frame.getByText('damaged.pdf').first().waitFor();
    await session.screenshot('live-view-now');
  });

  it.each(['Now', 'Flow', 'Slowest', 'Trace'])('is accessible in its part %s, as axe finds it', async (tab) => {
    const { liveView } = session.workbench;
    await liveView.openTab(tab);
    await liveView.frame.locator('[role=tabpanel]').waitFor();
    await session.screenshot(`live-view-documents-${tab.toLowerCase()}`);
    expect(await liveView.violations()).toEqual([]);
  });

  it.each(['Default High Contrast', 'Default Light Modern'])('keeps to the colours of the theme %s', async (theme) => {
    const { liveView } = session.workbench;
    await session.write({ '.vscode/settings.json': JSON.stringify({ 'workbench.colorTheme': theme }) });
    const kind = theme.includes('High') ? 'vscode-high-contrast' : 'vscode-light';
    await liveView.frame.locator(`body.${kind}`).waitFor();
    await liveView.openTab('Flow');
    await session.screenshot(`live-view-${kind}`);
    expect(await liveView.violations()).toEqual([]);
  });
});
