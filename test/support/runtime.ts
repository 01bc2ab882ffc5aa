import type { StartedComponent, Instance, PipeContext } from '../../engine/runtime/component.js';
import type { Identifiers } from '../../engine/runtime/entry.js';
import type { CallItem, CallLane, FlowSink } from '../../engine/runtime/flow.js';
import type { PipeHost } from '../../engine/runtime/pipe.js';
import type { Plan, PlannedControl } from '../../engine/runtime/plan.js';
import { Runtime } from '../../engine/runtime/runtime.js';
import type { Lane } from '../../pipeline/model.js';
import type { MillraceError } from '../../protocol/errors.js';
import type { PipelineResult } from '../../protocol/results.js';

export type MakeInstance = (context: PipeContext) => Instance;

export interface TestGraph {
  /** In topological order; the first is the source unless `source` says otherwise. */
  components: Record<string, MakeInstance>;
  /** `from lane to`, for example `a text b`. */
  links?: string[];
  /** `controller classType controlled`. */
  controls?: string[];
  source?: string;
  provider?: string;
}

export interface Ended {
  name: string;
  size: number;
  error: string | undefined;
}

export function makePlan({ components, links = [], controls = [], source, provider = 'webhook' }: TestGraph): Plan {
  const ids = Object.keys(components);
  const at = (id: string | undefined): number => {
    const index = ids.indexOf(id ?? '');
    if (index < 0) throw new Error(`There is no component ${id}`);
    return index;
  };
  const cut = (text: string): [number, string, number] => {
    const [from, kind = '', to] = text.split(' ');
    return [at(from), kind, at(to)];
  };
  return {
    components: ids.map((id) => {
      const started: StartedComponent = { pipe: components[id] as MakeInstance };
      return { id, provider: id === (source ?? ids[0]) ? provider : 'test', started };
    }),
    source: source === undefined ? 0 : at(source),
    links: links.map(cut).map(([from, lane, to]) => ({ from, lane: lane as Lane, to })),
    controls: controls.map(cut).map(([from, kind, to]) => ({
      from,
      classType: kind as PlannedControl['classType'],
      to,
    })),
  };
}

export const countingIds = (): Identifiers => {
  let next = 0;
  return { random: () => `random-${next++}`, ofUrl: (url) => `of ${url}` };
};

/** Writes down what the runtime reports of the flow, as `enter a text`. */
export class FlowLog implements FlowSink {
  readonly lines: string[] = [];
  readonly items: CallItem[] = [];

  constructor(private readonly ids: readonly string[]) {}

  begin(pipe: number, name: string): void {
    this.lines.push(`begin ${pipe} ${name}`);
  }

  enter(_pipe: number, component: number, lane: CallLane, item: CallItem): void {
    this.lines.push(`enter ${this.ids[component]} ${lane}`);
    this.items.push(item);
  }

  leave(_pipe: number, component: number, lane: CallLane, error: unknown): void {
    const outcome = error === undefined ? '' : ` ${(error as Error).message}`;
    this.lines.push(`leave ${this.ids[component]} ${lane}${outcome}`);
  }

  end(pipe: number): void {
    this.lines.push(`end ${pipe}`);
  }
}

export interface TestRuntime {
  runtime: Runtime;
  ended: Ended[];
  warnings: string[];
  flow: FlowLog | undefined;
  open(object?: Record<string, unknown>, mimeType?: string): Promise<number>;
  write(pipe: number, data: string | Uint8Array): Promise<void>;
  close(pipe: number): Promise<PipelineResult>;
  /** Open, the writes, close; a failing open or write shows in the result only. */
  run(...writes: string[]): Promise<PipelineResult>;
}

export function makeRuntime(
  graph: TestGraph,
  { threads = 4, traced = false }: { threads?: number; traced?: boolean } = {},
): TestRuntime {
  const ended: Ended[] = [];
  const warnings: string[] = [];
  const flow = traced ? new FlowLog(Object.keys(graph.components)) : undefined;
  const host: PipeHost = {
    ids: countingIds(),
    flow,
    warn: (message) => warnings.push(message),
    sse: () => undefined,
    countWords: () => undefined,
    moved: () => undefined,
    began: () => undefined,
    ended: (name, size, error) => ended.push({ name, size, error }),
  };
  const runtime = new Runtime(makePlan(graph), threads, host);
  const settled = <T>(ask: (done: (error: MillraceError | undefined, value: T | undefined) => void) => unknown) =>
    new Promise<T>((resolve, reject) => {
      ask((error, value) => (error === undefined ? resolve(value as T) : reject(error)));
    });
  const test: TestRuntime = {
    runtime,
    ended,
    warnings,
    flow,
    open: (object = {}, mimeType = 'lane/text') => settled((done) => runtime.open(object, mimeType, done)),
    write: (pipe, data) =>
      settled((done) => runtime.write(pipe, typeof data === 'string' ? Buffer.from(data) : data, done)),
    close: (pipe) => settled((done) => runtime.close(pipe, done)),
    run: async (...writes) => {
      const pipe = await test.open({ name: 'object' });
      for (const text of writes) await test.write(pipe, text).catch(() => undefined);
      return test.close(pipe);
    },
  };
  return test;
}

/** A component that notes its calls in `log` and passes text on, at close of the object what it kept. */
export function noting(log: string[], id: string): MakeInstance {
  return ({ emit }) => ({
    open: () => void log.push(`${id}.open`),
    lanes: {
      text: (text) => {
        log.push(`${id}(${text})`);
        return emit.text(text);
      },
    },
    closing: () => {
      log.push(`${id}.closing`);
      return emit.text(`rest of ${id}`);
    },
    close: () => void log.push(`${id}.close`),
  });
}

/** A component that passes text on. */
export const pass: MakeInstance = ({ emit }) => ({ lanes: { text: (text) => emit.text(text) } });

/** A component that puts each text into the result. */
export const collect: MakeInstance = ({ result }) => ({
  lanes: { text: (text) => result.append('text', 'text', text) },
});
