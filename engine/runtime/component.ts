import type { Answer, Doc, Question } from '../../protocol/data.js';
import type { Lane } from '../../pipeline/model.js';

/**
 * The component API: the extension point of the product. Built-in components use nothing else.
 *
 * A component module exports a `definition` (data, see pipeline/catalogue.ts) and a `component`. `start` runs once per
 * task and returns a factory of instances, one per pipe. An instance handles one object at a time:
 * `open → lane handlers → closing → close`. Handlers may be synchronous or return a promise; whoever emits must
 * `return` or `await` what `emit` returns, so that a slow component slows its sender.
 *
 * @example
 * export const component: Component = {
 *   start: () => ({
 *     pipe: ({ emit }) => ({ lanes: { text: (text) => emit.text(text.toUpperCase()) } }),
 *   }),
 * };
 */
export interface Component<Config = Record<string, unknown>> {
  /** Throwing refuses the start of the task; the message reaches the person who started it. */
  start(context: TaskContext<Config>): Awaitable<StartedComponent>;
}

export type Awaitable<T> = T | Promise<T>;

/** One object's raw bytes or media on a lane: begin, any number of writes, end. */
export type StreamItem =
  | { action: 'begin'; mimeType: string; name?: string; /** Bytes, when known. */ size?: number }
  | { action: 'write'; data: Uint8Array }
  | { action: 'end' };

export interface LaneData {
  tags: StreamItem;
  text: string;
  /** One table as pipe-delimited Markdown rows. */
  table: string;
  documents: Doc[];
  questions: Question;
  answers: Answer;
  image: StreamItem;
  audio: StreamItem;
  video: StreamItem;
  words: unknown;
  classifications: unknown;
  classificationContext: unknown;
  json: unknown;
}

export type Emit = { readonly [L in Lane]: (item: LaneData[L]) => Awaitable<void> };
export type LaneHandlers = { [L in Lane]?: (item: LaneData[L]) => Awaitable<void> };

/** What a component knows of its task. Lives as long as the task. */
export interface TaskContext<Config = Record<string, unknown>> {
  /** Component id in the pipeline. */
  readonly id: string;
  readonly provider: string;
  /** The resolved configuration: profile values with the component's own on top, checked against the schema. */
  readonly config: Config;
  readonly task: TaskFacts;
  /** Aborted when the task stops; pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** Adds to the task's warnings. Call it once per cause, not per item. */
  warn(message: string): void;
  /** A line of the task's `output`. */
  log(line: string): void;
}

export interface TaskFacts {
  readonly projectId: string;
  readonly source: string;
  readonly args: readonly string[];
  /** Parallel pipes. */
  readonly threads: number;
}

export interface StartedComponent {
  /**
   * Its handlers read the bytes of a `write` only until they settle, and pass them on only to what they wait for. The
   * memory is then used again, which makes large uploads cheaper. Without it the bytes are the component's to keep.
   */
  borrowsBytes?: true;
  /** Makes the instance of one pipe. Called when the pipe is first needed, not once per object. */
  pipe(context: PipeContext): Instance;
  /** Only for sources that fetch their objects themselves; the task completes when it returns. */
  run?(feed: Feed): Promise<void>;
  /** Only for sources: the status text once the task accepts data. */
  readyText?: string;
  /** Only for sources: `{token}`, `{public_auth}` are replaced by the server, `{host}` by clients. */
  notes?: (string | Record<string, unknown>)[];
  /** Releases what `start` acquired. */
  stop?(): Awaitable<void>;
}

/** What an instance may use. Everything but `emit` and `listens` concerns the current object. */
export interface PipeContext {
  /** Pipe index. */
  readonly index: number;
  readonly emit: Emit;
  /** Whether anything is wired to this component's output lane; spare the work if not. */
  listens(lane: Lane): boolean;
  readonly object: ObjectInfo;
  readonly result: ResultBuilder;
  /** Aborted when the object is abandoned or the task stops. */
  readonly signal: AbortSignal;
  warn(message: string): void;
  /** An `apaevt_sse` event for the client that follows this pipe. */
  sse(type: string, data: Record<string, unknown>): void;
  /** Adds to the task's word counters. */
  countWords(words: number, bytes: number): void;
  /** The components wired to this one as `classType`, in file order. */
  controls<C extends keyof ControlOffers>(classType: C): readonly ControlTarget<C>[];
  /**
   * Queues an embedded file (of an archive, a mail) as an object of its own. Once the current object has flushed,
   * the components downstream are opened for the child, `emitChild` is called to emit its data, and they are
   * flushed and closed again. What the child produces joins the same result.
   */
  queueChild(object: ChildObject, emitChild: () => Awaitable<void>): void;
}

export interface ChildObject {
  name: string;
  mimeType: string;
  /** Bytes, when known. */
  size?: number;
}

/** The entry being processed. `size` is undefined when the sender did not say. */
export interface ObjectInfo {
  readonly objectId: string;
  readonly name: string;
  readonly url: string;
  /** Directory part of the object's path, `''` for a plain name. */
  readonly path: string;
  readonly mimeType: string;
  readonly size?: number;
  /** Merged into the result by response components; parsers add author, content type and the like. */
  readonly metadata: Record<string, unknown>;
  /** Other entry properties the sender gave. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Collects the pipeline result of the current object. */
export interface ResultBuilder {
  /** Appends `value` to the array under `key` and records `key → lane` in `result_types`. */
  append(key: string, lane: Lane, value: unknown): void;
  /** Sets a fixed field: name, path, metadata. */
  set(field: 'name' | 'path' | 'metadata', value: unknown): void;
}

export interface Instance {
  open?(object: ObjectInfo): Awaitable<void>;
  lanes?: LaneHandlers;
  /** Emits what is buffered; runs after every upstream component has flushed. Skipped when the object failed. */
  closing?(): Awaitable<void>;
  /** Releases per-object state; runs always. Must not emit. */
  close?(): Awaitable<void>;
  /** What this component offers to those that control it. */
  offers?: Partial<ControlOffers>;
  /** The pipe is gone for good. */
  dispose?(): Awaitable<void>;
}

/** Operations of the control channels. */
export interface ControlOffers {
  llm: LlmOffer;
  tool: ToolOffer;
  memory: MemoryOffer;
}

export interface ControlTarget<C extends keyof ControlOffers> {
  readonly id: string;
  readonly offer: ControlOffers[C];
}

export interface LlmOffer {
  ask(question: Question): Promise<Answer>;
  contextLength(): number;
  outputLength(): number;
  /** Estimated tokens of a text. */
  countTokens(text: string): number;
}

export interface ToolDescriptor {
  name: string;
  description: string;
  /** JSON Schema of the input. */
  inputSchema: Record<string, unknown>;
}

export interface ToolOffer {
  query(): Awaitable<ToolDescriptor[]>;
  invoke(name: string, input: Record<string, unknown>): Promise<unknown>;
}

export interface MemoryOffer {
  put(key: string, value: unknown): Awaitable<void>;
  get(key: string): Awaitable<unknown>;
  list(): Awaitable<string[]>;
  clear(): Awaitable<void>;
}

/** How a source that runs by itself hands over objects; waits for a free pipe. */
export interface Feed {
  object(entry: FeedEntry, write: (writer: FeedWriter) => Promise<void>): Promise<void>;
}

export interface FeedEntry {
  name: string;
  url: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  properties?: Record<string, unknown>;
}

export interface FeedWriter {
  write(data: Uint8Array): Promise<void>;
}
