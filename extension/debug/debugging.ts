import * as vscode from 'vscode';
import { isRecord } from '../../pipeline/values.js';
import { MillraceError } from '../../protocol/errors.js';
import type { ShowFailure } from '../commands/showFailure.js';
import type { Connection, Connections } from '../connections/connection.js';
import { debugType, pickTaskCommand } from '../identifiers.js';
import type { PipelineFiles } from '../pipelines/pipelineFiles.js';
import type { RunHost } from '../runs/runHost.js';
import type { Runs } from '../runs/runs.js';
import { MillraceConfigurationProvider, PipelineConfigurations } from './configurationProvider.js';
import { isAddress, MillraceDebugSession } from './debugSession.js';

export interface DebuggingDeps {
  readonly runs: Runs;
  readonly connections: Connections;
  readonly pipelines: Pick<PipelineFiles, 'files'>;
  readonly host: Pick<RunHost, 'settings'>;
  readonly showFailure: ShowFailure;
}

/** More files than one session should be given by mistake. */
const mostFiles = 100_000;

/** The debug type in the editor: its adapter and its configurations. */
export class Debugging implements vscode.Disposable {
  readonly #deps: DebuggingDeps;
  readonly #registrations: vscode.Disposable[];

  constructor(deps: DebuggingDeps) {
    this.#deps = deps;
    const provider = new MillraceConfigurationProvider({ ...deps, fileUri });
    const { Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
    const listed = new PipelineConfigurations(deps.pipelines);
    this.#registrations = [
      vscode.debug.registerDebugAdapterDescriptorFactory(debugType, {
        createDebugAdapterDescriptor: ({ workspaceFolder }) => this.#adapter(workspaceFolder),
      }),
      vscode.debug.registerDebugConfigurationProvider(debugType, provider),
      vscode.debug.registerDebugConfigurationProvider(debugType, listed, Dynamic),
      vscode.commands.registerCommand(pickTaskCommand, (argument: unknown) => this.#pickToken(argument)),
    ];
  }

  /**
   * The command `millrace.task.attach`: starts a session for the task of a tree's line, else for one that is picked.
   *
   * @throws MillraceError when there is no connection or nothing runs
   */
  async attachToTask(argument?: unknown): Promise<void> {
    const task = taskOf(argument) ?? (await this.#pick(this.#deps.connections.current));
    if (task === undefined) return;
    const { name, token, connection } = task;
    const configuration = { type: debugType, request: 'attach', name: `Attach to ${name}`, token, connection };
    await vscode.debug.startDebugging(undefined, configuration);
  }

  dispose(): void {
    for (const registration of this.#registrations) registration.dispose();
  }

  #adapter(folder: vscode.WorkspaceFolder | undefined): vscode.DebugAdapterDescriptor {
    const { runs, connections } = this.#deps;
    const first = folder ?? vscode.workspace.workspaceFolders?.[0];
    const session = new MillraceDebugSession({ runs, connections, folder: first?.uri.fsPath, fileUri, findFiles });
    return new vscode.DebugAdapterInlineImplementation(session);
  }

  /** The editor passes the configuration that has the variable. Undefined, when nothing is picked, cancels it. */
  async #pickToken(argument: unknown): Promise<string | undefined> {
    try {
      const connection = this.#connection(isRecord(argument) ? argument.connection : undefined);
      return (await this.#pick(connection))?.token;
    } catch (thrown) {
      // The editor would show what is thrown in a dialog.
      this.#deps.showFailure(thrown);
      return undefined;
    }
  }

  #connection(name: unknown): Connection {
    const { connections } = this.#deps;
    return typeof name === 'string' && name !== '' ? connections.get(name) : connections.current;
  }

  async #pick(connection: Connection): Promise<PickedTask | undefined> {
    const client = await connection.client();
    const tasks = await client.getTasks();
    if (tasks.length === 0) {
      throw new MillraceError('task_unknown', `Nothing runs on ${connection.name}`, { hint: 'Run a pipeline first.' });
    }
    const items = tasks.map(({ name, source, status, token }) => {
      return { label: name || source, description: source, detail: status, token };
    });
    const placeHolder = `Task of ${connection.name} to attach to`;
    const picked = await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
    return picked === undefined ? undefined : { name: picked.label, token: picked.token, connection: connection.name };
  }
}

interface PickedTask {
  readonly name: string;
  readonly token: string;
  /** Name of its connection. */
  readonly connection: string;
}

/** The task that a line of a tree is about. */
function taskOf(argument: unknown): PickedTask | undefined {
  const task = isRecord(argument) && isRecord(argument.subject) ? argument.subject.task : argument;
  if (!isRecord(task) || typeof task.token !== 'string' || task.token === '') return undefined;
  const connection = isRecord(task.connection) && typeof task.connection.name === 'string' ? task.connection.name : '';
  return { name: typeof task.name === 'string' ? task.name : 'task', token: task.token, connection };
}

function fileUri(path: string): vscode.Uri {
  return isAddress(path) ? vscode.Uri.parse(path, true) : vscode.Uri.file(path);
}

async function findFiles(folder: string, glob: string): Promise<string[]> {
  // Null: what the editor hides from its own searches may be sent all the same.
  const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), glob);
  const found = await vscode.workspace.findFiles(pattern, null, mostFiles);
  return found.map(({ fsPath }) => fsPath);
}
