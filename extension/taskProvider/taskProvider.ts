import path from 'node:path';
import * as vscode from 'vscode';
import type { Connections } from '../connections/connection.js';
import { taskType } from '../identifiers.js';
import type { AnalysisOptionsOf } from '../pipelines/analysisOptions.js';
import type { PipelineFiles } from '../pipelines/pipelineFiles.js';
import type { RunHost } from '../runs/runHost.js';
import type { Runs } from '../runs/runs.js';
import { checkTask, runWork, validateWork } from './pipelineTasks.js';
import { TaskTerminal, type TerminalWork } from './taskTerminal.js';

export interface TaskProviderDeps {
  readonly runs: Runs;
  readonly connections: Pick<Connections, 'current'>;
  readonly pipelines: Pick<PipelineFiles, 'files'>;
  readonly host: Pick<RunHost, 'readPipeline'>;
  readonly analysis: AnalysisOptionsOf;
}

/** The problem matcher in package.json for absolute paths: others are looked for on the disk, longer than a task runs. */
const problemMatcher = '$millrace-task';

/** Editors that do not tell when they listen to a task are not waited for longer. */
const listenMs = 2000;

/** Files beyond this number get no task of their own in the list; tasks.json can name any. */
const mostFiles = 100;

/** The tasks `millrace: validate …` and `millrace: run …`. */
export class PipelineTaskProvider implements vscode.TaskProvider, vscode.Disposable {
  readonly #deps: TaskProviderDeps;
  readonly #registration: vscode.Disposable;

  constructor(deps: TaskProviderDeps) {
    this.#deps = deps;
    this.#registration = vscode.tasks.registerTaskProvider(taskType, this);
  }

  provideTasks(): vscode.Task[] {
    return this.#deps.pipelines.files.slice(0, mostFiles).flatMap(({ uri }) => {
      const folder = vscode.workspace.getWorkspaceFolder(uri);
      if (folder === undefined) return [];
      const file = vscode.workspace.asRelativePath(uri, false);
      return (['validate', 'run'] as const).map((action) => this.#task({ type: taskType, action, file }, folder));
    });
  }

  resolveTask(task: vscode.Task): vscode.Task {
    const { definition, scope } = task;
    return this.#task(definition, typeof scope === 'object' ? scope : undefined);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #task(definition: vscode.TaskDefinition, folder: vscode.WorkspaceFolder | undefined): vscode.Task {
    const { action, file } = definition;
    const run = new vscode.CustomExecution((resolved) => Promise.resolve(this.#terminal(resolved, folder)));
    const scope = folder ?? vscode.TaskScope.Workspace;
    const task = new vscode.Task(definition, scope, `${action} ${file}`, taskType, run, problemMatcher);
    if (action === 'validate') task.group = vscode.TaskGroup.Build;
    task.presentationOptions = {
      reveal: action === 'run' ? vscode.TaskRevealKind.Always : vscode.TaskRevealKind.Silent,
    };
    return task;
  }

  #terminal(definition: vscode.TaskDefinition, folder: vscode.WorkspaceFolder | undefined): TaskTerminal {
    // What is wrong with the definition is said in the terminal, where the person looks.
    return new TaskTerminal((print, signal) => this.#work(definition, folder)(print, signal), listened(definition));
  }

  #work(definition: vscode.TaskDefinition, scope: vscode.WorkspaceFolder | undefined): TerminalWork {
    const { action, file } = checkTask(definition);
    const folder = scope ?? vscode.workspace.workspaceFolders?.[0];
    const inFolder = folder !== undefined && !path.isAbsolute(file);
    const uri = inFolder ? vscode.Uri.joinPath(folder.uri, file) : vscode.Uri.file(file);
    const { runs, connections, host, analysis } = this.#deps;
    if (action === 'run') return runWork(uri, file, runs);
    return validateWork(uri, file, { host, connection: connections.current, analysis });
  }
}

/** The editor takes what a task prints to its problem matcher from the moment when it tells that the task's process runs. */
function listened({ action, file }: vscode.TaskDefinition): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      started.dispose();
      resolve();
    };
    const timer = setTimeout(done, listenMs);
    const started = vscode.tasks.onDidStartTaskProcess(({ execution: { task } }) => {
      const { type, action: startedAction, file: startedFile } = task.definition;
      if (type === taskType && startedAction === action && startedFile === file) done();
    });
  });
}
