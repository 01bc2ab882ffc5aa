import type { Lane } from '../../pipeline/model.js';
import type { PipelineResult } from '../../protocol/results.js';

/** A lane, one of the structural calls, or a call through a control link. */
export type CallLane = Lane | 'open' | 'closing' | 'close' | 'invoke';

/** What a control call carries in a trace. */
export interface InvokeItem {
  classType: string;
  operation: string;
  parameter: unknown;
}

/** What a data lane or a control call carries; undefined for structural calls. Its shape follows from the lane. */
export type CallItem = unknown;

/**
 * Where the runtime reports the flow of objects when tracing is on. Components are named by their index in the
 * graph's order. Without a sink the runtime does no tracing work at all.
 */
export interface FlowSink {
  begin(pipe: number, name: string): void;
  enter(pipe: number, component: number, lane: CallLane, item: CallItem): void;
  leave(pipe: number, component: number, lane: CallLane, error: unknown): void;
  end(pipe: number, result: PipelineResult): void;
}
