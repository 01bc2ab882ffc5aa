import type { TaskSummary, TraceLevel } from '../../protocol/events.js';
import { MillraceError } from '../../protocol/errors.js';
import { emptyStatus, type TaskStatus, TaskState } from '../../protocol/status.js';
import type {
  ObjectRequest,
  OpenPipe,
  Principal,
  RunningTask,
  StartInfo,
  StartRequest,
  TaskService,
} from '../tasks/service.js';

/** What a fake task saw of one object. */
export interface SeenObject {
  request: ObjectRequest;
  /** `send` for one message, `pipe` for an open pipe. */
  way: 'send' | 'pipe';
  bytes: number;
  chunks: number;
  /** The bytes, as far as `keepBytes` of the task allows. */
  data: Buffer;
  /** Most bytes written and not yet taken in at one time. */
  mostPending: number;
  state: 'open' | 'closed' | 'abandoned';
  /** Why it was abandoned. */
  reason?: string;
}

export interface FakeBehaviour {
  /** JSON text of the result; default: an echo of the data as text. */
  result?: (seen: SeenObject) => string;
  /** Awaited before a write or send is taken in; throwing makes it fail. */
  takeIn?: (data: Uint8Array, seen: SeenObject) => Promise<void> | void;
  /** Awaited before a pipe is opened or a send accepted. */
  admit?: () => Promise<void> | void;
}

/** A task that does what its behaviour says and remembers what it saw. */
export class FakeTask implements RunningTask {
  readonly info: StartInfo;
  readonly seen: SeenObject[] = [];
  readonly request: StartRequest;
  readonly keyId: string;
  behaviour: FakeBehaviour;
  /** Bytes of each object that `seen` keeps. */
  keepBytes = 1024 * 1024;
  terminated = false;

  constructor(keyId: string, token: string, request: StartRequest, behaviour: FakeBehaviour) {
    this.keyId = keyId;
    this.request = request;
    this.behaviour = behaviour;
    this.info = {
      id: `${token.slice(0, 8)}.in`,
      token,
      publicToken: `pk_${token}`,
      projectId: 'project',
      source: 'in',
      provider: 'webhook',
    };
  }

  status(): TaskStatus {
    const state = this.terminated ? TaskState.CANCELLED : TaskState.RUNNING;
    return { ...emptyStatus('project', 'in'), state, completed: this.terminated };
  }

  get traceLevel(): TraceLevel {
    return this.request.traceLevel ?? 'none';
  }

  pipeline(): unknown {
    return this.request.pipeline;
  }

  async open(request: ObjectRequest): Promise<OpenPipe> {
    await this.admit();
    const seen = this.begin(request, 'pipe');
    let pending = 0;
    let last: Promise<void> = Promise.resolve();
    return {
      id: this.seen.length - 1,
      write: (...parts) => {
        const data = Buffer.concat(parts);
        pending += data.length;
        seen.mostPending = Math.max(seen.mostPending, pending);
        last = last.then(async () => {
          await this.behaviour.takeIn?.(data, seen);
          this.keep(seen, data);
          pending -= data.length;
        });
        last.catch(() => undefined);
        return last;
      },
      close: async () => {
        await last.catch(() => undefined);
        seen.state = 'closed';
        return this.result(seen);
      },
      abandon: async (reason) => {
        await last.catch(() => undefined);
        seen.state = 'abandoned';
        seen.reason = reason;
      },
    };
  }

  async send(request: ObjectRequest, data: Uint8Array): Promise<string> {
    await this.admit();
    const seen = this.begin(request, 'send');
    await this.behaviour.takeIn?.(data, seen);
    this.keep(seen, data);
    seen.state = 'closed';
    return this.result(seen);
  }

  terminate(): Promise<void> {
    this.terminated = true;
    return Promise.resolve();
  }

  private async admit(): Promise<void> {
    if (this.terminated) throw new MillraceError('task_ended');
    await this.behaviour.admit?.();
  }

  private begin(request: ObjectRequest, way: SeenObject['way']): SeenObject {
    const seen: SeenObject = {
      request,
      way,
      bytes: 0,
      chunks: 0,
      data: Buffer.alloc(0),
      mostPending: 0,
      state: 'open',
    };
    this.seen.push(seen);
    return seen;
  }

  private keep(seen: SeenObject, data: Uint8Array): void {
    seen.bytes += data.length;
    seen.chunks += 1;
    if (seen.data.length < this.keepBytes) seen.data = Buffer.concat([seen.data, data]).subarray(0, this.keepBytes);
  }

  private result(seen: SeenObject): string {
    return this.behaviour.result?.(seen) ?? echoResult(seen);
  }
}

/** The result of an echo pipeline, member by member as the runtime writes it. */
export function echoResult(seen: Pick<SeenObject, 'data' | 'request'>): string {
  const name = String(seen.request.object['name']);
  return JSON.stringify({
    objectId: 'object-1',
    result_types: { text: 'text' },
    text: [`${seen.data.toString('utf8')}\n\n`],
    name,
    path: '',
  });
}

/** A task service in memory: tasks start at once and belong to the key that started them. */
export class FakeTasks implements TaskService {
  readonly tasks = new Map<string, FakeTask>();
  /** Behaviour of the tasks started from now on. */
  behaviour: FakeBehaviour = {};

  start(principal: Principal, request: StartRequest): Promise<StartInfo> {
    const token = request.token ?? `tk_${this.tasks.size}`;
    if (this.tasks.has(token) && request.useExisting !== true) return Promise.reject(new MillraceError('task_exists'));
    const task = this.tasks.get(token) ?? new FakeTask(principal.keyId, token, request, this.behaviour);
    this.tasks.set(token, task);
    return Promise.resolve(task.info);
  }

  restart(principal: Principal, target: { token?: string | undefined }): Promise<StartInfo> {
    return Promise.resolve(this.find(principal, target.token ?? '').info);
  }

  find(principal: Principal, token: string): FakeTask {
    const task = this.tasks.get(token);
    if (task === undefined || task.keyId !== principal.keyId) throw new MillraceError('task_unknown');
    return task;
  }

  findByProject(): FakeTask | undefined {
    return undefined;
  }

  list(principal: Principal): FakeTask[] {
    return [...this.tasks.values()].filter((task) => task.keyId === principal.keyId);
  }

  summaries(): TaskSummary[] {
    return [];
  }

  credential(token: string): Principal | undefined {
    for (const task of this.tasks.values()) {
      if (task.info.token === token) return { kind: 'task', keyId: task.keyId, token };
      if (task.info.publicToken === token) return { kind: 'public', keyId: task.keyId, token: task.info.token };
    }
    return undefined;
  }
}
