import type { EventMessage, MillraceClient, TaskStatus } from '../../client/typescript/src/index.js';
import { errorText, MillraceError } from '../../protocol/errors.js';
import { TaskState } from '../../protocol/status.js';
import { isRecord } from '../../pipeline/values.js';
import type { Connection, ConnectionState } from '../connections/connection.js';

/** What a task says while it runs. Texts are of others: whoever shows them removes control characters. */
export interface TaskNews {
  /** `output` is what components print; `error` and `warning` are about the run. */
  readonly kind: 'output' | 'error' | 'warning' | 'notice';
  /** Without a line feed at the end. */
  readonly text: string;
}

/** How a task ended, or that it can no longer be heard. */
export interface TaskEnd {
  /** 0 when it completed or somebody stopped it. */
  readonly exitCode: number;
  readonly reason: string;
  /** False when nothing more is known of it. */
  readonly known: boolean;
}

export interface WatchOptions {
  readonly connection: Connection;
  readonly token: string;
  tell(news: TaskNews): void;
  /** Ends the watch, not the task. */
  readonly signal: AbortSignal;
}

/**
 * Follows a task, across reconnects, until it has ended. What it had to say before comes first. Resolves with
 * undefined when the signal fires; never rejects.
 */
export async function watchTask(options: WatchOptions): Promise<TaskEnd | undefined> {
  const { connection, signal } = options;
  const over = new AbortController();
  const stop = (): void => over.abort();
  signal.addEventListener('abort', stop, { once: true });
  let lost: TaskEnd | undefined;
  const losses = watchConnection(options, over.signal, (end) => {
    lost = end;
    over.abort();
  });
  try {
    if (signal.aborted) return undefined;
    const client = await connection.client();
    const status = await follow(client, options, over.signal);
    if (signal.aborted) return undefined;
    return status === undefined ? (lost ?? gone('The connection was closed')) : endOf(status);
  } catch (error) {
    return signal.aborted ? undefined : (lost ?? gone(reasonOf(error)));
  } finally {
    over.abort();
    losses.dispose();
    signal.removeEventListener('abort', stop);
  }
}

/** The status with which the task ended; undefined when there is nothing more to hear. */
async function follow(
  client: MillraceClient,
  { token, tell }: WatchOptions,
  signal: AbortSignal,
): Promise<TaskStatus | undefined> {
  const key = { token };
  const types = ['summary', 'detail', 'output'] as const;
  // The stream begins to listen at once; the subscription after it says when the server sends, so that no event is
  // between the status and the stream. Both count as one for the server.
  const events = client.events({ key, types, signal });
  let next = events.next();
  next.catch(() => undefined);
  const subscription = await client.subscribe(key, types);
  try {
    const status = await client.getTaskStatus(token);
    const told = tellPast(status, tell);
    if (status.completed) return status;
    for (let item = await next; item.done !== true; item = await next) {
      const ended = takeEvent(item.value, told, tell);
      if (ended !== undefined) return ended;
      next = events.next();
    }
    return undefined;
  } finally {
    events.return().catch(() => undefined);
    await subscription.dispose();
  }
}

/** Returns what was told, each text with its number, because events on their way repeat it. */
function tellPast(status: TaskStatus, tell: (news: TaskNews) => void): Map<string, number> {
  const told = new Map<string, number>();
  for (const kind of ['warning', 'error'] as const) {
    for (const text of kind === 'warning' ? status.warnings : status.errors) {
      told.set(kind + text, (told.get(kind + text) ?? 0) + 1);
      // The last error of a task that failed is the reason of its end, which is told by itself.
      if (!(status.completed && text === status.exitMessage)) tell({ kind, text });
    }
  }
  return told;
}

/** Gives the status when the task has ended. */
function takeEvent(
  { event, body }: EventMessage,
  told: Map<string, number>,
  tell: (news: TaskNews) => void,
): TaskStatus | undefined {
  if (!isRecord(body)) return undefined;
  switch (event) {
    case 'output':
      if (typeof body.output === 'string') tell({ kind: 'output', text: body.output.replace(/\r?\n$/, '') });
      return undefined;
    case 'apaevt_status_error':
    case 'apaevt_status_warning': {
      const kind = event === 'apaevt_status_error' ? 'error' : 'warning';
      const text = typeof body.message === 'string' ? body.message : JSON.stringify(body);
      const already = told.get(kind + text) ?? 0;
      if (already > 0) told.set(kind + text, already - 1);
      else tell({ kind, text });
      return undefined;
    }
    case 'apaevt_lost':
      tell({ kind: 'notice', text: 'Some lines are missing: the task said more than could be read.' });
      return undefined;
    case 'apaevt_status_update':
      // Past the first status every event is new.
      told.clear();
      return body.completed === true ? (body as unknown as TaskStatus) : undefined;
    default:
      return undefined;
  }
}

/**
 * Says when the connection is lost and when it is back. A server that was started again has forgotten its tasks and
 * would never speak of this one.
 */
function watchConnection(
  { connection, token, tell }: WatchOptions,
  signal: AbortSignal,
  end: (end: TaskEnd) => void,
): { dispose(): void } {
  let waiting = false;
  const check = async (wasLost: boolean): Promise<void> => {
    try {
      const status = await (await connection.client()).getTaskStatus(token);
      if (status.completed) end(endOf(status));
      else if (wasLost && !signal.aborted) tell({ kind: 'notice', text: 'Connected again.' });
    } catch (error) {
      if (error instanceof MillraceError && error.code === 'task_unknown') {
        end(gone('The server was started again and does not have the task any more'));
      }
      // Anything else is another loss, which is heard of here again.
    }
  };
  return connection.onDidChangeState((state: ConnectionState) => {
    if (signal.aborted) return;
    switch (state.kind) {
      case 'connected':
        void check(waiting);
        waiting = false;
        return;
      case 'connecting':
        return;
      case 'waiting':
        if (!waiting) tell({ kind: 'notice', text: `The connection was lost, waiting for it: ${state.reason}` });
        waiting = true;
        return;
      case 'off':
      case 'failed':
        end(gone(`The connection was lost: ${state.reason}`));
    }
  });
}

function endOf({ exitCode, exitMessage, state }: TaskStatus): TaskEnd {
  const stopped = state === TaskState.CANCELLED && exitCode === 0;
  return { exitCode, reason: exitMessage || (stopped ? 'Stopped' : 'Completed'), known: true };
}

function gone(reason: string): TaskEnd {
  return { exitCode: 1, reason, known: false };
}

function reasonOf(error: unknown): string {
  return error instanceof MillraceError ? `${error.message}. ${error.hint}` : errorText(error);
}
