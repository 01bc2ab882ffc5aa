import { isRecord } from '../pipeline/values.js';
import type { BaseClient } from '../client/typescript/src/client.js';
import { MillraceError } from '../protocol/errors.js';
import type { FlowBody, FlowOp } from '../protocol/events.js';
import type { LiveNote } from '../protocol/liveView.js';
import type { TaskStatus } from '../protocol/status.js';
import type { SeqRange } from './changeBuffer.js';

const flowOps: ReadonlySet<unknown> = new Set<FlowOp>(['begin', 'enter', 'leave', 'end']);

/** A flow event as servers send it; older ones do not number them, so `nextNumber` and the clock do. */
export function readFlow(body: unknown, nextNumber: () => number): FlowBody | undefined {
  if (!isRecord(body) || !flowOps.has(body.op) || !Array.isArray(body.pipes) || typeof body.id !== 'number') {
    return undefined;
  }
  const complete = typeof body.seqNo === 'number' && typeof body.time === 'number' && isRecord(body.trace);
  if (complete) return body as unknown as FlowBody;
  return {
    ...body,
    seqNo: typeof body.seqNo === 'number' ? body.seqNo : nextNumber(),
    time: typeof body.time === 'number' ? body.time : Date.now() / 1000,
    trace: isRecord(body.trace) ? body.trace : {},
  } as unknown as FlowBody;
}

export function readNote(body: unknown, nextNumber: () => number): LiveNote | undefined {
  if (!isRecord(body) || typeof body.message !== 'string') return undefined;
  const seqNo = typeof body.seqNo === 'number' ? body.seqNo : nextNumber();
  return { seqNo, time: Date.now() / 1000, text: body.message };
}

export function readStatus(body: unknown): TaskStatus | undefined {
  return isRecord(body) && typeof body.state === 'number' ? (body as unknown as TaskStatus) : undefined;
}

export function readRange(body: unknown): SeqRange | undefined {
  if (!isRecord(body) || typeof body.first !== 'number' || typeof body.last !== 'number') return undefined;
  return { first: body.first, last: body.last };
}

/** Characters of the token in the id of a task; more of them where another task is called the same. */
const idChars = 8;

/** Whether the task that servers call `id` may be the one of the token. */
export function isCalled(id: string, token: string, source: string): boolean {
  const suffix = `.${source}`;
  const bare = token.replace(/^[tp]k_/, '');
  const start = id.slice(0, -suffix.length);
  return id.endsWith(suffix) && bare.startsWith(start) && start.length >= Math.min(idChars, bare.length);
}

/** Past events of a task. */
export interface HistoryPortion {
  readonly events: readonly { readonly event: string; readonly body: unknown }[];
  /** Everything up to this number was looked at. */
  readonly last: number;
  /** Number of the newest event of the task. */
  readonly newest: number;
  readonly lost: SeqRange | undefined;
}

export interface HistoryOptions {
  readonly types: readonly ('flow' | 'detail')[];
  readonly since: number;
  readonly pipeId?: number;
  readonly limit?: number;
}

/** Undefined when the server keeps no past events. @throws MillraceError when the task or the connection is gone */
export async function readHistory(
  client: BaseClient,
  token: string,
  options: HistoryOptions,
): Promise<HistoryPortion | undefined> {
  let body: unknown;
  try {
    ({ body } = await client.call('history', { token, ...options }));
  } catch (thrown) {
    const gone = thrown instanceof MillraceError && (isConnectionError(thrown) || goneCodes.has(thrown.code));
    if (gone) throw thrown;
    // A server that does not know the command says so in words of its own.
    return undefined;
  }
  if (!isRecord(body) || !Array.isArray(body.events)) return undefined;
  const { last, newest } = body;
  if (typeof last !== 'number' || typeof newest !== 'number') return undefined;
  const events = body.events.flatMap((each: unknown) =>
    isRecord(each) && typeof each.event === 'string' ? [{ event: each.event, body: each.body }] : [],
  );
  return { events, last, newest, lost: readRange(body.lost) };
}

const goneCodes: ReadonlySet<string> = new Set(['task_unknown', 'timeout']);
const connectionCodes: ReadonlySet<string> = new Set(['connection_lost', 'connection_failed', 'cancelled']);

/** Whether an error means that the connection is not there, rather than that the server refused. */
export function isConnectionError(error: MillraceError): boolean {
  return connectionCodes.has(error.code);
}
