import type { FlowBody, FlowOp } from '../../protocol/events.js';
import type { LiveComponent, LiveTask } from '../../protocol/liveView.js';

/** Unix seconds at which all made-up runs begin: a while ago, so that what counts up looks as it does in life. */
export const beginning = Math.floor(Date.now() / 1000) - 754;

/** A component from a line like `parse Parser text:read documents:read`; `llm!agent` is a control link. */
export function component(id: string, title: string, ...links: string[]): LiveComponent {
  const inputs = links.filter((link) => link.includes(':')).map((link) => link.split(':') as [string, string]);
  const controls = links.filter((link) => link.includes('!')).map((link) => link.split('!') as [string, string]);
  return {
    id,
    title,
    provider: id.replace(/[_\d]+$/, ''),
    inputs: inputs.map(([lane, from]) => ({ from, lane })),
    controls: controls.map(([classType, from]) => ({ from, classType })),
  };
}

export function task(components: readonly LiveComponent[], change: Partial<LiveTask> = {}): LiveTask {
  return {
    type: 'task',
    token: 'token-1',
    name: 'Invoices',
    projectId: 'project-1',
    source: components[0]?.id ?? '',
    connection: 'Local',
    traceLevel: 'full',
    components,
    hasFile: true,
    ...change,
  };
}

/** Makes flow events that look like those of the engine, always the same ones. */
export class Simulator {
  readonly events: FlowBody[] = [];
  seqNo = 0;
  time = beginning;
  private readonly stacks = new Map<number, string[]>();
  private random = 7;

  /** 0–1, the same row of numbers every time. */
  chance(): number {
    this.random = (this.random * 16_807) % 2_147_483_647;
    return this.random / 2_147_483_647;
  }

  begin(pipe: number, name: string): this {
    this.stacks.set(pipe, [name]);
    return this.add(pipe, 'begin', {});
  }

  enter(pipe: number, id: string, lane: string, data?: unknown): this {
    this.stacks.get(pipe)?.push(id);
    return this.add(pipe, 'enter', { lane, ...(data === undefined ? {} : { data }) });
  }

  invoke(pipe: number, id: string, classType: string, data: unknown): this {
    this.stacks.get(pipe)?.push(id);
    return this.add(pipe, 'enter', { lane: 'invoke', invoke: classType, data });
  }

  leave(pipe: number, seconds: number, error?: string): this {
    this.time += seconds;
    this.stacks.get(pipe)?.pop();
    return this.add(pipe, 'leave', error === undefined ? { result: 'continue' } : { result: 'error', error });
  }

  end(pipe: number, result?: unknown): this {
    this.stacks.set(pipe, []);
    return this.add(pipe, 'end', {}, result);
  }

  /** The events since the last call. */
  take(): FlowBody[] {
    return this.events.splice(0);
  }

  private add(id: number, op: FlowOp, trace: Record<string, unknown>, result?: unknown): this {
    this.time += 0.0002;
    const pipes = [...(this.stacks.get(id) ?? [])];
    const more = result === undefined ? {} : { result };
    const at = { seqNo: ++this.seqNo, time: this.time, project_id: 'project-1', source: 'source' };
    this.events.push({ id, op, pipes, trace, ...more, ...at });
    return this;
  }
}
