import type { Definition } from '../../pipeline/catalogue.js';
import type { Lane } from '../../pipeline/model.js';
import type { Dialect } from '../../protocol/dialect.js';
import type { ErrorCode } from '../../protocol/errors.js';
import type { TraceLevel } from '../../protocol/events.js';
import type { ControlOffers } from '../runtime/component.js';

/** File descriptor of the task channel in the worker. */
export const channelFd = 3;

/** Largest frame either side accepts: a message of the wire plus its header. */
export const maxFrameBytes = 272 * 1024 * 1024;

/** Frame kinds from the server. The id is a call id unless said otherwise. */
export const ToWorker = {
  /** JSON StartMessage → Ok with JSON StartedMessage. */
  start: 1,
  /** JSON OpenMessage → Ok with u32 pipe. */
  open: 2,
  /** u32 pipe, bytes → Ok. */
  write: 3,
  /** u32 pipe → Ok with the JSON result. */
  close: 4,
  /** u32 length of JSON OpenMessage, the JSON, bytes → Ok with the JSON result. */
  send: 5,
  /** u32 pipe, text reason → Ok when the object has ended. */
  abandon: 6,
  /** id = call id of an open that may still wait, which then fails. No reply of its own. */
  cancel: 7,
  /** → Ok. */
  ping: 8,
  /** Text reason → Ok when components have stopped; the process then ends. */
  stop: 9,
  /** Text folder → Ok with JSON Definition[]. */
  describe: 10,
} as const;

/** Frame kinds from the worker. */
export const FromWorker = {
  /** id = call id; the answer. */
  ok: 1,
  /** id = call id; JSON FailMessage. */
  fail: 2,
  /** Flow records, see flowRecords.ts. */
  flow: 3,
  /** Six f64: see `Counters`. */
  counters: 4,
  /** JSON SnapshotMessage. */
  snapshot: 5,
  /** JSON NotesMessage. */
  notes: 6,
  /** JSON SseMessage. */
  sse: 7,
  /** A source that runs by itself is done, or the task cannot go on: JSON EndedMessage. */
  ended: 8,
  /** The worker has loaded the engine. */
  ready: 9,
} as const;

export interface StartMessage {
  projectId: string;
  source: number;
  components: { id: string; provider: string; config: Record<string, unknown> }[];
  links: { from: number; lane: Lane; to: number }[];
  controls: { from: number; classType: keyof ControlOffers; to: number }[];
  threads: number;
  args: readonly string[];
  traceLevel: TraceLevel;
  /** Folder of the user's own components. */
  componentsFolder?: string | undefined;
}

export interface StartedMessage {
  readyText: string;
  notes: (string | Record<string, unknown>)[];
  /** Whether the source fetches its own objects. */
  runs: boolean;
}

export interface OpenMessage {
  object: Record<string, unknown>;
  mimeType: string;
  dialect: Dialect;
}

export interface FailMessage {
  code: ErrorCode;
  message: string;
  hint?: string;
}

export interface Counters {
  completedCount: number;
  completedSize: number;
  failedCount: number;
  failedSize: number;
  wordsCount: number;
  wordsSize: number;
}
export const counterNames = [
  'completedCount',
  'completedSize',
  'failedCount',
  'failedSize',
  'wordsCount',
  'wordsSize',
] as const satisfies readonly (keyof Counters)[];

export interface SnapshotMessage {
  totalPipes: number;
  byPipe: Record<string, string[]>;
  /** Name and size of the object begun last. */
  currentObject: string;
  currentSize: number;
}

export interface NotesMessage {
  errors: string[];
  warnings: string[];
}

export interface SseMessage {
  pipe_id: number;
  type: string;
  data: Record<string, unknown>;
}

export interface EndedMessage {
  code: number;
  message: string;
}

export type DescribedComponents = Definition[];
