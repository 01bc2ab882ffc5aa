import type { FlowBody, TraceLevel } from './events.js';
import type { TaskStatus } from './status.js';

/**
 * The conversation between the live view and its host: the extension, or the page that a server gives to a browser. The
 * view asks with `ready`; the host answers with `task`, then sends at most ten `changes` a second while the view is visible.
 */
export type ToLiveView =
  | LiveTask
  | LiveChanges
  | { readonly type: 'link'; readonly state: LinkState }
  /** The answer to `trace`: the flow events of one object, in order. */
  | { readonly type: 'trace'; readonly beginSeq: number; readonly events: readonly FlowBody[] }
  | { readonly type: 'traceLost'; readonly beginSeq: number; readonly reason: string };

export type LinkState =
  | { readonly kind: 'live' }
  /** The connection is lost; it comes back by itself. */
  | { readonly kind: 'reconnecting'; readonly reason: string }
  /** The task has ended and nothing more will come. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly reason: string; readonly hint: string };

/** Everything that does not change while a run lasts. Sent again when the task is restarted. */
export interface LiveTask {
  readonly type: 'task';
  readonly token: string;
  readonly name: string;
  readonly projectId: string;
  readonly source: string;
  readonly connection: string;
  readonly traceLevel: TraceLevel | undefined;
  readonly components: readonly LiveComponent[];
  /** Whether `openComponent` leads to a file. */
  readonly hasFile: boolean;
}

export interface LiveComponent {
  readonly id: string;
  readonly provider: string;
  /** Title for people; the id when it has none. */
  readonly title: string;
  readonly inputs: readonly { readonly from: string; readonly lane: string }[];
  readonly controls: readonly { readonly from: string; readonly classType: string }[];
}

/** What happened since the last message. */
export interface LiveChanges {
  readonly type: 'changes';
  /** The newest status, if there is a newer one. */
  readonly status?: TaskStatus;
  readonly flow: readonly FlowBody[];
  readonly errors: readonly LiveNote[];
  readonly warnings: readonly LiveNote[];
  /** Numbers of events that will never come. */
  readonly lost: readonly { readonly first: number; readonly last: number }[];
}

export interface LiveNote {
  readonly seqNo: number;
  /** Unix seconds when it was heard. */
  readonly time: number;
  readonly text: string;
}

export type FromLiveView =
  /** The view can take messages. `lastSeq`: the highest number it has seen of this task, 0 for none. */
  | { readonly type: 'ready'; readonly lastSeq: number }
  | { readonly type: 'visible'; readonly visible: boolean }
  | { readonly type: 'trace'; readonly beginSeq: number }
  | { readonly type: 'openComponent'; readonly id: string }
  | { readonly type: 'stop' };
