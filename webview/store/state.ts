import { TaskState } from '../../protocol/status.js';
import type { LiveModel } from './model.js';

export type Tone = 'quiet' | 'busy' | 'good' | 'idle' | 'warning' | 'bad';

/** What is going on, in words for people. */
export interface StateWords {
  readonly label: string;
  readonly tone: Tone;
}

const words = {
  loading: { label: 'Loading', tone: 'quiet' },
  notStarted: { label: 'Not started', tone: 'quiet' },
  starting: { label: 'Starting', tone: 'busy' },
  preparing: { label: 'Preparing', tone: 'busy' },
  working: { label: 'Working', tone: 'good' },
  waiting: { label: 'Waiting for work', tone: 'idle' },
  stopping: { label: 'Stopping', tone: 'busy' },
  completed: { label: 'Completed', tone: 'good' },
  stopped: { label: 'Stopped', tone: 'quiet' },
  failed: { label: 'Failed', tone: 'bad' },
  ended: { label: 'Ended', tone: 'quiet' },
  reconnecting: { label: 'Reconnecting', tone: 'warning' },
  disconnected: { label: 'Disconnected', tone: 'bad' },
} as const satisfies Record<string, StateWords>;

/** The state of the run, or of the way to it where that is what matters. The same object for the same state. */
export function stateWords(model: LiveModel): StateWords {
  if (model.link.kind === 'reconnecting') return words.reconnecting;
  if (model.link.kind === 'failed') return words.disconnected;
  const { status } = model;
  if (status === undefined)
    return model.task === undefined ? words.loading : model.ended ? words.ended : words.starting;
  if (model.ended && status.exitCode !== 0) return words.failed;
  switch (status.state) {
    case TaskState.NONE:
      return model.ended ? words.ended : words.notStarted;
    case TaskState.STARTING:
      return words.starting;
    case TaskState.INITIALIZING:
      return words.preparing;
    case TaskState.RUNNING:
      return model.ended ? words.ended : isWorking(model) ? words.working : words.waiting;
    case TaskState.STOPPING:
      return model.ended ? words.stopped : words.stopping;
    case TaskState.COMPLETED:
      return words.completed;
    case TaskState.CANCELLED:
      return words.stopped;
    default:
      return words.loading;
  }
}

function isWorking({ status, run }: LiveModel): boolean {
  if (status === undefined) return false;
  const busy = Object.values(status.pipeflow.byPipe).some((stack) => stack.length > 0);
  return busy || status.currentObject !== '' || status.rateCount > 0 || (run?.openPipes ?? 0) > 0;
}

/** Whether the run gives no flow events, so that nothing is known of single objects. */
export function isUntraced({ task, run, status }: LiveModel): boolean {
  if (task === undefined) return false;
  const level = task.traceLevel ?? 'none';
  return level === 'none' && (run?.events ?? 0) === 0 && (status?.slowestDocs.length ?? 0) === 0;
}
