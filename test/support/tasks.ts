import { afterEach } from 'vitest';
import { builtinCatalogue } from '../../engine/components/catalogue.js';
import { ConfigCheck } from '../../engine/server/configCheck.js';
import type { EventBatch, EventScope, EventSink, TaskEvent } from '../../engine/tasks/events.js';
import { makeSampler } from '../../engine/tasks/metrics.js';
import { TaskRegistry } from '../../engine/tasks/registry.js';
import type { Principal } from '../../engine/tasks/service.js';
import type { Task } from '../../engine/tasks/task.js';
import { type PoolOptions, WorkerPool } from '../../engine/tasks/workerPool.js';
import { type Definition, makeCatalogue } from '../../pipeline/catalogue.js';
import { componentsFolder } from './worker.js';

export const alice: Principal = { kind: 'key', keyId: 'alice' };
export const bob: Principal = { kind: 'key', keyId: 'bob' };

/** Remembers every event of every task. */
export class Recorder implements EventSink {
  readonly events: TaskEvent[] = [];
  readonly gone: EventScope[] = [];
  readonly failures: { exitCode: number; exitMessage: string }[] = [];

  wants(): boolean {
    return true;
  }

  emit(event: TaskEvent): void {
    this.events.push(event);
  }

  emitBatch(batch: EventBatch): void {
    this.events.push(...batch.events());
  }

  failed(_scope: EventScope, exitCode: number, exitMessage: string): void {
    this.failures.push({ exitCode, exitMessage });
  }

  removed(scope: EventScope): void {
    this.gone.push(scope);
  }

  /** The bodies of one kind of event. */
  bodies(name: string): Record<string, unknown>[] {
    return this.events
      .filter((event) => event.name === name)
      .map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }
}

function own(id: string, lanes: Definition['lanes'], classType: string[] = ['text']): Definition {
  const control = { takes: {}, offers: [] };
  return { id, title: id, description: '', classType, capabilities: [], lanes, control, config: { type: 'object' } };
}

/** The built-in providers and those of `test/support/components`. */
export function testCatalogue(): ReturnType<typeof makeCatalogue> {
  return makeCatalogue([
    ...builtinCatalogue().all(),
    own('obey', { text: ['text'] }),
    own('produce', { _source: ['tags', 'text'] }, ['source']),
  ]);
}

export interface TestTasks {
  readonly tasks: TaskRegistry;
  readonly sink: Recorder;
  /** Moves the tasks' clock, in seconds. */
  forward(seconds: number): void;
  /** Starts a pipeline of `alice` and gives the task. */
  start(pipeline: object, request?: object): Promise<Task>;
}

/** A registry with real worker processes, ended after each test. Call the result once in a test. */
export function testTasks(options: () => PoolOptions): (sink?: Recorder) => TestTasks {
  const made: TaskRegistry[] = [];
  afterEach(async () => {
    await Promise.all(made.splice(0).map((tasks) => tasks.dispose()));
  });
  return (sink = new Recorder()) => {
    const pool = new WorkerPool(options());
    let ahead = 0;
    const tasks = new TaskRegistry({
      pool,
      sampler: makeSampler(),
      limits: { startMs: 60_000, stallMs: 2_000, stopMs: 1_000 },
      now: () => Date.now() / 1000 + ahead,
      sink,
      planContext: () => ({
        catalogue: testCatalogue(),
        checkConfig: new ConfigCheck().check,
        variables: {},
        componentsFolder,
      }),
    });
    made.push(tasks);
    return {
      tasks,
      sink,
      forward: (seconds) => (ahead += seconds),
      start: async (pipeline, request = {}) => {
        const { token } = await tasks.start(alice, { pipeline, ...request });
        return tasks.find(alice, token);
      },
    };
  };
}

/** webhook → obey → response, on text. */
export function obeyPipeline(config: Record<string, unknown> = {}, projectId = 'project'): object {
  return {
    project_id: projectId,
    source: 'in',
    components: [
      { id: 'in', provider: 'webhook', config: {} },
      { id: 'obey', provider: 'obey', config, input: [{ from: 'in', lane: 'text' }] },
      { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'obey', lane: 'text' }] },
    ],
  };
}

/** Sends a text; gives the parsed result. */
export async function sendText(task: Task, text: string, name?: string): Promise<Record<string, unknown>> {
  const object = name === undefined ? {} : { name };
  const result = await task.send({ object, mimeType: 'text/plain', dialect: 'spec' }, Buffer.from(text));
  return JSON.parse(result) as Record<string, unknown>;
}
