import type { ErrorCode } from './errors.js';

/** client → server. `arguments.data` holds the payload of a binary message. */
export interface RequestMessage {
  type: 'request';
  seq: number;
  command: string;
  arguments?: Record<string, unknown>;
  /** Older clients put the task token here. */
  token?: string;
}

/** server → client. A missing `success` counts as success. Binary responses carry their payload in `arguments.data`. */
export interface ResponseMessage {
  type: 'response';
  seq: number;
  request_seq: number;
  command: string;
  success?: boolean;
  body?: unknown;
  message?: string;
  /** Ours: a code of the error table and what to do. Existing clients ignore both. */
  code?: ErrorCode;
  hint?: string;
  arguments?: { data?: Uint8Array };
}

/** server → client, never acknowledged. */
export interface EventMessage {
  type: 'event';
  seq: number;
  event: string;
  /** Short id of the task; absent for events of the server itself. */
  id?: string;
  body: unknown;
}

export type Message = RequestMessage | ResponseMessage | EventMessage;
