import { type Lane, lanes } from '../../pipeline/model.js';
import { MillraceError, errorText } from '../../protocol/errors.js';
import type { PipelineResult } from '../../protocol/results.js';
import type { Awaitable, ControlOffers, ControlTarget, Emit, Instance, ObjectInfo } from './component.js';
import { type CurrentObject, InstanceContext, type InstanceHost } from './context.js';
import { type Identifiers, makeChildInfo } from './entry.js';
import type { CallItem, CallLane, FlowSink } from './flow.js';
import { type Ingest, makeIngest } from './ingest.js';
import { type Plan, descendants } from './plan.js';
import { ComponentError, ObjectResult } from './result.js';

/** What a pipe tells its task. */
export interface PipeHost {
  readonly ids: Identifiers;
  /** Undefined when tracing is off. */
  readonly flow: FlowSink | undefined;
  warn(message: string): void;
  sse(pipe: number, type: string, data: Record<string, unknown>): void;
  countWords(words: number, bytes: number): void;
  /** The component stack of a pipe changed. Called often; must be cheap. */
  moved(): void;
  /** An object, sent or embedded, begins. `size` in bytes, 0 when unknown. */
  began(name: string, size: number): void;
  /** An object, sent or embedded, has ended. `size` in bytes. */
  ended(name: string, size: number, error: string | undefined): void;
}

interface QueuedChild {
  from: number;
  info: ObjectInfo;
  emitChild: () => Awaitable<void>;
}

type Call = (item: never) => Awaitable<void>;

const nothing = (): void => undefined;

/**
 * One instance of the whole graph. Handles one object at a time, one operation at a time:
 * open in topological order → writes, depth first → closing of each component after all upstream of it → close.
 * Synchronous components are called without a promise in between.
 */
export class Pipe {
  /** Ids of the components the current object is in, outermost first; with tracing the object's name leads. */
  readonly stack: string[] = [];
  private readonly current: CurrentObject = { info: undefined, result: undefined, abort: new AbortController() };
  private readonly instances: Instance[] = [];
  private readonly emits: Emit[];
  private readonly all: readonly number[];
  private readonly below: readonly number[][];
  private readonly children: QueuedChild[] = [];
  private ingest: Ingest | undefined;
  private received = 0;

  constructor(
    readonly index: number,
    private readonly plan: Plan,
    private readonly host: PipeHost,
  ) {
    this.all = plan.components.map((_, position) => position);
    this.below = descendants(plan);
    this.emits = this.all.map((component) => this.makeEmit(component));
    const instanceHost = this.makeInstanceHost();
    for (const component of this.all) {
      const context = new InstanceContext(component, this.emits[component] as Emit, instanceHost);
      this.instances.push((plan.components[component] as Plan['components'][number]).started.pipe(context));
    }
  }

  get failed(): boolean {
    return this.current.result?.error !== undefined;
  }

  /** Begins an object. A failure is kept on the result and thrown; `close` must follow in both cases. */
  open(object: ObjectInfo): Awaitable<void> {
    if (this.current.info !== undefined)
      throw new MillraceError('internal', `Pipe ${this.index} already has an object`);
    this.current.info = object;
    this.current.result = new ObjectResult(object.objectId);
    this.received = 0;
    this.begin(object);
    return this.guard(() => then(this.structural('open', this.all), () => this.beginIngest(object)));
  }

  /** Takes bytes in; resolves when every component downstream has taken them. */
  write(data: Uint8Array): Awaitable<void> {
    if (this.current.result === undefined) throw new MillraceError('pipe_not_found', `Pipe ${this.index} is not open`);
    if (this.failed) throw new MillraceError('pipe_failed', `Write pipe with id ${this.index} has failed`);
    this.received += data.length;
    return this.guard(() => this.ingest?.write(data));
  }

  /** Flushes, closes and gives the result; a component's failure is in its `error`, never thrown. */
  close(): Awaitable<PipelineResult> {
    const { info, result } = this.current;
    if (info === undefined || result === undefined) {
      throw new MillraceError('pipe_not_found', `Pipe ${this.index} is not open`);
    }
    const flushed = this.failed
      ? undefined
      : quiet(() => this.guard(() => then(this.ingest?.end(), () => this.structural('closing', this.all))));
    const closed = then(flushed, () => this.closeAll(this.all, (thrown) => result.fail(thrown)));
    return then(closed, () => {
      this.end(info, info.size ?? this.received, result, result.error?.message);
      return then(this.children.length === 0 ? undefined : this.runChildren(info, result), () => this.finish(result));
    });
  }

  /** The object is no longer wanted: components are told by their signal, the result fails with `reason`. */
  cancel(reason: string): void {
    const error = new MillraceError('cancelled', reason);
    this.current.result?.fail(error);
    this.children.length = 0;
    this.current.abort.abort(error);
  }

  async dispose(): Promise<void> {
    this.current.abort.abort(new MillraceError('cancelled', 'The task stops'));
    for (const instance of this.instances) {
      try {
        await instance.dispose?.();
      } catch (thrown) {
        this.host.warn(`A component did not clean up: ${errorText(thrown)}`);
      }
    }
  }

  private begin({ name, size }: ObjectInfo): void {
    this.host.began(name, size ?? 0);
    if (this.host.flow === undefined) return;
    this.host.flow.begin(this.index, name);
    this.stack.push(name);
  }

  private end({ name }: ObjectInfo, size: number, result: ObjectResult, error: string | undefined): void {
    this.host.flow?.end(this.index, result.value);
    this.stack.length = 0;
    this.host.moved();
    this.host.ended(name, size, error);
  }

  private beginIngest(object: ObjectInfo): Awaitable<void> {
    const { source, components } = this.plan;
    const emit = this.emits[source] as Emit;
    const provider = components[source]?.provider ?? '';
    this.ingest = makeIngest(object, emit, (lane) => this.listens(source, lane), provider);
    return this.ingest.begin();
  }

  private finish(result: ObjectResult): PipelineResult {
    this.current.info = undefined;
    this.current.result = undefined;
    this.ingest = undefined;
    if (this.current.abort.signal.aborted) this.current.abort = new AbortController();
    return result.value;
  }

  /** Embedded objects run one after the other once the object they came from has flushed; they may queue more. */
  private async runChildren(root: ObjectInfo, result: ObjectResult): Promise<void> {
    for (let child = this.children.shift(); child !== undefined; child = this.children.shift()) {
      const { from, info, emitChild } = child;
      const below = this.below[from] ?? [];
      this.current.info = info;
      result.beginChild(info);
      this.begin(info);
      let failure: Error | undefined;
      const keep = (thrown: unknown): void => {
        failure ??= thrown as Error;
        result.fail(thrown);
      };
      try {
        await this.structural('open', below);
        await this.call(from, 'open', undefined, emitChild);
        await this.structural('closing', below);
      } catch (thrown) {
        keep(thrown);
      }
      await this.closeAll(below, keep);
      result.endChild();
      this.end(info, info.size ?? 0, result, failure?.message);
    }
    this.current.info = root;
  }

  /** Calls a lifecycle method of the given components in order. */
  private structural(method: 'open' | 'closing', components: readonly number[], from = 0): Awaitable<void> {
    const traced = this.host.flow !== undefined;
    for (let at = from; at < components.length; at++) {
      const component = components[at] as number;
      const instance = this.instances[component] as Instance;
      if (!traced && instance[method] === undefined) continue;
      const pending = this.call(component, method, undefined, () =>
        method === 'open' ? instance.open?.(this.current.info as ObjectInfo) : instance[method]?.(),
      );
      if (pending !== undefined) return pending.then(() => this.structural(method, components, at + 1));
    }
    return undefined;
  }

  /** Closes every one of the given components, whatever the others throw: `close` releases what an object left behind. */
  private closeAll(components: readonly number[], keep: (thrown: unknown) => void, from = 0): Awaitable<void> {
    for (let at = from; at < components.length; at++) {
      const component = components[at] as number;
      const instance = this.instances[component] as Instance;
      if (this.host.flow === undefined && instance.close === undefined) continue;
      try {
        const pending = this.call(component, 'close', undefined, () => instance.close?.());
        if (pending !== undefined) return pending.catch(keep).then(() => this.closeAll(components, keep, at + 1));
      } catch (thrown) {
        keep(thrown);
      }
    }
    return undefined;
  }

  /** One call of a component: keeps the stack and the trace, and names the component on an error. */
  private call(component: number, lane: CallLane, item: CallItem, run: () => unknown): Promise<void> | undefined {
    const depth = this.stack.length;
    this.stack.push((this.plan.components[component] as Plan['components'][number]).id);
    this.host.flow?.enter(this.index, component, lane, item);
    this.host.moved();
    let pending: unknown;
    try {
      pending = run();
    } catch (thrown) {
      throw this.leaveFailed(component, lane, depth, thrown);
    }
    if (isPromise(pending)) {
      // A component may return any thenable; only a real promise can be waited for the way the rest does.
      return Promise.resolve(pending).then(
        () => this.leave(component, lane, depth),
        (thrown: unknown) => {
          throw this.leaveFailed(component, lane, depth, thrown);
        },
      );
    }
    this.leave(component, lane, depth);
    return undefined;
  }

  private leave(component: number, lane: CallLane, depth: number): void {
    if (this.stack.length > depth) this.stack.length = depth;
    this.host.flow?.leave(this.index, component, lane, undefined);
  }

  private leaveFailed(component: number, lane: CallLane, depth: number, thrown: unknown): ComponentError {
    if (this.stack.length > depth) this.stack.length = depth;
    const error =
      thrown instanceof ComponentError ? thrown : new ComponentError(this.plan.components[component]?.id ?? '', thrown);
    this.host.flow?.leave(this.index, component, lane, error);
    return error;
  }

  /** Keeps the first failure of the object on its result, and passes it on. */
  private guard(run: () => Awaitable<void>): Awaitable<void> {
    const { result } = this.current;
    try {
      return run()?.catch((thrown: unknown) => {
        result?.fail(thrown);
        throw thrown;
      });
    } catch (thrown) {
      result?.fail(thrown);
      throw thrown;
    }
  }

  private makeEmit(component: number): Emit {
    const emit = {} as Record<Lane, Call>;
    for (const lane of lanes) {
      const calls = this.plan.links
        .filter((link) => link.from === component && link.lane === lane)
        .map((link) => this.makeCall(link.to, lane));
      emit[lane] = calls.length > 1 ? fanOut(calls) : (calls[0] ?? nothing);
    }
    return emit as Emit;
  }

  /** The handler is looked up at the first call, because instances are made after the emits they are given. */
  private makeCall(component: number, lane: Lane): Call {
    let handler: ((item: never) => unknown) | undefined;
    const find = (): ((item: never) => unknown) => {
      const handlers = this.instances[component]?.lanes;
      return (handlers?.[lane]?.bind(handlers) as ((item: never) => unknown) | undefined) ?? nothing;
    };
    return (item) => {
      const bound = (handler ??= find());
      return this.call(component, lane, item, () => bound(item));
    };
  }

  private listens(component: number, lane: Lane): boolean {
    return this.plan.links.some((link) => link.from === component && link.lane === lane);
  }

  private makeInstanceHost(): InstanceHost {
    const { host, index, current } = this;
    return {
      index,
      current,
      warn: (message) => host.warn(message),
      sse: (type, data) => host.sse(index, type, data),
      countWords: (words, bytes) => host.countWords(words, bytes),
      listens: (component, lane) => this.listens(component, lane),
      controls: (component, classType) => this.controls(component, classType),
      queueChild: (from, child, emitChild) => {
        if (current.info === undefined) throw new MillraceError('internal', 'No object is being processed');
        this.children.push({ from, info: makeChildInfo(current.info, child, host.ids), emitChild });
      },
    };
  }

  private controls<C extends keyof ControlOffers>(component: number, classType: C): ControlTarget<C>[] {
    return this.plan.controls
      .filter((control) => control.from === component && control.classType === classType)
      .flatMap((control) => {
        const offer = this.instances[control.to]?.offers?.[classType];
        const id = this.plan.components[control.to]?.id ?? '';
        return offer === undefined ? [] : [{ id, offer: this.traced(control.to, classType, offer) }];
      });
  }

  /** Control calls show in the flow like data calls, on the lane `invoke`. */
  private traced<O extends object>(component: number, classType: string, offer: O): O {
    return new Proxy(offer, {
      get: (target, operation) => {
        const method = Reflect.get(target, operation) as unknown;
        if (typeof method !== 'function') return method;
        return (...parameters: unknown[]): unknown => {
          let value: unknown;
          const item = { classType, operation: String(operation), parameter: parameters[0] };
          const pending = this.call(component, 'invoke', item, () => {
            value = Reflect.apply(method, target, parameters);
            return value;
          });
          return pending === undefined ? value : pending.then(() => value);
        };
      },
    });
  }
}

function fanOut(calls: readonly Call[]): Call {
  const from = (item: never, start: number): Awaitable<void> => {
    for (let at = start; at < calls.length; at++) {
      const pending = (calls[at] as Call)(item);
      if (pending !== undefined) return pending.then(() => from(item, at + 1));
    }
    return undefined;
  };
  return (item) => from(item, 0);
}

/** Goes on at once when there is nothing to wait for; otherwise after it. */
function then<T>(pending: Awaitable<void>, next: () => Awaitable<T>): Awaitable<T> {
  return pending === undefined ? next() : pending.then(next);
}

/** Runs and forgets a failure that `guard` has already put on the result. */
function quiet(run: () => Awaitable<void>): Awaitable<void> {
  try {
    return run()?.catch(nothing);
  } catch {
    return undefined;
  }
}

function isPromise(value: unknown): value is Promise<void> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
