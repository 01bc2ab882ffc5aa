import type { Uri } from 'vscode';
import type { MillraceClient } from '../../../client/typescript/src/index.js';
import { emptyStatus, TaskState, type TaskStatus } from '../../../protocol/status.js';
import type { Connection } from '../../connections/connection.js';
import type { TaskEntry } from '../taskList.js';
import { TestConnection } from './connections.js';

/** Enough of a Uri for what is tested outside the editor. */
export function uriOf(path: string, scheme = 'file'): Uri {
  return { scheme, authority: '', path, fsPath: path, toString: () => `${scheme}://${path}` } as unknown as Uri;
}

export function online(name = 'Local'): TestConnection {
  const connection = new TestConnection(name);
  connection.up({ url: 'ws://127.0.0.1:5565/task/service' } as MillraceClient);
  return connection;
}

export function entryOf(given: Partial<TaskEntry> & { id: string }, connection: Connection = online()): TaskEntry {
  const { id } = given;
  const base = { name: id, token: `tk_${id}`, projectId: 'project', source: 'in', status: undefined, file: undefined };
  return { ...base, connection, ...given };
}

export function statusOf(given: Partial<TaskStatus> = {}): TaskStatus {
  return { ...emptyStatus('project', 'in'), state: TaskState.RUNNING, serviceUp: true, startTime: 1000, ...given };
}

export function endedStatus(given: Partial<TaskStatus> = {}): TaskStatus {
  return statusOf({ state: TaskState.CANCELLED, completed: true, endTime: 1100, ...given });
}
