import type { Disposable, LogOutputChannel } from 'vscode';
import type { EventMessage, MillraceClient, Subscription } from '../../client/typescript/src/index.js';
import { errorText, MillraceError } from '../../protocol/errors.js';
import { isRecord } from '../../pipeline/values.js';
import type { TaskEntry, TaskList } from '../views/taskList.js';
import { BoundedLog, type LogBounds, type TextSink } from './boundedLog.js';

export interface OutputChannel extends TextSink, Disposable {
  show(preserveFocus?: boolean): void;
}

export interface TaskOutputsDeps {
  readonly tasks: Pick<TaskList, 'find' | 'onDidChange'>;
  readonly createChannel: (name: string) => OutputChannel;
  readonly log: Pick<LogOutputChannel, 'debug'>;
}

const bounds: LogBounds = { lines: 5000, chars: 2_000_000, everyMs: 100 };
/** Channels of tasks that are not listed any more; the oldest go first. */
const goneKept = 10;

/** A channel for what the components of a task print, made when somebody first asks for it. */
export class TaskOutputs implements Disposable {
  readonly #deps: TaskOutputsDeps;
  readonly #outputs = new Map<string, TaskOutput>();
  readonly #listener: Disposable;

  constructor(deps: TaskOutputsDeps) {
    this.#deps = deps;
    this.#listener = deps.tasks.onDidChange(() => this.#tidy());
  }

  show(task: TaskEntry): void {
    const key = `${task.connection.name}\n${task.token}`;
    let output = this.#outputs.get(key);
    if (output === undefined) {
      output = new TaskOutput(task, this.#deps.createChannel(`Millrace: ${task.name} (${task.id})`), this.#deps.log);
      this.#outputs.set(key, output);
    }
    output.follow();
    output.show();
  }

  dispose(): void {
    this.#listener.dispose();
    for (const output of this.#outputs.values()) output.dispose();
    this.#outputs.clear();
  }

  /** What is not listed any more says nothing any more. */
  #tidy(): void {
    const gone = [...this.#outputs].filter(([, { token }]) => this.#deps.tasks.find(token) === undefined);
    for (const [, output] of gone) output.leave();
    for (const [key, output] of gone.slice(0, -goneKept)) {
      output.dispose();
      this.#outputs.delete(key);
    }
  }
}

/** The output of one task: what the server has kept, and what comes from then on, across reconnects. */
class TaskOutput implements Disposable {
  readonly token: string;
  readonly #task: TaskEntry;
  readonly #channel: OutputChannel;
  readonly #text: BoundedLog;
  readonly #log: Pick<LogOutputChannel, 'debug'>;
  #states: Disposable | undefined;
  #link: { client: MillraceClient; stop: () => void; subscription: Promise<Subscription> } | undefined;
  /** Events that came while the past was read. */
  #held: EventMessage[] | undefined;
  /** Number of the last event that was looked at. Older servers have no numbers. */
  #lastSeq = 0;
  #online = false;

  constructor(task: TaskEntry, channel: OutputChannel, log: Pick<LogOutputChannel, 'debug'>) {
    this.token = task.token;
    this.#task = task;
    this.#channel = channel;
    this.#log = log;
    this.#text = new BoundedLog(channel, bounds);
    this.#text.add(`Output of ${task.name} on ${task.connection.name}`);
  }

  show(): void {
    this.#channel.show(true);
  }

  /** Hears the task from now on. Does nothing when it does so already. */
  follow(): void {
    if (this.#states !== undefined) return;
    this.#states = this.#task.connection.onDidChangeState(() => this.#connect());
    this.#connect();
  }

  /** Stops to hear; the text stays. */
  leave(): void {
    this.#states?.dispose();
    this.#states = undefined;
    this.#online = false;
    void this.#unlink();
  }

  dispose(): void {
    this.leave();
    this.#text.dispose();
    this.#channel.dispose();
  }

  #connect(): void {
    const client = this.#task.connection.connected;
    const wasOnline = this.#online;
    this.#online = client !== undefined;
    if (client === undefined) return;
    if (client !== this.#link?.client) this.#listenTo(client);
    else if (!wasOnline) void this.#readPast(client);
  }

  #listenTo(client: MillraceClient): void {
    void this.#unlink();
    const stop = client.listen((event) => this.#heard(event));
    // The client takes it up again by itself after a reconnect.
    const subscription = client.subscribe({ token: this.token }, ['output']);
    const link = { client, stop, subscription };
    this.#link = link;
    this.#held = [];
    subscription
      .then(() => this.#readPast(client))
      .catch((error: unknown) => {
        if (this.#link !== link) return;
        void this.#unlink();
        const gone = error instanceof MillraceError && error.code === 'task_unknown';
        this.#text.add(gone ? 'The server does not have this task any more.' : errorText(error));
      });
  }

  /** Another task has the token now: its numbers begin anew, and the server may not know who listens. */
  async #begin(): Promise<void> {
    this.#lastSeq = 0;
    const client = this.#link?.client;
    await this.#unlink();
    const { connected } = this.#task.connection;
    if (this.#states !== undefined && this.#link === undefined && client === connected && client !== undefined) {
      this.#listenTo(client);
    }
  }

  async #unlink(): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    this.#held = undefined;
    link?.stop();
    await link?.subscription.then((each) => each.dispose()).catch(() => undefined);
  }

  /** What was printed before, or while the connection was lost; then what came meanwhile. */
  async #readPast(client: MillraceClient): Promise<void> {
    this.#held ??= [];
    try {
      let more = true;
      while (more && this.#link?.client === client) more = await this.#readPortion(client);
    } catch (error) {
      // Older servers keep nothing, and a lost connection is followed by another one.
      this.#log.debug(`The past output of ${this.#task.id}: ${errorText(error)}`);
    }
    if (this.#link?.client !== client) return;
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of held) this.#take(event);
  }

  async #readPortion(client: MillraceClient): Promise<boolean> {
    const since = this.#lastSeq;
    const { body } = await client.call('history', { token: this.token, types: ['output'], since });
    if (!isRecord(body) || !Array.isArray(body.events) || typeof body.last !== 'number') return false;
    const { last, newest } = body;
    if (typeof newest === 'number' && newest < since) {
      // The server was started again, and the task with it: its numbers begin anew.
      this.#lastSeq = 0;
      return true;
    }
    if (body.lost !== undefined) this.#text.add('… Earlier output may be missing.');
    for (const each of body.events as unknown[]) if (isRecord(each)) this.#print(each.body);
    this.#lastSeq = Math.max(since, last);
    return typeof newest === 'number' && last < newest && last > since;
  }

  #heard(event: EventMessage): void {
    if (event.event !== 'output' && event.event !== 'apaevt_task') return;
    const id = event.id ?? (isRecord(event.body) ? event.body.__id : undefined);
    if (id !== this.#task.id) return;
    if (this.#held !== undefined) this.#held.push(event);
    else this.#take(event);
  }

  #take({ event, body }: EventMessage): void {
    if (!isRecord(body)) return;
    const { seqNo, action } = body;
    if (event === 'apaevt_task') {
      // The begin of the run that is heard has a number beyond those before it.
      const anew = action === 'begin' && !(typeof seqNo === 'number' && seqNo > this.#lastSeq);
      if (anew || action === 'restart') this.#text.add('— The task was started again. —');
      if (anew) void this.#begin();
      return;
    }
    if (typeof seqNo === 'number') {
      if (seqNo <= this.#lastSeq) return;
      this.#lastSeq = seqNo;
    }
    this.#print(body);
  }

  #print(body: unknown): void {
    if (isRecord(body) && typeof body.output === 'string') this.#text.add(body.output);
  }
}
