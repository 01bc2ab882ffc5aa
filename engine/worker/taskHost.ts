import type { Dialect } from '../../protocol/dialect.js';
import { MillraceError, errorText, toMillraceError } from '../../protocol/errors.js';
import { limits } from '../../protocol/limits.js';
import type { PipelineResult } from '../../protocol/results.js';
import type { StartedComponent } from '../runtime/component.js';
import type { PipeHost } from '../runtime/pipe.js';
import type { Plan } from '../runtime/plan.js';
import type { RegisteredComponent } from '../runtime/registry.js';
import { Runtime } from '../runtime/runtime.js';
import { type Clock, FlowEncoder } from './flowRecords.js';
import type { FrameMemory } from './frameMemory.js';
import { type FrameWriter, type Part, u32 } from './frames.js';
import { identifiers } from './identifiers.js';
import { FromWorker, type OpenMessage, type StartMessage, type StartedMessage, ToWorker } from './messages.js';
import { Outbox } from './outbox.js';
import { ResultText } from './resultText.js';
import { loadUserComponents } from './userComponents.js';

/** Largest result that may leave: what a client can receive in one message. */
const maxResultBytes = limits.messageBytes;

/** The worker's side of the task channel: one task, one runtime. */
export class TaskHost {
  /** No task has been asked for yet. */
  idle = true;
  private readonly outbox: Outbox;
  private readonly abort = new AbortController();
  private readonly dialects: Dialect[] = [];
  private readonly texts = new ResultText();
  private readonly waitingOpens = new Map<number, () => void>();
  private readonly started: StartedComponent[] = [];
  private runtime: Runtime | undefined;
  private currentObject = '';
  private currentSize = 0;

  constructor(
    writer: FrameWriter,
    private readonly builtin: readonly RegisteredComponent[],
    private readonly clock: Clock,
    private readonly memory: FrameMemory,
    private readonly exit: (code: number) => void,
  ) {
    this.outbox = new Outbox(writer, () => ({
      totalPipes: this.runtime?.totalPipes ?? 0,
      byPipe: this.runtime?.stacks() ?? {},
      currentObject: this.currentObject,
      currentSize: this.currentSize,
    }));
  }

  /** One frame from the server. */
  handle(kind: number, id: number, payload: Buffer): void {
    try {
      this.dispatch(kind, id, payload);
    } catch (thrown) {
      this.fail(id, toMillraceError(thrown));
    }
  }

  /** A failure that no object can be blamed for: the task cannot go on. */
  crash(thrown: unknown): void {
    this.outbox.ended({ code: 1, message: `A component failed outside an object: ${errorText(thrown)}` });
    this.outbox.flush();
    this.exit(1);
  }

  private dispatch(kind: number, id: number, payload: Buffer): void {
    switch (kind) {
      case ToWorker.write:
        return this.write(id, payload);
      case ToWorker.send:
        return this.send(id, payload);
      case ToWorker.open:
        return this.open(id, JSON.parse(payload.toString('utf8')) as OpenMessage);
      case ToWorker.close:
        return this.close(id, payload.readUInt32LE(0));
      case ToWorker.abandon:
        return this.runtimeOrFail().abandon(payload.readUInt32LE(0), payload.toString('utf8', 4), () => this.ok(id));
      case ToWorker.cancel:
        return this.waitingOpens.get(id)?.();
      case ToWorker.ping:
        return this.ok(id);
      case ToWorker.start:
        return this.answer(id, this.start(JSON.parse(payload.toString('utf8')) as StartMessage));
      case ToWorker.describe:
        return this.answer(id, this.describe(payload.toString('utf8')));
      case ToWorker.stop:
        void this.stop(payload.toString('utf8')).then(() => {
          this.ok(id);
          this.outbox.flush();
          this.exit(0);
        });
        return;
      default:
        return;
    }
  }

  private async describe(folder: string): Promise<string> {
    const components = await loadUserComponents(folder);
    return JSON.stringify(components.map((component) => component.definition));
  }

  private async start(message: StartMessage): Promise<string> {
    this.idle = false;
    const user = message.componentsFolder === undefined ? [] : await loadUserComponents(message.componentsFolder);
    const registered = new Map([...this.builtin, ...user].map((component) => [component.definition.id, component]));
    const source = message.components[message.source];
    const facts = {
      projectId: message.projectId,
      source: source?.id ?? '',
      args: message.args,
      threads: message.threads,
    };
    for (const { id, provider, config } of message.components) {
      const found = registered.get(provider);
      if (found === undefined)
        throw new MillraceError('provider_unknown', `Component "${id}": unknown provider "${provider}"`);
      try {
        const component = await found.load();
        this.started.push(
          await component.start({
            id,
            provider,
            config,
            task: facts,
            signal: this.abort.signal,
            warn: (text) => this.outbox.warning(`${id}: ${text}`),
            log: (line) => process.stdout.write(`${line}\n`),
          }),
        );
      } catch (thrown) {
        await this.stopComponents();
        const error = toMillraceError(thrown, 'start_failed');
        throw new MillraceError(
          error.code === 'internal' ? 'start_failed' : error.code,
          `Component "${id}" (${provider}): ${error.message}`,
          {
            cause: thrown,
            hint: error.hint,
          },
        );
      }
    }
    const plan: Plan = {
      components: message.components.map(({ id, provider }, position) => ({
        id,
        provider,
        started: this.started[position] as StartedComponent,
      })),
      source: message.source,
      links: message.links,
      controls: message.controls,
    };
    if (message.traceLevel !== 'none') {
      this.outbox.flow = new FlowEncoder(message.traceLevel, this.clock, this.texts, () => this.outbox.linger());
    }
    this.runtime = new Runtime(plan, message.threads, this.pipeHost());
    const first = plan.components[plan.source]?.started;
    // After the answer, so that a source that is done at once does not end a task that has not started.
    const run = first?.run?.bind(first);
    if (run !== undefined) setImmediate(() => void this.run(run));
    const answer: StartedMessage = {
      readyText: first?.readyText ?? 'Processing',
      notes: first?.notes ?? [],
      runs: run !== undefined,
    };
    this.outbox.sync();
    return JSON.stringify(answer);
  }

  /** A source that fetches its own objects; the task ends with it. */
  private async run(run: NonNullable<StartedComponent['run']>): Promise<void> {
    let ended = { code: 0, message: '' };
    try {
      await run(this.runtimeOrFail().feed());
    } catch (thrown) {
      if (this.abort.signal.aborted) return;
      ended = { code: 1, message: errorText(thrown) };
    }
    await this.stopComponents();
    this.outbox.ended(ended);
  }

  private pipeHost(): PipeHost {
    const { outbox } = this;
    return {
      ids: identifiers,
      flow: outbox.flow,
      warn: (message) => outbox.warning(message),
      sse: (pipe, type, data) => outbox.sse({ pipe_id: pipe, type, data }),
      countWords: (words, bytes) => outbox.count({ wordsCount: words, wordsSize: bytes }),
      moved: () => outbox.moved(),
      began: (name, size) => {
        this.currentObject = name;
        this.currentSize = size;
      },
      ended: (name, size, error) => {
        if (error === undefined) {
          outbox.count({ completedCount: 1, completedSize: size });
        } else {
          outbox.count({ failedCount: 1, failedSize: size });
          outbox.error(`${name}: ${error}`);
        }
      },
    };
  }

  private open(call: number, { object, mimeType, dialect }: OpenMessage): void {
    const cancel = this.runtimeOrFail().open(object, mimeType, (error, pipe) => {
      this.waitingOpens.delete(call);
      if (error !== undefined) return this.fail(call, error);
      this.dialects[pipe as number] = dialect;
      this.ok(call, u32(pipe as number));
    });
    if (cancel !== undefined) this.waitingOpens.set(call, cancel);
  }

  private write(call: number, payload: Buffer): void {
    const runtime = this.runtimeOrFail();
    runtime.write(payload.readUInt32LE(0), payload.subarray(4), (error) => {
      // A handler that failed may have left others at work.
      if (error !== undefined) return this.fail(call, error);
      if (runtime.borrows) this.memory.give(payload);
      this.ok(call);
    });
  }

  private close(call: number, pipe: number): void {
    this.runtimeOrFail().close(pipe, (error, result) => {
      if (error !== undefined) return this.fail(call, error);
      this.answerResult(call, result as PipelineResult, this.dialects[pipe] ?? 'spec');
    });
  }

  /** Open, write and close of a small object in one frame. A component's failure is in the result's `error`. */
  private send(call: number, payload: Buffer): void {
    const length = payload.readUInt32LE(0);
    const message = JSON.parse(payload.toString('utf8', 4, 4 + length)) as OpenMessage;
    const data = payload.subarray(4 + length);
    const runtime = this.runtimeOrFail();
    const cancel = runtime.open(message.object, message.mimeType, (openError, pipe) => {
      this.waitingOpens.delete(call);
      if (openError !== undefined) return this.fail(call, openError);
      // The write's error is the first of the object, so it comes back with the result.
      runtime.write(pipe as number, data, () => undefined);
      runtime.close(pipe as number, (error, result) => {
        if (error !== undefined) return this.fail(call, error);
        this.answerResult(call, result as PipelineResult, message.dialect);
      });
    });
    if (cancel !== undefined) this.waitingOpens.set(call, cancel);
  }

  private async stop(reason: string): Promise<void> {
    this.abort.abort(new MillraceError('task_stopping', reason));
    await this.runtime?.stop(reason);
    await this.stopComponents();
    this.outbox.sync();
    this.outbox.dispose();
  }

  private async stopComponents(): Promise<void> {
    for (const component of this.started.splice(0).reverse()) {
      try {
        await component.stop?.();
      } catch (thrown) {
        this.outbox.warning(`A component did not stop cleanly: ${errorText(thrown)}`);
      }
    }
  }

  private answer(call: number, work: Promise<string>): void {
    work.then(
      (text) => this.ok(call, text),
      (thrown: unknown) => this.fail(call, toMillraceError(thrown)),
    );
  }

  /** Components put anything into a result; what cannot travel fails this object and nothing else. */
  private answerResult(call: number, result: PipelineResult, dialect: Dialect): void {
    let text: string;
    try {
      text = this.texts.answer(result, dialect);
    } catch (thrown) {
      return this.fail(
        call,
        new MillraceError('component_failed', `The result cannot be written as JSON: ${errorText(thrown)}`),
      );
    }
    if (Buffer.byteLength(text) > maxResultBytes) {
      return this.fail(call, new MillraceError('too_large', 'The result of this object is too large to be sent'));
    }
    this.ok(call, text);
  }

  private ok(call: number, part: Part = ''): void {
    this.outbox.answer(FromWorker.ok, call, part);
  }

  private fail(call: number, { code, message, hint }: MillraceError): void {
    this.outbox.answer(FromWorker.fail, call, JSON.stringify({ code, message, hint }));
  }

  private runtimeOrFail(): Runtime {
    if (this.runtime === undefined) throw new MillraceError('internal', 'The task has not been started');
    return this.runtime;
  }
}
