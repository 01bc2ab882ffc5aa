/** Names that package.json contributes and code uses; manifest.test.ts compares the two. */
export const languageId = 'millrace';
export const debugType = 'millrace';
export const taskType = 'millrace';
/** The type of the panels with the live view; the editor keeps it across reloads of the window. */
export const livePanelType = 'millrace.liveView';

/** The walkthrough, without the id of the extension before it. */
export const walkthrough = 'millrace.start';

export const commands = {
  newPipeline: 'millrace.pipeline.new',
  runPipeline: 'millrace.pipeline.run',
  stopPipeline: 'millrace.pipeline.stop',
  sendFiles: 'millrace.pipeline.sendFiles',
  sendText: 'millrace.pipeline.sendText',
  ask: 'millrace.pipeline.ask',
  validatePipeline: 'millrace.pipeline.validate',
  showResolved: 'millrace.pipeline.showResolved',
  showPipelineLiveView: 'millrace.pipeline.showLiveView',
  sendToPipeline: 'millrace.sendToPipeline',
  stopTask: 'millrace.task.stop',
  showTaskLiveView: 'millrace.task.showLiveView',
  showTaskOutput: 'millrace.task.showOutput',
  attachToTask: 'millrace.task.attach',
  copyToken: 'millrace.task.copyToken',
  addConnection: 'millrace.connection.add',
  chooseConnection: 'millrace.connection.choose',
  testConnection: 'millrace.connection.test',
  renameConnection: 'millrace.connection.rename',
  setConnectionKey: 'millrace.connection.setKey',
  removeConnection: 'millrace.connection.remove',
  startEngine: 'millrace.engine.start',
  stopEngine: 'millrace.engine.stop',
  restartEngine: 'millrace.engine.restart',
  showLog: 'millrace.showLog',
  openWalkthrough: 'millrace.openWalkthrough',
} as const;
/** What `${command:pickTask}` in launch.json calls; it is of no use elsewhere, so no menu has it. */
export const pickTaskCommand = 'millrace.debug.pickTask';
/** What the lenses above components call; the language server gives it its arguments. */
export const showUsesCommand = 'millrace.language.showUses';
/** What the links in hovers call. */
export const showProviderCommand = 'millrace.language.showProvider';
/** With the code of a problem. */
export const showProblemCommand = 'millrace.language.showProblem';
export type CommandName = keyof typeof commands;

export const views = {
  pipelines: 'millrace.pipelines',
  tasks: 'millrace.tasks',
  connections: 'millrace.connections',
} as const;

/** Settings below `millrace.`. */
export const settings = {
  connection: 'connection',
  connections: 'connections',
  workerMemory: 'engine.workerMemory',
  componentsFolder: 'engine.componentsFolder',
  traceLevel: 'run.pipelineTraceLevel',
  ttl: 'run.ttl',
  threads: 'run.threads',
  openLiveView: 'run.openLiveView',
  severities: 'diagnostics.severity',
} as const;

/** Keys for `when` clauses. */
export const contextKeys = {
  connected: 'millrace.connected',
  /** `resourcePath` → true for pipelines that run. */
  runningPipelines: 'millrace.runningPipelines',
} as const;

/** The name of the connection to the engine inside the editor. */
export const localConnection = 'Local';
