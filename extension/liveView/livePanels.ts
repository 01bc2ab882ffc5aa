import * as vscode from 'vscode';
import type { MillraceClient } from '../../client/typescript/src/index.js';
import type { TraceLevel } from '../../protocol/events.js';
import type { Connection, Connections } from '../connections/connection.js';
import { livePanelType } from '../identifiers.js';
import type { Log } from '../log.js';
import { readKeptTask } from './keptTask.js';
import { LivePanel, panelResources } from './livePanel.js';

export interface LivePanelsDeps {
  readonly extensionUri: vscode.Uri;
  readonly connections: Pick<Connections, 'get'>;
  /** The file that this window started a task from. */
  readonly fileOf: (token: string) => vscode.Uri | undefined;
  /** Shows the component in the file. */
  readonly openComponent: (file: vscode.Uri, id: string) => unknown;
  readonly showFailure: (thrown: unknown) => void;
  readonly log: Log;
}

/** A task to be watched. */
export interface LiveTarget {
  readonly connection: Connection;
  readonly token: string;
  /** Name of the pipeline, for the title. */
  readonly name: string;
  readonly traceLevel?: TraceLevel | undefined;
}

/** The live views of this window, one for each task. */
export class LivePanels implements vscode.Disposable, vscode.WebviewPanelSerializer {
  readonly #deps: LivePanelsDeps;
  readonly #panels = new Map<string, LivePanel>();
  readonly #unregister: vscode.Disposable;
  #count = 0;

  constructor(deps: LivePanelsDeps) {
    this.#deps = deps;
    this.#unregister = vscode.window.registerWebviewPanelSerializer(livePanelType, this);
  }

  /** Opens the view of a task beside the editor, or shows the one that is open. */
  show({ connection, token, name, traceLevel }: LiveTarget): void {
    const key = `${token} ${connection.name}`;
    const known = this.#panels.get(key);
    if (known !== undefined) return known.reveal();
    const panel = vscode.window.createWebviewPanel(
      livePanelType,
      name,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      {
        enableScripts: true,
        retainContextWhenHidden: false,
        enableFindWidget: true,
        localResourceRoots: [panelResources(this.#deps.extensionUri)],
      },
    );
    const file = this.#deps.fileOf(token);
    this.#add(key, panel, connection, () => token, file, traceLevel);
  }

  /** After a reload of the window: the task is looked for again, for its token was not kept. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const task = readKeptTask(state);
    const connection = task && this.#find(task.connection);
    if (task === undefined || connection === undefined) {
      panel.dispose();
      return Promise.resolve();
    }
    panel.title = task.name;
    const findToken = (client: MillraceClient): Promise<string> => client.getToken(task.projectId, task.source);
    this.#add(`restored ${++this.#count}`, panel, connection, findToken, undefined, undefined);
    return Promise.resolve();
  }

  dispose(): void {
    this.#unregister.dispose();
    for (const panel of [...this.#panels.values()]) panel.dispose();
    this.#panels.clear();
  }

  #add(
    key: string,
    panel: vscode.WebviewPanel,
    connection: Connection,
    findToken: (client: MillraceClient) => string | Promise<string>,
    file: vscode.Uri | undefined,
    traceLevel: TraceLevel | undefined,
  ): void {
    const { extensionUri, openComponent, showFailure, log } = this.#deps;
    const made = new LivePanel(panel, {
      extensionUri,
      connection,
      findToken,
      hasFile: file !== undefined,
      traceLevel,
      openComponent: (id) => {
        if (file === undefined) return;
        Promise.resolve(file)
          .then((opened) => openComponent(opened, id))
          .catch(showFailure);
      },
      showFailure,
      log,
      onDispose: () => this.#panels.delete(key),
    });
    this.#panels.set(key, made);
  }

  #find(name: string): Connection | undefined {
    try {
      return this.#deps.connections.get(name);
    } catch {
      // The profile was removed meanwhile.
      return undefined;
    }
  }
}
