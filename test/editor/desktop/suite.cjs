/**
 * What a first minute needs, by the API of the editor it runs in: a desktop has no page that a test could press buttons
 * in. run.mjs starts it.
 */
const assert = require('node:assert');
const { appendFileSync } = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const deadline = 30_000;

async function eventually(what, check) {
  const end = Date.now() + deadline;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what}: not within ${deadline / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The commands above the first line of a pipeline. */
async function lenses(file) {
  const all = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', file, 50);
  return all.flatMap(({ command }) => (command ? [command.command] : []));
}

const steps = {
  async 'the extension becomes active'() {
    const extension = vscode.extensions.getExtension('millrace.millrace-vscode');
    assert.ok(extension, 'the extension is not there');
    await extension.activate();
  },

  async 'a pipeline runs, on the engine inside the editor'({ pipeline }) {
    await vscode.window.showTextDocument(pipeline);
    await eventually('"Run" above the pipeline', async () =>
      (await lenses(pipeline)).includes('millrace.pipeline.run'),
    );
    await vscode.commands.executeCommand('millrace.pipeline.run', pipeline);
    await eventually('"Stop" above the pipeline', async () =>
      (await lenses(pipeline)).includes('millrace.pipeline.stop'),
    );
  },

  async 'the live view opens'() {
    await eventually('the tab of the live view', () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .some(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.includes('millrace.liveView')),
    );
  },

  async 'a file is sent, and its result opens'({ letter }) {
    await vscode.commands.executeCommand('millrace.sendToPipeline', letter);
    const result = await eventually('the result', () =>
      vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'millrace-result'),
    );
    assert.match(result.getText(), /Good morning from the desktop/);
  },

  async 'the pipeline stops'({ pipeline }) {
    await vscode.commands.executeCommand('millrace.pipeline.stop', pipeline);
    await eventually('"Run" above the pipeline', async () =>
      (await lenses(pipeline)).includes('millrace.pipeline.run'),
    );
  },
};

/** Writes a line for each step into results.txt of the folder, because what is printed here may go nowhere. */
exports.run = async () => {
  const [{ uri: folder }] = vscode.workspace.workspaceFolders;
  const report = (line) => appendFileSync(path.join(folder.fsPath, 'results.txt'), `${line}\n`);
  const files = {
    pipeline: vscode.Uri.joinPath(folder, 'echo.pipe.json5'),
    letter: vscode.Uri.joinPath(folder, 'letter.txt'),
  };
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step(files);
    } catch (error) {
      report(`failed: ${name}: ${error.message}`);
      throw error;
    }
    report(`passed: ${name}`);
  }
};
