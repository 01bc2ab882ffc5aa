import type { Lane } from '../../pipeline/model.js';
import { MillraceError } from '../../protocol/errors.js';
import type {
  Awaitable,
  ChildObject,
  ControlOffers,
  ControlTarget,
  Emit,
  ObjectInfo,
  PipeContext,
  ResultBuilder,
} from './component.js';
import type { ObjectResult } from './result.js';

/** The object a pipe is working on; empty between objects. */
export interface CurrentObject {
  info: ObjectInfo | undefined;
  result: ObjectResult | undefined;
  abort: AbortController;
}

/** What an instance needs of its pipe. */
export interface InstanceHost {
  readonly index: number;
  readonly current: CurrentObject;
  warn(message: string): void;
  sse(type: string, data: Record<string, unknown>): void;
  countWords(words: number, bytes: number): void;
  listens(component: number, lane: Lane): boolean;
  controls<C extends keyof ControlOffers>(component: number, classType: C): readonly ControlTarget<C>[];
  queueChild(component: number, child: ChildObject, emitChild: () => Awaitable<void>): void;
}

/** The view of a pipe that one component's instance has. */
export class InstanceContext implements PipeContext {
  readonly index: number;
  /** Stays the same for every object, so that a component may take it apart once. */
  readonly result: ResultBuilder;

  constructor(
    private readonly component: number,
    readonly emit: Emit,
    private readonly host: InstanceHost,
  ) {
    this.index = host.index;
    const { current } = host;
    this.result = {
      append: (key, lane, value) => present(current.result).append(key, lane, value),
      set: (field, value) => present(current.result).set(field, value),
    };
    this.listens = this.listens.bind(this);
    this.warn = this.warn.bind(this);
    this.sse = this.sse.bind(this);
    this.countWords = this.countWords.bind(this);
    this.controls = this.controls.bind(this);
    this.queueChild = this.queueChild.bind(this);
  }

  get object(): ObjectInfo {
    return present(this.host.current.info);
  }

  get signal(): AbortSignal {
    return this.host.current.abort.signal;
  }

  listens(lane: Lane): boolean {
    return this.host.listens(this.component, lane);
  }

  warn(message: string): void {
    this.host.warn(message);
  }

  sse(type: string, data: Record<string, unknown>): void {
    this.host.sse(type, data);
  }

  countWords(words: number, bytes: number): void {
    this.host.countWords(words, bytes);
  }

  controls<C extends keyof ControlOffers>(classType: C): readonly ControlTarget<C>[] {
    return this.host.controls(this.component, classType);
  }

  queueChild(child: ChildObject, emitChild: () => Awaitable<void>): void {
    this.host.queueChild(this.component, child, emitChild);
  }
}

function present<T>(value: T | undefined): T {
  if (value === undefined)
    throw new MillraceError(
      'internal',
      'No object is being processed; read `object` and `signal` of the pipe inside handlers only',
    );
  return value;
}
