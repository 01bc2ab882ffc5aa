import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commands, views } from '../../extension/identifiers.js';
import { chooseFromMenu } from './pages/contextMenu.js';
import { anonymize, echo } from './support/pipelines.js';
import { commandTitle, shortTitle } from './support/manifest.js';
import { engines } from './support/processes.js';
import { EditorSession } from './support/session.js';

describe('running a pipeline', () => {
  let session: EditorSession;
  beforeAll(async () => {
    session = await EditorSession.open({
      files: {
        'echo.pipe.json': echo,
        'anonymize.pipe.json': anonymize,
        'letter.txt': 'Mail ada@example.org about it.',
        '.vscode/launch.json': JSON.stringify({
          version: '0.2.0',
          configurations: [
            {
              type: 'millrace',
              request: 'launch',
              name: 'Mask the letter',
              program: '${workspaceFolder}/anonymize.pipe.json',
              input: ['${workspaceFolder}/letter.txt'],
            },
          ],
        }),
      },
    });
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  it('starts by the CodeLens, takes a text and shows its result', async () => {
    const { workbench } = session;
    await workbench.open('echo.pipe.json');
    await workbench.editor.codeLens('Run').click();
    await workbench.editor.codeLens('Stop').waitFor();
    await workbench
      .statusBarItem(/Millrace|Local/)
      .first()
      .waitFor();
    await workbench.editor.codeLens('Send text').click();
    await workbench.answer('Good morning', 'The text goes into');
    await workbench.editor.lineIn(/Text\.result/, 'Good morning').waitFor();
    await session.screenshot('run-codelens');
  });

  it('shows what happens in the live view', async () => {
    const { workbench } = session;
    const { liveView } = workbench;
    await workbench.editor.tab(/^echo$/).click();
    await liveView.frame.getByRole('heading', { name: 'echo' }).waitFor();
    expect(await liveView.text()).toContain('Objects');
    await liveView.openTab('Flow');
    await liveView.frame.getByText('response_text').first().waitFor();
    await session.screenshot('live-view-flow');
    await liveView.openTab('Slowest');
    await liveView.frame.getByText('Text').first().waitFor();
    await session.screenshot('live-view-slowest');
    await liveView.openTab('Trace');
    await liveView.frame.getByText('Text').first().waitFor();
    await session.screenshot('live-view-trace');
    await liveView.openTab('Now');
  });

  it('takes files from the Explorer', async () => {
    const { page, workbench } = session;
    await workbench.openContainer('Explorer');
    const file = page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'letter.txt' });
    await chooseFromMenu(file, shortTitle(commands.sendToPipeline));
    await workbench.editor.lineIn(/letter.*result/, 'ada@example.org').waitFor();
    await session.screenshot('run-explorer');
  });

  it('shows its task and its file in the trees, and stops from there', async () => {
    const { workbench } = session;
    await workbench.openContainer('Millrace');
    await workbench.tree(views.pipelines).row('echo.pipe.json').filter({ hasText: 'Running' }).waitFor();
    await workbench.tree(views.tasks).row('echo').filter({ hasText: '2 done' }).waitFor();
    await workbench.tree(views.connections).row('Local').filter({ hasText: 'Connected' }).waitFor();
    await session.screenshot('trees');
    await workbench.tree(views.pipelines).act('echo.pipe.json', shortTitle(commands.stopPipeline));
    await workbench
      .tree(views.tasks)
      .row('echo')
      .filter({ hasText: /Completed|Ended|Done|Stopped/ })
      .waitFor();
    await workbench.open('echo.pipe.json');
    await workbench.editor.codeLens('Run').waitFor();
  });

  it('runs a configuration of launch.json with its input, and ends by itself', async () => {
    const { page, workbench } = session;
    await workbench.runTitled('Debug: Select and Start Debugging');
    await workbench.pick('Mask the letter');
    const console = page.locator('.repl');
    await console.getByText('letter.txt').first().waitFor();
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await session.screenshot('run-launch-json');
    expect(await console.innerText()).not.toContain('ada@example.org');
  });

  it('offers its commands in the palette', async () => {
    for (const id of [commands.newPipeline, commands.runPipeline, commands.chooseConnection, commands.showLog]) {
      const title = commandTitle(id);
      expect((await session.workbench.offered(title)).join('\n')).toContain(title);
    }
  });
});

describe('a folder without launch.json', () => {
  let session: EditorSession;
  beforeAll(async () => {
    session = await EditorSession.open({ files: { 'echo.pipe.json': echo } });
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  it('has an extension that is active, without an error and without an engine', async () => {
    const { workbench, page } = session;
    await workbench
      .statusBarItem(/Millrace|Local/)
      .first()
      .waitFor();
    await workbench.runTitled('Developer: Show Running Extensions');
    const line = page.locator('.runtime-extensions-editor .extension').filter({ hasText: 'millrace' }).first();
    await line.locator('.activation-time').filter({ hasText: /\d+ms/ }).waitFor();
    const text = await line.innerText();
    await session.screenshot('running-extensions');
    process.stdout.write(`Activation as the editor counts it: ${/(\d+)ms/.exec(text)?.[1]} ms\n`);
    expect(text).not.toMatch(/uncaught error/i);
    expect(engines(session.server)).toEqual([]);
  });

  it('runs with F5 without a configuration, and stops with its session', async () => {
    const { page, workbench } = session;
    await workbench.open('echo.pipe.json');
    await page.keyboard.press('F5');
    await page.locator('.debug-toolbar').waitFor();
    await workbench.openContainer('Millrace');
    await workbench.tree(views.pipelines).row('echo.pipe.json').filter({ hasText: 'Running' }).waitFor();
    await session.screenshot('run-f5');
    await page.keyboard.press('Shift+F5');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  });
});
