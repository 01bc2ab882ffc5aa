import { TaskState, type TaskStatus, emptyStatus } from '../../../protocol/status.js';
import { createError } from '../src/errors.js';
import type { Answer, Call, FakeServer } from './fakeServer.js';

interface FakeTask {
  token: string;
  pipeline: Record<string, unknown>;
  status: TaskStatus;
}

interface FakePipe {
  token: string;
  object: Record<string, unknown>;
  parts: Uint8Array[];
}

/** Gives a fake server tasks whose pipelines return the text they are sent, and a file store. */
export class FakeEngine {
  readonly tasks = new Map<string, FakeTask>();
  readonly pipes = new Map<unknown, FakePipe>();
  readonly files = new Map<string, Uint8Array>();
  /** Objects that were given up: what `abandon` said. */
  readonly abandoned: { object: Record<string, unknown>; reason: unknown }[] = [];
  mostPipes = 0;
  readonly #handles = new Map<string, { path: string; parts: Uint8Array[] }>();
  #count = 0;

  constructor(server: FakeServer) {
    server.on('execute', ({ args }) => this.#execute(args));
    server.on('terminate', ({ args }) => this.#terminate(args));
    server.on('process', (call) => this.#process(call));
    server.on('get_task_status', ({ args }) => ({ ...this.#task(args).status }));
    server.on('get_tasks', () => ({ tasks: [...this.tasks.values()].map(listing) }));
    server.on('monitor', ({ args }) => {
      if (args.token !== undefined && args.token !== '*') this.#task(args);
      return undefined;
    });
    server.on('store', (call) => this.#store(call));
  }

  #execute(args: Record<string, unknown>): Answer {
    const pipeline = args.pipeline as Record<string, unknown>;
    const token = typeof args.token === 'string' ? args.token : `tk_${++this.#count}`;
    if (this.tasks.has(token) && args.useExisting !== true) throw createError('task_exists');
    const status = emptyStatus(text(pipeline.project_id), text(pipeline.source));
    Object.assign(status, { state: TaskState.RUNNING, name: args.name ?? '', status: 'Running', serviceUp: true });
    this.tasks.set(token, { token, pipeline, status });
    return { token, id: `${token.replace(/^tk_/, '').slice(0, 8)}.source`, publicToken: 'pk_1' };
  }

  #terminate(args: Record<string, unknown>): Answer {
    const task = this.#task(args);
    Object.assign(task.status, { state: TaskState.CANCELLED, completed: true, status: 'Stopped' });
    return undefined;
  }

  #task(args: Record<string, unknown>): FakeTask {
    const task = this.tasks.get(args.token as string);
    if (task === undefined) throw createError('task_unknown');
    return task;
  }

  #process({ args, data }: Call): Answer {
    const task = this.#task(args);
    if (task.status.completed) throw createError('task_ended');
    const object = (args.object ?? {}) as Record<string, unknown>;
    if (args.subcommand === 'send') return this.#result(task, object, [data ?? new Uint8Array()]);
    if (args.subcommand === 'open') return this.#open(args, object);
    const id = args.pipe ?? args.pipe_id;
    const pipe = this.pipes.get(id);
    if (args.subcommand === 'abandon') {
      if (pipe !== undefined) this.abandoned.push({ object: pipe.object, reason: args.reason });
      this.pipes.delete(id);
      return undefined;
    }
    if (pipe === undefined) throw createError('pipe_not_found');
    if (args.subcommand === 'write') {
      if (data !== undefined) pipe.parts.push(data);
      return undefined;
    }
    this.pipes.delete(id);
    return this.#result(task, pipe.object, pipe.parts);
  }

  #open(args: Record<string, unknown>, object: Record<string, unknown>): Answer {
    if (args.provider === 'refused') throw createError('pipe_failed', 'You are looking for another pipeline');
    const number = this.#count++;
    this.pipes.set(args.pipe ?? number, { token: text(args.token), object, parts: [] });
    this.mostPipes = Math.max(this.mostPipes, this.pipes.size);
    return { pipe_id: number };
  }

  #result(task: FakeTask, object: Record<string, unknown>, parts: Uint8Array[]): Answer {
    const text = parts.map((part) => new TextDecoder().decode(part)).join('|');
    const name = typeof object.name === 'string' ? object.name : 'unnamed';
    const failed = name.startsWith('bad') ? { error: { message: `${name} is broken`, code: 'component_failed' } } : {};
    task.status.completedCount += 1;
    return { objectId: `id-${name}`, name, path: '', result_types: { text: 'text' }, text: [text], ...failed };
  }

  #store({ args, data }: Call): Answer {
    const path = text(args.path);
    switch (args.subcommand) {
      case 'fs_open':
        return this.#openFile(path, args.mode === 'w');
      case 'fs_read': {
        const { parts } = this.#handle(args);
        const offset = Number(args.offset);
        const payload = (parts[0] ?? new Uint8Array()).subarray(offset, offset + Number(args.length));
        return { body: { size: payload.length }, payload };
      }
      case 'fs_write':
        this.#handle(args).parts.push(data ?? new Uint8Array());
        return { bytesWritten: data?.length ?? 0 };
      case 'fs_close': {
        const { path: file, parts } = this.#handle(args);
        if (args.mode === 'w') this.files.set(file, Buffer.concat(parts));
        return undefined;
      }
      case 'fs_list_dir':
        return { entries: [...this.files].map(([name, bytes]) => ({ name, type: 'file', size: bytes.length })) };
      case 'fs_stat':
        return this.files.has(path)
          ? { exists: true, type: 'file', size: this.files.get(path)?.length }
          : { exists: false };
      case 'fs_delete':
        if (!this.files.delete(path)) throw createError('file_not_found', `File not found: ${path}`);
        return undefined;
      default:
        return undefined;
    }
  }

  #openFile(path: string, write: boolean): Answer {
    const stored = this.files.get(path);
    if (!write && stored === undefined) throw createError('file_not_found', `File not found: ${path}`);
    const handle = `h${++this.#count}`;
    this.#handles.set(handle, { path, parts: write || stored === undefined ? [] : [stored] });
    return { handle };
  }

  #handle(args: Record<string, unknown>): { path: string; parts: Uint8Array[] } {
    const open = this.#handles.get(text(args.handle));
    if (open === undefined) throw createError('store_failed', 'Invalid handle');
    return open;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listing({ token, pipeline, status }: FakeTask): Record<string, unknown> {
  return { name: status.name, description: '', source: status.source, token, status: status.status, pipeline };
}
