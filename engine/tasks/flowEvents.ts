import type { CallLane } from '../runtime/flow.js';
import type { FlowRecord } from '../worker/flowRecords.js';
import { nameOf } from './analytics.js';

interface PipeStack {
  name: string;
  /** The enter records of the calls under way; the `data` of each is repeated on leave. */
  frames: FlowRecord[];
}

/** Rebuilds `apaevt_flow` bodies from flow records: the component stack of each pipe is derived on the way. */
export class FlowComposer {
  private readonly pipes = new Map<number, PipeStack>();

  constructor(
    private readonly components: readonly string[],
    private readonly projectId: string,
    private readonly source: string,
    private readonly id: string,
  ) {}

  /** Takes a record in without composing its event. */
  follow(record: FlowRecord): void {
    const { op, pipe } = record;
    if (op === 'begin') this.pipes.set(pipe, { name: nameOf(record.detail), frames: [] });
    else if (op === 'enter') this.pipes.get(pipe)?.frames.push(record);
    else if (op === 'leave') this.pop(pipe, record.component);
    else this.pipes.delete(pipe);
  }

  /** Takes a record in and gives the JSON body of its event. */
  compose(record: FlowRecord, seqNo: number): string {
    const { op, pipe, time, detail } = record;
    let entered: FlowRecord | undefined;
    if (op === 'leave') entered = this.pop(pipe, record.component);
    else this.follow(record);
    const result = op === 'end' && detail !== '' ? `,"result":${detail}` : '';
    return (
      `{"id":${pipe},"op":"${op}","pipes":${JSON.stringify(this.stackOf(pipe))},` +
      `"trace":${traceOf(record, entered)}${result},` +
      `"project_id":${JSON.stringify(this.projectId)},"source":${JSON.stringify(this.source)},` +
      `"seqNo":${seqNo},"time":${time},"__id":${JSON.stringify(this.id)}}`
    );
  }

  /** Whether both follow the same run; after a restart component numbers mean something else. */
  continues(other: FlowComposer): boolean {
    return this.components === other.components;
  }

  /** A composer in the same position, for reading history again. */
  clone(): FlowComposer {
    const copy = new FlowComposer(this.components, this.projectId, this.source, this.id);
    for (const [pipe, { name, frames }] of this.pipes) copy.pipes.set(pipe, { name, frames: [...frames] });
    return copy;
  }

  private stackOf(pipe: number): string[] {
    const stack = this.pipes.get(pipe);
    if (stack === undefined) return [];
    return [stack.name, ...stack.frames.map(({ component }) => this.components[component] ?? '')];
  }

  private pop(pipe: number, component: number): FlowRecord | undefined {
    const frames = this.pipes.get(pipe)?.frames;
    if (frames?.at(-1)?.component === component) return frames.pop();
    const at = frames?.findLastIndex((frame) => frame.component === component) ?? -1;
    return at < 0 ? undefined : frames?.splice(at, 1)[0];
  }
}

function traceOf({ op, lane, detail }: FlowRecord, entered: FlowRecord | undefined): string {
  if (op === 'enter') return enterTrace(lane, detail);
  if (op === 'leave') return leaveTrace(lane, entered?.detail ?? '', detail);
  return op === 'end' && detail !== '' ? detail : '{}';
}

function enterTrace(lane: CallLane, detail: string): string {
  return `{"lane":"${lane}"${invokeOf(lane, detail)}${detail === '' ? '' : `,"data":${detail}`}}`;
}

function leaveTrace(lane: CallLane, entered: string, error: string): string {
  const outcome = error === '' ? '"continue"' : `"error","error":${error}`;
  const data = entered === '' ? '' : `,"data":${entered}`;
  return `{"lane":"${lane}"${invokeOf(lane, entered)},"result":${outcome}${data}}`;
}

function invokeOf(lane: CallLane, detail: string): string {
  if (lane !== 'invoke' || detail === '') return '';
  const { classType } = JSON.parse(detail) as { classType: string };
  return `,"invoke":${JSON.stringify(classType)}`;
}
