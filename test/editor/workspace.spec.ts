import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { views } from '../../extension/identifiers.js';
import { eventually } from '../support/poll.js';
import { anonymize, echo, unknownProvider } from './support/pipelines.js';
import { EditorSession } from './support/session.js';

const megabyte = 1024 * 1024;
/** One of its variables is in the `.env` beside it. */
const odd = unknownProvider.replace('"config": {}', '"config": { "hideForm": "${MILLRACE_NORTH}${MILLRACE_SOUTH}" }');

describe('a workspace of three folders', () => {
  let session: EditorSession;
  beforeAll(async () => {
    session = await EditorSession.open({
      files: {
        'north/echo.pipe.json': echo,
        'south/mask.pipe.json': anonymize,
        'south/odd.pipe.json': odd,
        'south/.env': 'MILLRACE_SOUTH=1\n',
        'east/notes.txt': 'Nothing to run here.',
      },
      roots: ['north', 'south', 'east'],
      settings: { 'millrace.run.openLiveView': false },
    });
    await session.workbench.openContainer('Millrace');
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  const pipelines = () => session.workbench.tree(views.pipelines);

  it('lists the pipelines below the folder they are in', async () => {
    await pipelines().row('odd.pipe.json').waitFor();
    expect(await pipelines().labels()).toEqual(['north', 'echo.pipe.json', 'south', 'mask.pipe.json', 'odd.pipe.json']);
    await session.screenshot('three-folders');
  });

  it('has a task that validates a pipeline and puts its problems into the Problems view', async () => {
    const { workbench } = session;
    await workbench.runTask('millrace: validate odd.pipe.json');
    await session.page.getByRole('tab', { name: /^Problems/ }).click();
    await workbench.problems.filter({ hasText: 'no_such_thing' }).first().waitFor();
    await workbench.problems.filter({ hasText: 'MILLRACE_NORTH' }).first().waitFor();
    const problems = await workbench.problems.allInnerTexts();
    const undefinedNames = problems.flatMap((text) => /The variable "(\w+)"/.exec(text)?.[1] ?? []);
    expect(undefinedNames).toEqual(['MILLRACE_NORTH']);
    await session.screenshot('task-validate');
  });

  it('has a task that runs a pipeline in a terminal, and stops it with that', async () => {
    const { workbench } = session;
    await workbench.runTask('millrace: run echo.pipe.json');
    await pipelines().row('echo.pipe.json').filter({ hasText: 'Running' }).waitFor();
    await workbench.terminal.filter({ hasText: 'Started echo.pipe.json on Local.' }).waitFor();
    await session.screenshot('task-run');
    await workbench.runTitled('Tasks: Terminate Task');
    const chosen = workbench.quickInput.row('millrace: run echo.pipe.json');
    await chosen.waitFor({ timeout: 2000 }).then(
      () => chosen.click(),
      () => undefined,
    );
    await pipelines().row('echo.pipe.json').filter({ hasNotText: 'Running' }).waitFor();
  });

  it('keeps a run whose file is renamed, and one whose file is deleted', async () => {
    const { workbench, folder } = session;
    const north = path.join(folder, 'north');
    await workbench.open('echo.pipe.json');
    await workbench.editor.codeLens('Run').click();
    await pipelines().row('echo.pipe.json').filter({ hasText: 'Running' }).waitFor();

    await workbench.renameInExplorer('echo.pipe.json', 'river.pipe.json');
    await workbench.openContainer('Millrace');
    await pipelines().row('river.pipe.json').filter({ hasText: 'Running' }).waitFor();
    await workbench.editor.codeLens('Send text').click();
    await workbench.answer('Renamed', 'The text goes into');
    await workbench.editor.lineIn(/Text\.result/, 'Renamed').waitFor();

    // Somebody deletes it without the editor.
    await rm(path.join(north, 'river.pipe.json'));
    await eventually('the file is not listed', async () => !(await pipelines().labels()).includes('river.pipe.json'));
    await workbench.tree(views.tasks).row('echo').filter({ hasText: 'Running' }).waitFor();
    await session.screenshot('deleted-while-running');
    await workbench.tree(views.tasks).act('echo', 'Stop Task');
    await workbench.tree(views.tasks).row('echo').filter({ hasText: 'Stopped' }).waitFor();
  });

  it('says once that a pipeline of 50 MB is too large, and goes on working', async () => {
    const { workbench } = session;
    const filler = Buffer.alloc(50 * megabyte, ' ');
    await session.write({ 'east/huge.pipe.json': Buffer.concat([Buffer.from(echo), filler]) });
    await pipelines().row('huge.pipe.json').filter({ hasText: 'This file has 50 MB' }).waitFor();
    await pipelines().act('huge.pipe.json', 'Run Pipeline');
    await workbench
      .notification(/huge\.pipe\.json.*50 MB/)
      .first()
      .waitFor();
    await session.screenshot('huge-pipeline');
    expect(await workbench.notification(/huge\.pipe\.json.*50 MB/).count()).toBe(1);
    await workbench.runTitled('Notifications: Clear All Notifications');
    await pipelines().row('huge.pipe.json').click();
    await workbench.editor.tab('huge.pipe.json').waitFor();
    await pipelines().act('mask.pipe.json', 'Run Pipeline');
    await pipelines().row('mask.pipe.json').filter({ hasText: 'Running' }).waitFor();
  });
});
