import type { BaseClient } from '../client/typescript/src/client.js';
import type { Subscription } from '../client/typescript/src/monitors.js';
import type { EventMessage } from '../protocol/envelope.js';
import { type MillraceError, toMillraceError } from '../protocol/errors.js';
import type { LinkState, LiveTask, ToLiveView } from '../protocol/liveView.js';
import type { TaskStatus } from '../protocol/status.js';
import { isRecord } from '../pipeline/values.js';
import { type BufferLimits, ChangeBuffer, type SeqRange } from './changeBuffer.js';
import { describeTask, type TaskFacts } from './liveTask.js';
import { Pace } from './pace.js';
import { isCalled, isConnectionError, readFlow, readHistory, readNote, readRange, readStatus } from './taskEvents.js';
import { readTrace } from './trace.js';

/** At most ten messages a second. */
const intervalMs = 100;
/** Live events that wait while the past is read; beyond, they are read from the past as well. */
const mostWaiting = 10_000;
/** The next portion of the past is asked for when no more than so many events wait for the view. */
const readAhead = 10_000;
/** A loss is made good from the past when the last one is so long ago; a reader that is too slow loses for good. */
const refillMs = 5000;

export interface TaskFeedOptions extends Omit<TaskFacts, 'traceLevel'> {
  readonly client: BaseClient;
  readonly traceLevel?: LiveTask['traceLevel'];
  /** Takes a message to the view. While a promise that it returned is pending, no further changes are given to it. */
  readonly post: (message: ToLiveView) => void | PromiseLike<unknown>;
  readonly limits?: Partial<BufferLimits>;
}

/** Reading the past while live events wait. */
interface CatchUp {
  /** What was heard meanwhile, in order. */
  waiting: Pick<EventMessage, 'event' | 'body'>[];
  /** Events up to this number must come from the past. */
  until: number;
}

/**
 * One task as the messages of the live view. Subscribes while the view is visible and only then; on `resume` what
 * happened meanwhile is read from the server's past. Calls may overlap, the last one holds. Its owner tells it when the
 * connection is lost and when it is back.
 */
export class TaskFeed {
  readonly #options: TaskFeedOptions;
  readonly #buffer: ChangeBuffer;
  #pace: Pace;
  #stopListening: (() => void) | undefined;
  #subscription: Promise<Subscription> | undefined;
  #visible = false;
  #connected = true;
  /** Raised by whatever makes work under way pointless. */
  #turn = 0;
  #catchUp: CatchUp | undefined;
  /** The highest flow number that was taken in, and that of an error or warning. */
  #seen = 0;
  #seenNote = 0;
  /** Numbers for servers that give none. */
  #ownNumber = 0;
  #lastRefill = -Infinity;
  #told: LiveTask | undefined;
  #link: LinkState | undefined;
  /** The task has ended, which is told when the changes before it are. */
  #ending = false;
  #source = '';
  /** How the server calls the task. */
  #id: string | undefined;
  #drained: (() => void)[] = [];

  constructor(options: TaskFeedOptions) {
    this.#options = options;
    this.#buffer = new ChangeBuffer(options.limits);
    this.#pace = new Pace(intervalMs, () => this.#send());
  }

  /**
   * The view is new, or has forgotten everything but what it saw up to `lastSeq`: it is told of the task again and of
   * all that came after. Problems are told to the view.
   */
  async start(lastSeq: number): Promise<void> {
    // The view before this one may never say that it took its last message.
    this.#pace.dispose();
    this.#pace = new Pace(intervalMs, () => this.#send());
    this.#buffer.clear();
    this.#seen = lastSeq;
    this.#seenNote = lastSeq;
    this.#told = undefined;
    this.#link = undefined;
    this.#visible = true;
    await this.#open();
  }

  /** The view is visible again and has kept what it had. */
  async resume(): Promise<void> {
    if (this.#visible) return;
    this.#visible = true;
    await this.#open();
  }

  /** Nothing is told any more and nothing is asked of the server. */
  pause(): void {
    if (!this.#visible) return;
    this.#visible = false;
    this.#halt();
    this.#unsubscribe();
  }

  connectionLost(reason: string): void {
    this.#connected = false;
    this.#halt();
    this.#tellLink({ kind: 'reconnecting', reason });
  }

  /** The connection does not come back by itself. */
  connectionFailed({ message: reason, hint }: Pick<MillraceError, 'message' | 'hint'>): void {
    this.#connected = false;
    this.#halt();
    this.#tellLink({ kind: 'failed', reason, hint });
  }

  /** The client is logged in again, and has restored its subscriptions. */
  async connectionBack(): Promise<void> {
    if (this.#connected) return;
    this.#connected = true;
    if (this.#visible) await this.#open();
  }

  /** Answers with the flow events of one object. */
  async trace(beginSeq: number): Promise<void> {
    const { client, token } = this.#options;
    this.#post(await readTrace(client, token, beginSeq));
  }

  dispose(): void {
    this.pause();
    this.#pace.dispose();
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  /** Subscribes, tells the task if it is another one, and reads what was missed. */
  async #open(): Promise<void> {
    const turn = this.#halt();
    const { client } = this.#options;
    this.#catchUp = { waiting: [], until: 0 };
    try {
      const status = await this.#describe(turn);
      if (status === undefined) return;
      this.#stopListening ??= client.listen((event) => this.#hear(event));
      await this.#subscribe();
      if (turn !== this.#turn) return;
      this.#buffer.addStatus(status);
      if (status.completed) this.#endLink();
      else this.#tellLink({ kind: 'live' });
      await this.#readPast(turn);
    } catch (thrown) {
      if (turn === this.#turn) this.#fail(toMillraceError(thrown));
    }
  }

  /** Tells the view of the task if it does not know it as it is. Undefined when the turn is over. */
  async #describe(turn: number): Promise<TaskStatus | undefined> {
    const { client, token, connection, hasFile, traceLevel } = this.#options;
    const [status, answer] = await Promise.all([
      client.getTaskStatus(token),
      // A task can be watched on servers that do not tell its pipeline.
      client.call('get_pipeline', { token }).then(
        ({ body }) => body,
        (thrown: unknown) => {
          if (isConnectionError(toMillraceError(thrown))) throw thrown;
          return {};
        },
      ),
    ]);
    if (turn !== this.#turn) return undefined;
    const task = describeTask(answer, status, { token, connection, hasFile, traceLevel });
    this.#source = task.source;
    if (JSON.stringify(task) !== JSON.stringify(this.#told)) this.#tellTask(task);
    return status;
  }

  #tellTask(task: LiveTask): void {
    this.#told = task;
    this.#post(task);
  }

  async #subscribe(): Promise<void> {
    const { client, token } = this.#options;
    this.#subscription ??= client.subscribe({ token }, ['summary', 'detail', 'flow', 'task']);
    try {
      await this.#subscription;
    } catch (error) {
      this.#subscription = undefined;
      throw error;
    }
  }

  #unsubscribe(): void {
    this.#subscription?.then(
      (subscription) => subscription.dispose(),
      () => undefined,
    );
    this.#subscription = undefined;
  }

  /** Gives up what is under way; returns the number of the turn that begins. */
  #halt(): number {
    this.#catchUp = undefined;
    for (const wake of this.#drained.splice(0)) wake();
    return ++this.#turn;
  }

  /** Reads what came after the last event seen, in portions, then lets in what was heard meanwhile. */
  async #readPast(turn: number): Promise<void> {
    const { client, token } = this.#options;
    const catchUp = (this.#catchUp ??= { waiting: [], until: 0 });
    let since = Math.max(this.#seen, this.#seenNote);
    for (;;) {
      const portion = await readHistory(client, token, { types: ['flow', 'detail'], since });
      if (turn !== this.#turn) return;
      if (portion === undefined) break;
      if (portion.newest < since) {
        // The numbers began anew: it is another task under the same token.
        since = this.#startOver();
        continue;
      }
      if (portion.lost !== undefined) this.#buffer.addLost(portion.lost);
      for (const { event, body } of portion.events) this.#take(event, body);
      this.#pace.ask();
      const stuck = portion.last <= since;
      since = Math.max(since, portion.last);
      if (since >= Math.max(portion.newest, catchUp.until) || stuck) break;
      await this.#room();
      if (turn !== this.#turn) return;
    }
    this.#catchUp = undefined;
    for (const { event, body } of catchUp.waiting) this.#take(event, body);
    this.#pace.ask();
  }

  #startOver(): number {
    this.#buffer.clear();
    this.#seen = 0;
    this.#seenNote = 0;
    if (this.#told !== undefined) this.#tellTask(this.#told);
    return 0;
  }

  /** Resolves when the view has taken so much that more may be read. */
  async #room(): Promise<void> {
    while (this.#buffer.waiting > readAhead && this.#visible) {
      await new Promise<void>((resolve) => this.#drained.push(resolve));
    }
  }

  #hear(event: EventMessage): void {
    if (!this.#visible || !this.#isOwn(event)) return;
    const { body } = event;
    switch (event.event) {
      case 'apaevt_status_update': {
        const status = readStatus(body);
        if (status !== undefined) this.#buffer.addStatus(status);
        break;
      }
      case 'apaevt_task':
        return this.#taskChanged(body);
      case 'apaevt_lost': {
        const range = readRange(body);
        if (range !== undefined) this.#missed(range);
        break;
      }
      default:
        if (this.#catchUp === undefined) this.#take(event.event, body);
        else this.#keepWaiting(this.#catchUp, event);
    }
    this.#pace.ask();
  }

  /** Servers call a task by the beginning of its token; where two begin alike, the longer name is the later one's. */
  #isOwn({ id: envelopeId, body }: EventMessage): boolean {
    const id = envelopeId ?? (isRecord(body) ? body.__id : undefined);
    if (typeof id !== 'string' || id === '' || id === this.#id) return true;
    if (!isCalled(id, this.#options.token, this.#source) || id.length < (this.#id?.length ?? 0)) return false;
    this.#id = id;
    return true;
  }

  #take(event: string, body: unknown): void {
    if (event === 'apaevt_flow') {
      const flow = readFlow(body, this.#nextNumber);
      if (flow === undefined || flow.seqNo <= this.#seen) return;
      this.#seen = flow.seqNo;
      this.#buffer.addFlow(flow);
      return;
    }
    if (event !== 'apaevt_status_error' && event !== 'apaevt_status_warning') return;
    const note = readNote(body, this.#nextNumber);
    if (note === undefined || note.seqNo <= this.#seenNote) return;
    this.#seenNote = note.seqNo;
    if (event === 'apaevt_status_error') this.#buffer.addError(note);
    else this.#buffer.addWarning(note);
  }

  #keepWaiting(catchUp: CatchUp, { event, body }: EventMessage): void {
    catchUp.waiting.push({ event, body });
    const seqNo = isRecord(body) ? body.seqNo : undefined;
    if (catchUp.waiting.length <= mostWaiting) return;
    if (typeof seqNo === 'number') catchUp.until = seqNo;
    catchUp.waiting = [];
  }

  readonly #nextNumber = (): number => ++this.#ownNumber;

  /** Too slow for the server: it kept back the newest and says what went. */
  #missed(range: SeqRange): void {
    if (this.#catchUp !== undefined) {
      this.#catchUp.until = Math.max(this.#catchUp.until, range.last);
      this.#catchUp.waiting = [];
      return;
    }
    const now = performance.now();
    if (now - this.#lastRefill < refillMs) {
      this.#buffer.addLost(range);
      return;
    }
    this.#lastRefill = now;
    const turn = this.#turn;
    this.#readPast(turn).catch((thrown: unknown) => {
      if (turn === this.#turn) this.#fail(toMillraceError(thrown));
    });
  }

  #taskChanged(body: unknown): void {
    const action = isRecord(body) ? body.action : undefined;
    if (action === 'end') void this.#ended();
    else if (action === 'restart' || action === 'begin') void this.#restarted();
  }

  /** What came before belongs to the run before, so it is told before the task is told anew. */
  async #restarted(): Promise<void> {
    const turn = this.#halt();
    this.#catchUp = { waiting: [], until: 0 };
    while (!this.#buffer.isEmpty && turn === this.#turn) {
      this.#pace.ask();
      await new Promise<void>((resolve) => this.#drained.push(resolve));
    }
    if (turn !== this.#turn) return;
    this.#told = undefined;
    await this.#open();
  }

  async #ended(): Promise<void> {
    const turn = this.#turn;
    const { client, token } = this.#options;
    const status = await client.getTaskStatus(token).catch(() => undefined);
    if (turn !== this.#turn) return;
    if (status !== undefined) this.#buffer.addStatus(status);
    this.#endLink();
  }

  #fail(error: MillraceError): void {
    this.#halt();
    if (isConnectionError(error)) {
      this.#connected = false;
      this.#tellLink({ kind: 'reconnecting', reason: error.message });
      return;
    }
    this.#unsubscribe();
    this.#tellLink(failureOf(error));
  }

  /** Told when everything before it is. */
  #endLink(): void {
    this.#ending = true;
    this.#pace.ask();
  }

  #tellLink(state: LinkState): void {
    this.#ending = false;
    if (JSON.stringify(state) === JSON.stringify(this.#link)) return;
    this.#link = state;
    this.#post({ type: 'link', state });
  }

  #send(): void | PromiseLike<unknown> | false {
    const changes = this.#visible ? this.#buffer.take() : undefined;
    const sent = changes === undefined ? false : this.#options.post(changes);
    if (this.#buffer.waiting <= readAhead) for (const wake of this.#drained.splice(0)) wake();
    if (!this.#buffer.isEmpty) this.#pace.ask();
    else if (this.#ending && this.#catchUp === undefined) this.#tellLink({ kind: 'ended' });
    return sent;
  }

  #post(message: ToLiveView): void {
    // A view that is gone takes no messages; the next one asks for everything again.
    Promise.resolve(this.#options.post(message)).catch(() => undefined);
  }
}

function failureOf({ code, message: reason, hint }: MillraceError): LinkState {
  if (code !== 'task_unknown') return { kind: 'failed', reason, hint };
  return {
    kind: 'failed',
    reason: 'The server does not know this task any more: it has ended, or the server was started anew.',
    hint: 'Run the pipeline again to watch it.',
  };
}
