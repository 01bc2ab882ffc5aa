import { emptyStatus, TaskState, type TaskStatus } from '../../protocol/status.js';
import { isRecord } from '../../pipeline/values.js';

/**
 * A status as it came from a server, with the members of the right kind; the others, and those that older servers do
 * not send, are as in an empty status. Undefined when it is none at all.
 */
export function readStatus(value: unknown): TaskStatus | undefined {
  if (!isRecord(value) || typeof value.state !== 'number') return undefined;
  const status = conform(emptyStatus(), value) as TaskStatus;
  status.errors = status.errors.filter((each) => typeof each === 'string');
  status.warnings = status.warnings.filter((each) => typeof each === 'string');
  return status;
}

/** The status of a task that is gone without having told how it ended. */
export function lostStatus(last: TaskStatus | undefined, reason: string, now: number): TaskStatus {
  const known = last ?? emptyStatus();
  return {
    ...known,
    state: TaskState.CANCELLED,
    completed: true,
    serviceUp: false,
    rateCount: 0,
    rateSize: 0,
    endTime: now,
    exitMessage: reason,
  };
}

/** `template` with the members of `value` that are of the same kind. An empty object takes everything. */
function conform(template: object, value: Record<string, unknown>): object {
  if (Object.keys(template).length === 0) return value;
  const entries = Object.entries(template) as [string, unknown][];
  return Object.fromEntries(
    entries.map(([name, fallback]) => {
      const given = value[name];
      if (isRecord(fallback)) return [name, isRecord(given) ? conform(fallback, given) : fallback];
      if (Array.isArray(fallback)) return [name, Array.isArray(given) ? given : fallback];
      return [name, typeof given === typeof fallback ? given : fallback];
    }),
  );
}
