import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../client/typescript/src/index.js';
import { commands, views } from '../../extension/identifiers.js';
import { eventually } from '../support/poll.js';
import { startServer, type TestServer } from '../support/server.js';
import { shortTitle } from './support/manifest.js';
import { componentsFolder, obeying } from './support/pipelines.js';
import { EditorSession } from './support/session.js';

const attach = (name: string, more: object) => ({ type: 'millrace', request: 'attach', name, ...more });

describe('a task that somebody else started', () => {
  let server: TestServer;
  let other: MillraceClient;
  let token: string;
  let session: EditorSession;
  beforeAll(async () => {
    server = await startServer({ args: ['--components', componentsFolder] });
    other = new MillraceClient({ uri: server.url, auth: server.key });
    await other.connect();
    ({ token } = await other.use({ name: 'obey', pipeline: JSON.parse(obeying) as Record<string, unknown> }));
    session = await EditorSession.open({
      files: {
        '.vscode/launch.json': JSON.stringify({
          version: '0.2.0',
          configurations: [
            attach('By its token', { token }),
            attach('By choice', { token: '${command:pickTask}' }),
            attach('Nobody', { token: 'tk_nobody' }),
          ],
        }),
      },
      settings: { 'millrace.connections': [{ name: 'Lab', url: server.url }], 'millrace.connection': 'Lab' },
    });
    const { workbench } = session;
    await workbench.openContainer('Millrace');
    await workbench.tree(views.connections).choose('Lab', shortTitle(commands.setConnectionKey));
    await workbench.answer(server.key);
  });
  afterAll(async () => {
    await session.close();
    await other.disconnect();
    await server.stop();
  });
  beforeEach(() => session.explainFailure());

  const send = (text: string) => other.send(token, text, { name: 'Letter' }, 'text/plain');
  const task = () => session.workbench.tree(views.tasks).row('obey');
  /** Has the task print something until that is seen: a session hears what is printed from its beginning on. */
  const heard = (text: string) =>
    eventually(`"${text}" is in the debug console`, async () => {
      await send(`log ${text}`);
      const line = session.workbench.debugConsole.getByText(text).first();
      return line.waitFor({ timeout: 1000 }).then(
        () => true,
        () => false,
      );
    });
  const toolbar = () => session.page.locator('.debug-toolbar');

  it('is listed with its state, its counts and its errors', async () => {
    const { workbench } = session;
    await task().filter({ hasText: 'Running' }).waitFor();
    await send('Good morning');
    await task().filter({ hasText: '1 done' }).waitFor();
    await send('fail The wheel is stuck');
    await task().filter({ hasText: '1 failed' }).waitFor();
    await task().click();
    await session.page.keyboard.press('ArrowRight');
    await workbench.tree(views.tasks).row('Errors').waitFor();
    await session.screenshot('tasks-of-others');
    // A click on the line opened its live view as well.
    await workbench.liveView.frame.getByRole('heading', { name: 'obey' }).waitFor();
    await workbench.liveView.frame.getByText('The wheel is stuck').first().waitFor();
  });

  it('is attached to by its token, heard from then on, and left running', async () => {
    const { workbench } = session;
    await workbench.debug('By its token');
    await workbench.debugConsole.getByText(/Attached to obey/).waitFor();
    await heard('The wheel turns');
    await session.screenshot('attach-token');
    await workbench.runTitled('Debug: Disconnect');
    await toolbar().waitFor({ state: 'hidden' });
    expect((await other.getTasks()).map((each) => each.token)).toContain(token);
  });

  it('is attached to when it is picked', async () => {
    const { workbench } = session;
    await workbench.debug('By choice');
    await workbench.quickInput.widget.getByPlaceholder('Task of Lab to attach to').waitFor();
    await workbench.pick('obey');
    await heard('It turns again');
    await workbench.runTitled('Debug: Disconnect');
    await toolbar().waitFor({ state: 'hidden' });
  });

  it('is attached to from its line in the view', async () => {
    const { workbench } = session;
    await workbench.openContainer('Millrace');
    await workbench.tree(views.tasks).choose('obey', shortTitle(commands.attachToTask));
    await heard('And once more');
  });

  it('ends for everybody who watches when its owner stops it', async () => {
    const { workbench } = session;
    await other.terminate(token);
    await toolbar().waitFor({ state: 'hidden' });
    await workbench.debugConsole.getByText('Exit code 0').first().waitFor();
    await workbench.openContainer('Millrace');
    await task()
      .filter({ hasText: /Completed|Stopped/ })
      .waitFor();
    await session.screenshot('attach-ended');
  });

  it('that does not exist is said so', async () => {
    const { workbench, page } = session;
    await workbench.debug('Nobody');
    await workbench.debugConsole.getByText('Your pipeline is not running').first().waitFor();
    await session.screenshot('attach-nobody');
    await page.keyboard.press('Escape');
  });
});
