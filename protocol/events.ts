import type { TaskStatus } from './status.js';

/** Subscription bits of `monitor`. */
export const EventBit = {
  NONE: 0,
  DEBUGGER: 1,
  DETAIL: 2,
  SUMMARY: 4,
  OUTPUT: 8,
  FLOW: 16,
  TASK: 32,
  SSE: 64,
  DASHBOARD: 128,
  ALL: 255,
} as const;
export type EventBitName = keyof typeof EventBit;

/** The name of each event and the subscription bit that delivers it. */
export const eventBits = {
  apaevt_status_update: EventBit.SUMMARY,
  apaevt_task: EventBit.TASK,
  apaevt_flow: EventBit.FLOW,
  apaevt_sse: EventBit.SSE,
  output: EventBit.OUTPUT,
  apaevt_status_object: EventBit.DETAIL,
  apaevt_status_counts: EventBit.DETAIL,
  apaevt_status_error: EventBit.DETAIL,
  apaevt_status_warning: EventBit.DETAIL,
  apaevt_status_message: EventBit.DETAIL,
  apaevt_status_download: EventBit.DETAIL,
  apaevt_status_metrics: EventBit.DETAIL,
  apaevt_status_user: EventBit.DETAIL,
  apaevt_status_info: EventBit.DETAIL,
  apaevt_dashboard: EventBit.DASHBOARD,
  /** Ours: tells a reader which numbers of a task's stream it lost: `{first, last}`. Delivered to every subscriber. */
  apaevt_lost: EventBit.NONE,
} as const;
export type EventName = keyof typeof eventBits;

/** Upload progress; made by the client itself, never sent by the server. */
export const uploadEvent = 'apaevt_status_upload';

export type TraceLevel = 'none' | 'metadata' | 'summary' | 'full';
export const traceLevels: readonly TraceLevel[] = ['none', 'metadata', 'summary', 'full'];

export type FlowOp = 'begin' | 'enter' | 'leave' | 'end';

export interface FlowBody {
  /** Pipe index. */
  id: number;
  op: FlowOp;
  /** Object name and component ids of that pipe after the op. */
  pipes: string[];
  trace: Record<string, unknown>;
  /** On `end` at level summary and above: the pipeline result. */
  result?: unknown;
  project_id: string;
  source: string;
  /** Number of this event in the task's stream. */
  seqNo: number;
  /** Unix seconds when it happened in the task. */
  time: number;
}

export interface TaskSummary {
  id: string;
  name: string;
  projectId: string;
  source: string;
}

export type TaskEventBody =
  | { action: 'begin' | 'end' | 'restart'; name: string; projectId: string; source: string }
  | { action: 'running'; tasks: TaskSummary[] };

export type StatusUpdateBody = TaskStatus & { __id: string };

/** `types` of a monitor request (names in any case, a mask, or a digit string) as a mask. Unknown names are ignored. */
export function parseEventMask(types: unknown): number {
  if (typeof types === 'number') return Number.isInteger(types) ? types & EventBit.ALL : 0;
  if (typeof types === 'string') return /^\d+$/.test(types) ? Number(types) & EventBit.ALL : bitOf(types);
  if (!Array.isArray(types)) return 0;
  return types.reduce<number>((mask, name) => mask | (typeof name === 'string' ? bitOf(name) : 0), 0);
}

/** The names of the bits in a mask, lower case. */
export function eventMaskNames(mask: number): string[] {
  return Object.entries(EventBit)
    .filter(([name, bit]) => name !== 'NONE' && name !== 'ALL' && (mask & bit) !== 0)
    .map(([name]) => name.toLowerCase());
}

function bitOf(name: string): number {
  const key = name.toUpperCase();
  return Object.hasOwn(EventBit, key) ? EventBit[key as EventBitName] : 0;
}
