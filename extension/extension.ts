import * as vscode from 'vscode';
import { bundledCatalogue } from '../pipeline/bundledCatalogue.js';
import { announceEnds } from './commands/announceEnds.js';
import { pipelineCommands, registerCommands } from './commands/register.js';
import { createShowFailure } from './commands/showFailure.js';
import { pickPipeline, tokenOf } from './commands/target.js';
import { askForKey, connectionCommands } from './connections/commands.js';
import { ConnectionList } from './connections/connections.js';
import { editorPrompts } from './connections/editorPrompts.js';
import { EditorConnectionSettings } from './connections/editorSettings.js';
import { ProfileStore } from './connections/profileStore.js';
import { RemoteConnection } from './connections/remoteConnection.js';
import { Debugging } from './debug/debugging.js';
import { tellCrashes } from './engineHost/crashMessages.js';
import { createEngineHost, followEngineSettings } from './engineHost/createEngineHost.js';
import { ConnectionStatusBar } from './engineHost/statusBar.js';
import { contextKeys } from './identifiers.js';
import { PipelineCodeLenses } from './language/codeLens.js';
import { LazyLanguageClient } from './language/lazyClient.js';
import { ResolvedPipelines } from './language/resolvedPipelines.js';
import { LiveHints } from './language/liveHints.js';
import { registerShowPages } from './language/showPages.js';
import { registerShowUses } from './language/showUses.js';
import { liveViewCommands } from './liveView/commands.js';
import { LivePanels } from './liveView/livePanels.js';
import { TaskOutputs } from './output/taskOutput.js';
import { showComponent } from './pipelines/showComponent.js';
import { WorkspacePipelineFiles } from './pipelines/pipelineFiles.js';
import { analysisOptions } from './pipelines/analysisOptions.js';
import { PipelineValidator } from './pipelines/validator.js';
import { EditorRunHost } from './runs/editorRunHost.js';
import { ResultDocuments } from './runs/resultDocuments.js';
import { followRunningPipelines } from './runs/runningContext.js';
import { RunService } from './runs/runService.js';
import { NewPipeline } from './starters/newPipeline.js';
import { openWalkthrough } from './starters/openWalkthrough.js';
import { PipelineTaskProvider } from './taskProvider/taskProvider.js';
import { TaskListModel } from './views/taskListModel.js';
import { Views } from './views/views.js';

/** Assembles the extension: every object is made here and given to others. What is made later is disposed first. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Millrace', { log: true });
  const own = <T extends vscode.Disposable>(made: T): T => {
    context.subscriptions.unshift(made);
    return made;
  };
  own(log);
  const showFailure = createShowFailure(log);
  try {
    assemble(context, log, own, showFailure);
  } catch (thrown) {
    // The editor itself says nothing when an extension does not start.
    showFailure(thrown);
    throw thrown;
  }
}

function assemble(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  own: <T extends vscode.Disposable>(made: T) => T,
  showFailure: ReturnType<typeof createShowFailure>,
): void {
  const { extensionUri } = context;
  const analysis = analysisOptions(bundledCatalogue());
  const host = new EditorRunHost();
  const results = own(new ResultDocuments());
  const files = own(new WorkspacePipelineFiles());
  const engine = own(createEngineHost(context, log));
  const store = own(new ProfileStore(own(new EditorConnectionSettings()), context.secrets, log));
  const connections = own(
    new ConnectionList({
      engine,
      store,
      askKey: (profile, reason) => askForKey(editorPrompts, profile, reason),
      mayConnect: () => vscode.workspace.isTrusted,
      setConnected: (connected) => void vscode.commands.executeCommand('setContext', contextKeys.connected, connected),
      log,
    }),
  );
  const runs = own(new RunService({ host, currentConnection: () => connections.current, log }));
  const fileOf = (token: string): vscode.Uri | undefined => runs.all.find(({ info }) => info.token === token)?.file;
  const tasks = own(new TaskListModel({ connections, fileOf, log, now: () => Date.now() / 1000 }));
  const panels = own(
    new LivePanels({ extensionUri, connections, fileOf, openComponent: showComponent, showFailure, log }),
  );
  const liveView = liveViewCommands({ panels, runs, tasks, connections });
  const outputs = own(
    new TaskOutputs({ tasks, createChannel: (name) => vscode.window.createOutputChannel(name), log }),
  );
  const validator = own(new PipelineValidator({ host, connections, analysis, log }));
  const debugging = own(new Debugging({ runs, connections, pipelines: files, host, showFailure }));
  const newPipeline = new NewPipeline(extensionUri);
  const language = own(new LazyLanguageClient({ extensionUri, connections, log }));
  const resolved = own(new ResolvedPipelines((uri) => language.resolvedPipeline(uri)));
  own(new ConnectionStatusBar(connections));
  own(tellCrashes(engine));
  own(followEngineSettings(engine, showFailure));
  own(
    new Views({
      connections,
      runs,
      tasks,
      files,
      urlOf: (connection) => (connection instanceof RemoteConnection ? connection.url : undefined),
    }),
  );
  own(new PipelineCodeLenses(runs));
  own(new LiveHints(runs, tasks));
  own(registerShowUses());
  own(registerShowPages(extensionUri));
  own(new PipelineTaskProvider({ runs, connections, pipelines: files, host, analysis }));
  own(followRunningPipelines(runs));
  own(announceEnds(runs, showFailure));
  own(
    registerCommands(
      {
        ...pipelineCommands({ files, runs, results, connections, validator, log, openLiveView: liveView.openFor }),
        ...connectionCommands({ store, connections, engine, prompts: editorPrompts }),
        ...liveView.handlers,
        showTaskOutput: (argument) => {
          const task = tasks.find(tokenOf(argument) ?? '');
          if (task !== undefined) outputs.show(task);
        },
        attachToTask: (argument) => debugging.attachToTask(argument),
        showResolved: async (argument) => {
          const file = await pickPipeline(argument, files, 'Show Resolved Pipeline');
          if (file !== undefined) await resolved.show(file);
        },
        newPipeline: (starter) => newPipeline.run(starter),
        openWalkthrough: () => openWalkthrough(context.extension.id),
      },
      showFailure,
    ),
  );
  void connections.resume();
  own(vscode.workspace.onDidGrantWorkspaceTrust(() => void connections.resume()));
}
