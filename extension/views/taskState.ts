import { TaskState, type TaskStatus } from '../../protocol/status.js';
import type { TaskEntry } from './taskList.js';
import type { NodeIcon } from './viewNode.js';

export interface ShownState {
  /** For people, for example `Running`. */
  readonly text: string;
  readonly icon: NodeIcon;
  /** Whether it can be stopped. */
  readonly live: boolean;
}

const spinning: NodeIcon = { id: 'loading~spin' };

/** How a task is doing, as trees show it. */
export function shownState({ status, connection }: Pick<TaskEntry, 'status' | 'connection'>): ShownState {
  const live = status?.completed !== true;
  if (live && connection.connected === undefined) {
    return { text: 'Connection lost', icon: { id: 'debug-disconnect', color: 'list.warningForeground' }, live: false };
  }
  return { ...(status === undefined ? started(undefined) : stateOf(status)), live };
}

function stateOf(status: TaskStatus): Omit<ShownState, 'live'> {
  switch (status.state) {
    case TaskState.RUNNING:
      return started(status);
    case TaskState.STOPPING:
      return { text: 'Stopping', icon: spinning };
    case TaskState.COMPLETED:
      return status.exitCode === 0 ? { text: 'Completed', icon: { id: 'pass', color: 'testing.iconPassed' } } : failed;
    case TaskState.CANCELLED:
      if (!status.completed) return { text: 'Restarting', icon: spinning };
      return status.exitCode === 0
        ? { text: 'Stopped', icon: { id: 'circle-slash', color: 'disabledForeground' } }
        : failed;
    default:
      return status.completed ? { text: 'Ended', icon: { id: 'circle-slash' } } : { text: 'Starting', icon: spinning };
  }
}

const failed = { text: 'Failed', icon: { id: 'error', color: 'list.errorForeground' } };

function started(status: TaskStatus | undefined): Omit<ShownState, 'live'> {
  const trouble = status !== undefined && (status.failedCount > 0 || status.errors.length > 0);
  return trouble
    ? { text: 'Running', icon: { id: 'warning', color: 'list.warningForeground' } }
    : { text: 'Running', icon: { id: 'play-circle', color: 'testing.iconPassed' } };
}
