import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { analyseText } from '../../pipeline/analysis.js';
import { bundledCatalogue } from '../../pipeline/bundledCatalogue.js';
import { commands } from '../../extension/identifiers.js';
import { eventually } from '../support/poll.js';
import { Suggestions } from './pages/suggestions.js';
import { commandTitle } from './support/manifest.js';
import { EditorSession } from './support/session.js';

const mask = `{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhok', config: { mode: 'Source' } },
    { id: 'mask', provider: 'anonymize_text', config: { profile: 'glinerSmall' }, input: [{ from: 'in', lane: 'text' }] },
    { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'mask', lane: 'text' }] },
  ],
}
`;
const launch = `{
  "configurations": [
    // Starts where the data comes in
    { "type": "millrace", "request": "launch", "name": "Mask", "program": "\${workspaceFolder}/mask.pipe.json5", "source": "in" },
  ],
}
`;

describe('writing a pipeline', () => {
  let session: EditorSession;
  let suggestions: Suggestions;
  beforeAll(async () => {
    session = await EditorSession.open({
      files: { 'mask.pipe.json5': mask, '.vscode/launch.json': launch, 'new.pipe': '' },
      settings: { 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 100 },
    });
    suggestions = new Suggestions(session.page);
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await session.page.keyboard.press(key);
  };
  /** Puts the cursor behind the first occurrence of a text, as the editor's own search does. */
  const goTo = async (text: string): Promise<void> => {
    const found = session.page.locator('.editor-group-container.active .find-widget.visible');
    await press('Control+f');
    await found.locator('textarea').first().fill(text);
    await press('Enter', 'Escape');
    await found.waitFor({ state: 'hidden' });
    await press('ArrowRight');
  };

  it('marks what is wrong, and says it in Problems', async () => {
    const { workbench, page } = session;
    await workbench.open('mask.pipe.json5');
    await workbench.editor.active.locator('.squiggly-error').first().waitFor();
    await workbench.runTitled('View: Focus Problems');
    await page.locator('.markers-panel').getByText('did you mean "webhook"?').first().waitFor();
    await session.screenshot('language-problem');
    await page.locator('.markers-panel a').getByText('provider_unknown').first().click();
    await workbench.editor.tab('Preview provider_unknown.md').waitFor();
    const shown = page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
    await shown.getByRole('heading', { name: 'provider_unknown' }).waitFor();
    await session.screenshot('language-problem-page');
    await workbench.runTitled('View: Close Editor');
    await press('Control+j');
  });

  it('mends it with a quick fix', async () => {
    const { workbench, page } = session;
    await workbench.open('mask.pipe.json5');
    await goTo('webhok');
    const fix = page.locator('.action-widget .monaco-list-row').filter({ hasText: 'Change to "webhook"' }).first();
    await eventually('the quick fix is offered', async () => {
      await press('Control+.');
      return fix.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
    });
    await session.screenshot('language-quick-fix');
    await press('Enter');
    await workbench.editor.active.locator('.squiggly-error').first().waitFor({ state: 'detached' });
    await eventually('the file is mended', async () => (await session.read('mask.pipe.json5')).includes("'webhook'"));
  });

  it('renames a component everywhere, and in launch.json', async () => {
    const { page } = session;
    await goTo("from: 'in");
    await press('F2');
    const input = page.locator('.rename-box input');
    await input.waitFor();
    await input.fill('entry');
    await session.screenshot('language-rename');
    await press('Enter');
    await eventually('the file is renamed', async () => {
      const text = await session.read('mask.pipe.json5');
      return ["source: 'entry'", "id: 'entry'", "from: 'entry'"].every((each) => text.includes(each));
    });
    const file = await eventually('launch.json follows', async () => {
      const text = await session.read('.vscode/launch.json');
      return text.includes('"source": "entry"') ? text : undefined;
    });
    expect(file).toContain('// Starts where the data comes in');
  });

  it('completes with an explanation', async () => {
    await goTo("profile: 'glinerSmall'");
    await press('ArrowLeft');
    await suggestions.open();
    await eventually('the list has its profiles', async () => (await suggestions.labels()).includes('glinerSmall'));
    if (!(await suggestions.details.isVisible())) await press('Control+Space');
    await suggestions.details.getByText('model').first().waitFor();
    await session.screenshot('language-completion');
    await press('Escape');
  });

  it('explains what the mouse is on', async () => {
    const { page, workbench } = session;
    const word = workbench.editor.active.locator('.view-line span').getByText('anonymize_text').first();
    const hover = page.locator('.monaco-hover:visible').filter({ hasText: 'Anonymize' }).first();
    // A line of lenses that comes or goes puts another word under the mouse.
    await eventually('the word is explained', async () => {
      await press('Escape');
      await word.hover();
      return hover.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      );
    });
    await session.screenshot('language-hover');
    await hover.getByText('All settings').click();
    await workbench.editor.tab('Preview providers.md').waitFor();
    // The editor's frame for webviews, and in it the page.
    const shown = page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
    const heading = shown.locator('h2#anonymize_text');
    await eventually('the page is at the provider', async () => {
      const top = (await heading.boundingBox())?.y ?? -1;
      return top > 0 && top < 400;
    });
    await session.screenshot('language-documentation');
    await workbench.runTitled('View: Close Editor');
  });

  it('formats', async () => {
    const { workbench } = session;
    await goTo("source: 'entry',");
    await session.page.keyboard.type('   ');
    await workbench.runTitled('Format Document');
    await eventually('the file is formatted', async () =>
      (await session.read('mask.pipe.json5')).includes("'entry',\n"),
    );
  });

  it('shows the pipeline as it would run', async () => {
    const { workbench } = session;
    expect(commandTitle(commands.showResolved)).toBe('Millrace: Show Resolved Pipeline');
    await workbench.run(commands.showResolved);
    await workbench.editor.lineIn(/resolved/, '"anonymizeChar"').waitFor();
    await session.screenshot('language-resolved');
    await workbench.editor.tab(/resolved/).click();
    await workbench.runTitled('View: Close Editor');
  });

  it('lets a newcomer write the example from an empty file by completion alone', async () => {
    const { workbench, page } = session;
    await workbench.open('new.pipe');
    await workbench.editor.active.locator('.view-lines').click();
    await suggestions.open();
    await session.screenshot('newcomer-1-empty');
    await suggestions.accept('pipeline from webhook');
    // The name stays as it is proposed.
    await press('Tab');
    for (const provider of ['parse', 'preprocessor_langchain', 'anonymize_text', 'response_documents']) {
      await suggestions.open();
      if (provider === 'preprocessor_langchain') await session.screenshot('newcomer-2-component');
      await suggestions.accept(provider);
      await eventually(`${provider} is written`, async () =>
        (await session.read('new.pipe')).includes(`"${provider}"`),
      );
      if (provider !== 'response_documents') await press('Enter');
    }
    await session.screenshot('newcomer-3-written');
    const text = await session.read('new.pipe');
    const written = JSON.parse(text) as { components: { provider: string; input?: unknown }[] };
    expect(written.components.map(({ provider }) => provider)).toEqual([
      'webhook',
      'parse',
      'preprocessor_langchain',
      'anonymize_text',
      'response_documents',
    ]);
    expect(analyseText(text, { catalogue: bundledCatalogue() })).toEqual([]);
    expect(await page.locator('.squiggly-error, .squiggly-warning').count()).toBe(0);

    await press('Control+Home');
    await workbench.editor.codeLens('Run').click();
    await workbench.editor.codeLens('Send text').click();
    await workbench.answer('Write to ada@example.org', 'The text goes into');
    await workbench.editor.lineIn(/Text\.result/, 'Write to').waitFor();
    await session.screenshot('newcomer-4-result');
  });
});
