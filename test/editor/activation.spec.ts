import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from './support/processes.js';
import { echo } from './support/pipelines.js';
import { EditorSession } from './support/session.js';

describe('the extension in a workspace with a pipeline', () => {
  let session: EditorSession;
  beforeAll(async () => {
    session = await EditorSession.open({ files: { 'echo.pipe.json': echo } });
  });
  afterAll(() => session.close());
  beforeEach(() => session.explainFailure());

  it('is active, without an error and without an engine', async () => {
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
});
