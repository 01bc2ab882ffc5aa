import type { Definition } from '../../pipeline/catalogue.js';
import { lanes, type Lane } from '../../pipeline/model.js';
import type {
  ChildObject,
  Component,
  ControlOffers,
  ControlTarget,
  Emit,
  Instance,
  LaneData,
  ObjectInfo,
  PipeContext,
  TaskContext,
} from '../runtime/component.js';

/** Items for one lane of the component under test, in order. */
export type LaneInput = { [L in Lane]: { lane: L; items: readonly LaneData[L][] } }[Lane];

export interface TestOptions {
  /** What is known of the object; `name` is `object` and `mimeType` is `''` unless given. */
  object?: Partial<ObjectInfo>;
  /** Output lanes somebody listens to; all of them by default. */
  listens?: readonly Lane[];
  /** Components wired as llm, tool or memory. */
  controls?: { [C in keyof ControlOffers]?: readonly ControlTarget<C>[] };
  /** Aborts the object. */
  signal?: AbortSignal;
}

export type Emitted = { [L in Lane]: LaneData[L][] };

export interface ChildRun extends ChildObject {
  emitted: Emitted;
  metadata: Record<string, unknown>;
}

export interface ComponentRun {
  /** Every lane, empty where nothing was emitted. What children emitted is in `children`. */
  emitted: Emitted;
  /** Lanes in the order they were emitted on. */
  order: Lane[];
  /** Embedded files, in the order they were queued, each with what it emitted. */
  children: ChildRun[];
  /** Of the pipe and of the task. */
  warnings: string[];
  logs: string[];
  events: { type: string; data: Record<string, unknown> }[];
  counted: { words: number; bytes: number };
  metadata: Record<string, unknown>;
  /** Values per result key, the lane of each key, and the fixed fields. */
  result: { values: Record<string, unknown[]>; lanes: Record<string, Lane>; fields: Record<string, unknown> };
}

/** A started component with one pipe; objects go through it one after another. */
export interface TestPipe {
  readonly instance: Instance;
  /** Runs one object through open, the lane handlers, closing, children and close. Rejects if a handler throws. */
  run(input: LaneInput | readonly LaneInput[], object?: Partial<ObjectInfo>): Promise<ComponentRun>;
  stop(): Promise<void>;
}

/** Starts `component` outside a task, with the values of its profile below `config`. */
export async function openComponent<Config>(
  component: Component<Config>,
  definition: Definition,
  config: Record<string, unknown> = {},
  options: TestOptions = {},
): Promise<TestPipe> {
  const stopping = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stopping.signal]) : stopping.signal;
  let current = emptyRun();
  let emitted = current.emitted;
  let info = objectInfo(definition, options.object, current.metadata);
  const queue: { run: ChildRun; emitChild: () => unknown }[] = [];

  const started = await component.start({
    id: `${definition.id}_1`,
    provider: definition.id,
    config: resolveConfig(definition, config) as Config,
    task: { projectId: 'project', source: 'source', args: [], threads: 1 },
    signal,
    warn: (message) => void current.warnings.push(message),
    log: (line) => void current.logs.push(line),
  } satisfies TaskContext<Config>);

  const emit = Object.fromEntries(
    lanes.map((lane) => [
      lane,
      (item: never) => {
        emitted[lane].push(item);
        current.order.push(lane);
      },
    ]),
  ) as unknown as Emit;

  const context: PipeContext = {
    index: 0,
    emit,
    listens: (lane) => options.listens?.includes(lane) ?? true,
    get object() {
      return info;
    },
    result: {
      append(key, lane, value) {
        (current.result.values[key] ??= []).push(value);
        current.result.lanes[key] = lane;
      },
      set(field, value) {
        current.result.fields[field] = value;
      },
    },
    signal,
    warn: (message) => void current.warnings.push(message),
    sse: (type, data) => void current.events.push({ type, data }),
    countWords(words, bytes) {
      current.counted.words += words;
      current.counted.bytes += bytes;
    },
    controls: (classType) => options.controls?.[classType] ?? [],
    queueChild(object, emitChild) {
      const run = { ...object, emitted: emptyEmitted(), metadata: {} };
      current.children.push(run);
      queue.push({ run, emitChild });
    },
  };
  const instance = started.pipe(context);

  return {
    instance,
    async run(input, object) {
      current = emptyRun();
      emitted = current.emitted;
      info = objectInfo(definition, { ...options.object, ...object }, current.metadata);
      queue.length = 0;
      try {
        await instance.open?.(info);
        for (const { lane, items } of 'lane' in input ? [input] : input) {
          const handler = instance.lanes?.[lane] as ((item: unknown) => unknown) | undefined;
          if (!handler) throw new Error(`${definition.id} has no handler for lane ${lane}`);
          for (const item of items) await handler(item);
        }
        await instance.closing?.();
        for (let next = queue.shift(); next; next = queue.shift()) {
          const { name, mimeType, size, metadata } = next.run;
          const url = `${info.url}/${name}`;
          emitted = next.run.emitted;
          info = {
            ...objectInfo(definition, { name, url, mimeType }, metadata),
            ...(size === undefined ? {} : { size }),
          };
          await next.emitChild();
        }
      } finally {
        await instance.close?.();
      }
      return current;
    },
    async stop() {
      stopping.abort();
      await instance.dispose?.();
      await started.stop?.();
    },
  };
}

/** Runs one object through a fresh component and stops it. */
export async function runComponent<Config>(
  component: Component<Config>,
  definition: Definition,
  config: Record<string, unknown>,
  input: LaneInput | readonly LaneInput[],
  options: TestOptions = {},
): Promise<ComponentRun> {
  const pipe = await openComponent(component, definition, config, options);
  try {
    return await pipe.run(input);
  } finally {
    await pipe.stop();
  }
}

/** The `tags` items of one object, written in pieces. */
export function tagsOf(bytes: Uint8Array, mimeType = '', pieceSize = 1 << 20): LaneInput {
  const items: LaneData['tags'][] = [{ action: 'begin', mimeType, size: bytes.length }];
  for (let at = 0; at < bytes.length; at += pieceSize) {
    items.push({ action: 'write', data: bytes.subarray(at, at + pieceSize) });
  }
  items.push({ action: 'end' });
  return { lane: 'tags', items };
}

/** The values of the profile the configuration names, or of the default one, with the configuration on top. */
function resolveConfig(definition: Definition, config: Record<string, unknown>): Record<string, unknown> {
  const profile = typeof config.profile === 'string' ? config.profile : definition.defaultProfile;
  return { ...(profile === undefined ? undefined : definition.profiles?.[profile]), ...config };
}

function objectInfo(
  definition: Definition,
  object: Partial<ObjectInfo> | undefined,
  metadata: Record<string, unknown>,
): ObjectInfo {
  return {
    objectId: `${definition.id}-object`,
    name: 'object',
    url: 'test://object',
    path: '',
    mimeType: '',
    properties: {},
    ...object,
    metadata: Object.assign(metadata, object?.metadata),
  };
}

function emptyRun(): ComponentRun {
  return {
    emitted: emptyEmitted(),
    order: [],
    children: [],
    warnings: [],
    logs: [],
    events: [],
    counted: { words: 0, bytes: 0 },
    metadata: {},
    result: { values: {}, lanes: {}, fields: {} },
  };
}

function emptyEmitted(): Emitted {
  return Object.fromEntries(lanes.map((lane) => [lane, []])) as unknown as Emitted;
}
