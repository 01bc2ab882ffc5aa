import type { Event, Uri } from 'vscode';
import type { TaskStatus } from '../../protocol/status.js';
import type { Connection } from '../connections/connection.js';

/** A task of the current connection, whoever started it. */
export interface TaskEntry {
  readonly connection: Connection;
  readonly token: string;
  /** Short id, `__id` of its events. */
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly source: string;
  /** The last status heard of. */
  readonly status: TaskStatus | undefined;
  /** The file it was started from, when this window started it. */
  readonly file: Uri | undefined;
}

/** Kept by events, not by polling. */
export interface TaskList {
  readonly tasks: readonly TaskEntry[];
  readonly onDidChange: Event<void>;
  find(token: string): TaskEntry | undefined;
}
