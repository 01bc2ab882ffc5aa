import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/poll.js';
import { languageServers } from './support/processes.js';
import { EditorSession } from './support/session.js';

const untidy = `// Reads documents and masks personal data in their text.
{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    {
      id: 'documents',  // PDF, mail, tables …
      provider: 'parse',
      config: {}, input: [{from:'in',lane:'tags'}],
    },
    { id: 'mask', provider: 'anonymize_text', config: { profile: 'custom' },
      input: [{ from: 'documents', lane: 'text' }, { from: 'in', lane: 'text' }] },
    {
      id: 'out',
      provider: 'response_text', config: { laneName: '\${MILLRACE_LANE}' },
      input: [{ from: 'mask', lane: 'text' }],
    },
  ],
}
`;

const entrance = '{ "source": "entrance", "components": [{ "id": "entrance", "provider": "chat", "config": {} }] }\n';

describe('editing a pipeline', () => {
  let session: EditorSession;
  const editorText = () => session.workbench.editor.text();
  beforeAll(async () => {
    session = await EditorSession.open({
      files: { 'mask.pipe.json5': untidy, '.env': 'MILLRACE_LANE=masked\n', 'other/echo.pipe.json': entrance },
      settings: {
        'editor.codeLens': true,
        'editor.codeActionsOnSave': { 'source.fixAll': 'explicit' },
        'workbench.colorTheme': 'Default Dark Modern',
      },
    });
    await session.workbench.open('mask.pipe.json5');
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  it('shows what components put out, what ids stand for and who uses them', async () => {
    const { editor } = session.workbench;
    await editor.codeLens('used by mask').waitFor();
    await eventually('the hints are there', async () => /'webhook' ?→ tags, text, audio, …/.test(await editorText()));
    expect(await editorText()).toMatch(/from:'in' ?webhook,lane/);
    await session.screenshot('editing-dark');
  });

  it('leads from a lens to the uses', async () => {
    const { page, workbench } = session;
    await workbench.editor.codeLens('used by mask').click();
    await page.locator('.peekview-widget').waitFor();
    await session.screenshot('editing-uses');
    await page.keyboard.press('Escape');
    await page.locator('.peekview-widget').waitFor({ state: 'hidden' });
  });

  it('finds the components of files that are not open', async () => {
    const { page, workbench } = session;
    await page.keyboard.press('Control+T');
    await workbench.quickInput.input.fill('#entrance');
    await workbench.quickInput.row('entrance').waitFor();
    await session.screenshot('editing-search');
    await page.keyboard.press('Escape');
  });

  it('tells which lanes a component takes', async () => {
    const { page, workbench } = session;
    await workbench.editor.active.locator('.view-line', { hasText: "from:'in'" }).first().click();
    await page.keyboard.press('End');
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft');
    await workbench.runTitled('Trigger Parameter Hints');
    await page.locator('.parameter-hints-widget.visible', { hasText: 'parse takes tags' }).waitFor();
    await session.screenshot('editing-signature');
    await page.keyboard.press('Escape');
  });

  it('formats a file and keeps its comments', async () => {
    await session.workbench.runTitled('Format Document');
    await session.workbench.runTitled('File: Save');
    await eventually('the file has its usual form', async () => {
      const text = await session.read('mask.pipe.json5');
      return text.includes("id: 'documents', // PDF, mail") && text.includes("input: [{ from: 'in', lane: 'tags' }],");
    });
  });

  it('mends with a save what can be mended in one way only', async () => {
    const { page, workbench } = session;
    await workbench.editor.active.locator('.view-line', { hasText: "source: 'in'," }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.type(' // entry');
    await workbench.editor.active.locator('.squiggly-error').first().waitFor();
    await workbench.runTitled('File: Save');
    await eventually('the comma is back', async () =>
      (await session.read('mask.pipe.json5')).includes("source: 'in', // entry\n"),
    );
    await workbench.editor.active.locator('.squiggly-error').first().waitFor({ state: 'detached' });
    await session.screenshot('editing-mended');
  });

  it('counts what goes through the components of a running pipeline', async () => {
    const { workbench } = session;
    await workbench.editor.codeLens('Run').click();
    await workbench.editor.codeLens('Attach').waitFor();
    await workbench.editor.codeLens('Send text').click();
    await workbench.answer('Mail ada@example.org about it.', 'The text goes into');
    await workbench.editor.lineIn(/^mask\.pipe/, ' calls').waitFor();
    await workbench.liveView.frame.getByText('Objects per second').waitFor();
    await session.screenshot('editing-live');
  });

  it('has the same in a light theme', async () => {
    const { workbench } = session;
    await workbench.runTitled('Preferences: Toggle between Light/Dark Themes');
    await session.page.locator('.monaco-workbench.vs').waitFor();
    await session.screenshot('editing-light');
  });

  it('goes on when its language server was killed', async () => {
    const [server] = languageServers(session.server);
    if (server === undefined) throw new Error('There is no language server');
    process.kill(server, 'SIGKILL');
    await eventually('another one runs', () => languageServers(session.server).some((pid) => pid !== server));
    await session.workbench.editor.codeLens('used by mask').waitFor();
    await eventually('the hints are back', async () => /'webhook' ?→ tags/.test(await editorText()));
  });
});
