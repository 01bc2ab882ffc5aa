import * as vscode from 'vscode';
import type { Connection, Connections } from '../connections/connection.js';
import { views } from '../identifiers.js';
import type { Runs } from '../runs/runs.js';
import { connectionNodes } from './connectionItems.js';
import { plural } from './format.js';
import { NodeTreeView } from './nodeTreeProvider.js';
import { pipelineNodes } from './pipelineItems.js';
import { PipelineReadings, type PipelineSource } from './pipelineReadings.js';
import { runningCount, taskNodes } from './taskItems.js';
import type { TaskList } from './taskList.js';

export interface ViewsDeps {
  readonly connections: Connections;
  readonly runs: Pick<Runs, 'all' | 'onDidChange'>;
  readonly tasks: TaskList;
  readonly files: PipelineSource;
  /** The address of a profile, for while it is not connected. */
  readonly urlOf?: (connection: Connection) => string | undefined;
}

/** The three trees of the activity bar. */
export class Views implements vscode.Disposable {
  readonly #tasks: TaskList;
  readonly #taskView: NodeTreeView;
  readonly #disposables: vscode.Disposable[];

  constructor({ connections, runs, tasks, files, urlOf }: ViewsDeps) {
    this.#tasks = tasks;
    const readings = new PipelineReadings(files, () => pipelineView.refresh());
    const pipelineView: NodeTreeView = new NodeTreeView(views.pipelines, () =>
      pipelineNodes({
        pipelines: readings.pipelines,
        folders: vscode.workspace.workspaceFolders ?? [],
        runs: runs.all,
        tasks: tasks.tasks,
      }),
    );
    this.#taskView = new NodeTreeView(views.tasks, () => taskNodes(tasks.tasks, Date.now() / 1000));
    const connectionView = new NodeTreeView(views.connections, () =>
      connectionNodes(connections.all, connections.current, urlOf),
    );
    const refreshConnections = (): void => {
      connectionView.refresh();
      this.#tasksChanged();
    };
    this.#disposables = [
      readings,
      pipelineView,
      this.#taskView,
      connectionView,
      vscode.workspace.onDidChangeWorkspaceFolders(() => pipelineView.refresh()),
      runs.onDidChange(() => pipelineView.refresh()),
      tasks.onDidChange(() => {
        pipelineView.refresh();
        this.#tasksChanged();
      }),
      connections.onDidChange(refreshConnections),
      connections.onDidChangeCurrent(refreshConnections),
    ];
    this.#tasksChanged();
  }

  dispose(): void {
    for (const each of this.#disposables) each.dispose();
  }

  #tasksChanged(): void {
    this.#taskView.refresh();
    const running = runningCount(this.#tasks.tasks);
    const { view } = this.#taskView;
    if ((view.badge?.value ?? 0) === running) return;
    view.badge = running === 0 ? undefined : { value: running, tooltip: `${plural(running, 'task')} running` };
  }
}
