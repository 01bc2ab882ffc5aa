'use strict';
const { appendFileSync } = require('node:fs');
const path = require('node:path');
const { performance } = require('node:perf_hooks');
const { extensions, workspace } = require('vscode');

/** A window on a folder with `activate.json`, the names of extensions in order, gets a line in `times.jsonl`. */
exports.activate = async () => {
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (folder === undefined) return;
  const times = {};
  for (const name of require(path.join(folder, 'activate.json'))) {
    const extension = extensions.getExtension(name);
    const before = extension?.isActive;
    const started = performance.now();
    await extension?.activate();
    times[name] = before === false ? performance.now() - started : null;
  }
  appendFileSync(path.join(folder, 'times.jsonl'), `${JSON.stringify(times)}\n`);
};
