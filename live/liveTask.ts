import { isRecord } from '../pipeline/values.js';
import { unwrapPipeline } from '../pipeline/document.js';
import { traceLevels } from '../protocol/events.js';
import type { LiveComponent, LiveTask } from '../protocol/liveView.js';
import type { TaskStatus } from '../protocol/status.js';

/** What the host knows of a task besides what the server says. */
export type TaskFacts = Pick<LiveTask, 'token' | 'connection' | 'traceLevel' | 'hasFile'>;

/**
 * The task as the view shows it. `answer` is what the server says about its pipeline, which was written by people and is
 * not to be trusted: `{pipeline, pipelineTraceLevel?}`. Servers that leave the level out leave it to `facts`.
 */
export function describeTask(answer: unknown, status: TaskStatus, facts: TaskFacts): LiveTask {
  const { pipeline, pipelineTraceLevel }: Record<string, unknown> = isRecord(answer) ? answer : {};
  const document: unknown = unwrapPipeline(pipeline);
  const root = isRecord(document) ? document : {};
  const components = Array.isArray(root.components) ? root.components.filter(isRecord) : [];
  return {
    type: 'task',
    ...facts,
    traceLevel: traceLevels.find((level) => level === pipelineTraceLevel) ?? facts.traceLevel,
    name: text(root.name) || text(status.name) || text(status.source),
    projectId: text(status.project_id) || text(root.project_id),
    source: text(status.source) || text(root.source),
    components: components.flatMap(describeComponent),
  };
}

function describeComponent(component: Record<string, unknown>): LiveComponent[] {
  const id = text(component.id);
  if (id === '') return [];
  const inputs = links(component.input).map(({ from, lane }) => ({ from: text(from), lane: text(lane) }));
  const controls = links(component.control).map(({ from, classType }) => ({
    from: text(from),
    classType: text(classType),
  }));
  return [{ id, provider: text(component.provider), title: text(component.name) || id, inputs, controls }];
}

function links(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
