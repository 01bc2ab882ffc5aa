import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commands, views } from '../../extension/identifiers.js';
import { eventually } from '../support/poll.js';
import { type ScriptedModel, startScriptedModel } from '../support/scriptedModel.js';
import { chooseFromMenu } from './pages/contextMenu.js';
import { shortTitle } from './support/manifest.js';
import { chatWith, componentsFolder, obeying } from './support/pipelines.js';
import { EditorSession } from './support/session.js';

describe('sending to a pipeline that runs', () => {
  let model: ScriptedModel;
  let session: EditorSession;
  beforeAll(async () => {
    // The first answer stops in its middle, so that it can be seen there, and is given anew when it is cut.
    model = await startScriptedModel([
      { hangAfter: ['Rivers turn ', 'mills'] },
      { say: ['Rivers drive ', 'millraces.'] },
      { say: 'As I said.' },
    ]);
    session = await EditorSession.open({
      files: {
        'chat.pipe.json': chatWith(model.baseUrl),
        'obey.pipe.json': obeying,
        'note.txt': 'A note to send',
        'letters/first.txt': 'The first letter',
        // These two are never done.
        'letters/second.txt': 'never',
        'letters/third.txt': 'never',
        '.vscode/settings.json': JSON.stringify({ 'millrace.engine.componentsFolder': componentsFolder }),
      },
      settings: { 'millrace.run.openLiveView': false },
    });
  });
  afterAll(async () => {
    await session.close();
    await model.close();
  });
  beforeEach(() => session.explainFailure());

  it('shows the answer of a chat as it grows, and keeps the conversation', async () => {
    const { workbench } = session;
    const { editor } = workbench;
    await workbench.open('chat.pipe.json');
    await editor.codeLens('Run').click();
    await editor.codeLens('Ask').click();
    await workbench.answer('What drives a mill?', 'Your question');
    await editor.lineIn(/chat\.chat\.md/, 'Rivers turn mills').waitFor();
    await session.screenshot('ask-streaming');
    model.cut();
    await editor.lineIn(/chat\.chat\.md/, 'Rivers drive millraces.').waitFor();
    expect(await editor.lineIn(/chat\.chat\.md/, 'Rivers turn mills').count()).toBe(0);

    await workbench.open('chat.pipe.json');
    await editor.codeLens('Ask').click();
    await workbench.answer('Again?', 'Your question');
    await editor.lineIn(/chat\.chat\.md/, 'As I said.').waitFor();
    await editor.lineIn(/chat\.chat\.md/, 'What drives a mill?').waitFor();
    await session.screenshot('ask-answered');
    const said = JSON.stringify(model.requests.at(-1)?.body);
    expect(said).toContain('Rivers drive millraces.');
  });

  it('takes a file that is chosen in the dialog', async () => {
    const { workbench } = session;
    await workbench.open('obey.pipe.json');
    await workbench.editor.codeLens('Run').click();
    await workbench.editor.codeLens('Send files').click();
    await workbench.answerPath(path.join(session.folder, 'note.txt'));
    await workbench.editor.lineIn(/note.*result/, 'A note to send').waitFor();
  });

  it('takes a folder of the Explorer, and keeps what was done when that is cancelled', async () => {
    const { page, workbench } = session;
    await workbench.openContainer('Explorer');
    const folder = page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'letters' });
    await chooseFromMenu(folder, shortTitle(commands.sendToPipeline));
    const progress = workbench.notification('Sending to obey');
    await progress.filter({ hasText: '1 of 3' }).waitFor();
    await session.screenshot('send-folder');
    await progress.getByRole('button', { name: 'Cancel', exact: true }).first().click();
    await workbench.editor.lineIn(/obey\.results/, 'The first letter').waitFor();
    await workbench.editor.lineIn(/obey\.results/, '3 files, 2 failed').waitFor();
    await session.screenshot('send-folder-cancelled');
  });

  it('prints what its components say in a channel of its own', async () => {
    const { workbench } = session;
    await workbench.open('obey.pipe.json');
    await workbench.editor.codeLens('Send text').click();
    await workbench.answer('log The wheel turns', 'The text goes into');
    await workbench.openContainer('Millrace');
    await workbench.tree(views.tasks).choose('obey', shortTitle(commands.showTaskOutput));
    await eventually('the output is shown', async () =>
      (await workbench.textOf(workbench.output)).includes('The wheel turns'),
    );
    expect(await workbench.textOf(workbench.output)).toContain('Output of obey');
    await session.screenshot('task-output');
  });
});
