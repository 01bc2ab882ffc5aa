import type { CommandHandlers } from '../commands/register.js';
import { fileOf, pickRun, tokenOf } from '../commands/target.js';
import type { Connections } from '../connections/connection.js';
import { pipelineName } from '../pipelines/pipelineFile.js';
import type { PipelineRun, Runs } from '../runs/runs.js';
import type { TaskList } from '../views/taskList.js';
import type { LivePanels } from './livePanels.js';

export interface LiveViewDeps {
  readonly panels: LivePanels;
  readonly runs: Runs;
  readonly tasks: TaskList;
  readonly connections: Pick<Connections, 'current'>;
}

export interface LiveViewCommands {
  /** Opens the live view of a run beside its file. */
  readonly openFor: (run: PipelineRun) => void;
  readonly handlers: Pick<CommandHandlers, 'showPipelineLiveView' | 'showTaskLiveView'>;
}

/** The commands that open the live view: of a pipeline that this window runs, and of any task. */
export function liveViewCommands({ panels, runs, tasks, connections }: LiveViewDeps): LiveViewCommands {
  const openFor = ({ connection, info, file }: PipelineRun): void =>
    panels.show({ connection, token: info.token, name: pipelineName(file.path) });
  return {
    openFor,
    handlers: {
      showPipelineLiveView: async (argument) => {
        const file = fileOf(argument);
        const run = (file && runs.of(file)) ?? (await pickRun(runs.all, 'Show live view'));
        if (run !== undefined) openFor(run);
      },
      showTaskLiveView: (argument) => {
        const token = tokenOf(argument);
        const task = token === undefined ? undefined : tasks.find(token);
        if (token === undefined || token === '') return;
        panels.show({ connection: task?.connection ?? connections.current, token, name: task?.name ?? token });
      },
    },
  };
}
