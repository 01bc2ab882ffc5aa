import { randomUUID } from 'node:crypto';
import { MillraceError } from '../../protocol/errors.js';
import { limits } from '../../protocol/limits.js';
import type { Catalogue, Definition } from '../../pipeline/catalogue.js';
import { checkJson, unwrapPipeline } from '../../pipeline/document.js';
import { substitute } from '../../pipeline/environment.js';
import type { Graph } from '../../pipeline/graph.js';
import type { Lane } from '../../pipeline/model.js';
import { planStart } from '../../pipeline/start.js';
import type { ControlOffers } from '../runtime/component.js';
import type { StartMessage } from '../worker/messages.js';
import type { StartRequest } from './service.js';

/** What a start needs to know of the server. */
export interface PlanContext {
  readonly catalogue: Catalogue;
  /** Checks a resolved configuration against the provider's schema; gives the problems. */
  readonly checkConfig: (definition: Definition, config: Record<string, unknown>) => string[];
  /** Variables for substitution, weaker than the caller's. */
  readonly variables: Readonly<Record<string, string>>;
  readonly componentsFolder: string | undefined;
}

/** A start that has passed every check: the message for the worker, and how the task is called. */
export interface TaskPlan {
  message: StartMessage;
  projectId: string;
  source: { id: string; provider: string; label: string };
  name: string;
  description: string;
  warnings: string[];
}

/**
 * Checks a pipeline for a start and puts it into the worker's terms.
 *
 * @param identity of a task that restarts; it wins over what the pipeline says
 * @throws MillraceError that says which component cannot run, why, and what to do
 */
export function planTask(
  request: StartRequest,
  context: PlanContext,
  identity?: { projectId: string; source: string },
): TaskPlan {
  const given = unwrapPipeline(request.pipeline);
  checkJson(given);
  const { value } = substitute(given, { ...context.variables, ...request.env }, { redactOthers: true });
  const { pipeline, source, graph, configs, warnings } = planStart(
    value,
    context.catalogue,
    identity?.source ?? request.source,
  );
  const order = controlledFirst(graph);
  const index = new Map(order.map((id, position) => [id, position]));
  const at = (id: string): number => index.get(id) ?? 0;
  const components = order.map((id) => {
    const definition = context.catalogue.find(graph.components.get(id)?.provider ?? '');
    const config = configs.get(id);
    if (definition === undefined || config === undefined) {
      throw new MillraceError('provider_unknown', `Component "${id}" has no provider that can run`);
    }
    const problems = context.checkConfig(definition, config);
    if (problems.length > 0) {
      throw new MillraceError('start_failed', `Component "${id}" (${definition.id}): ${problems.join('; ')}`, {
        hint: 'Correct the configuration of the component.',
      });
    }
    return { id, provider: definition.id, config };
  });
  const projectId = identity?.projectId ?? (text(pipeline.project_id) || randomUUID());
  const first = graph.components.get(source.id);
  return {
    message: {
      projectId,
      source: at(source.id),
      components,
      links: edges(graph.links).map(({ from, kind, to }) => ({ from: at(from), lane: kind as Lane, to: at(to) })),
      controls: edges(graph.controls).map(({ from, kind, to }) => ({
        from: at(from),
        classType: kind as keyof ControlOffers,
        to: at(to),
      })),
      threads: request.threads ?? limits.defaultThreads,
      args: request.args ?? [],
      traceLevel: request.traceLevel ?? 'none',
      componentsFolder: context.componentsFolder,
    },
    projectId,
    source: {
      id: source.id,
      provider: components[at(source.id)]?.provider ?? source.provider,
      label: text(first?.name) || text(first?.config.name) || source.id,
    },
    name: request.name || text(pipeline.name),
    description: text(pipeline.description),
    warnings,
  };
}

/** Controlled components must be open before anything can ask them. */
function controlledFirst({ order, links, controls }: Graph): string[] {
  const receiving = new Set(edges(links).map(({ to }) => to));
  // One that also takes data must flush after what sends it data, so it keeps its place.
  const first = new Set(
    edges(controls)
      .map(({ to }) => to)
      .filter((id) => !receiving.has(id)),
  );
  return [...order.filter((id) => first.has(id)), ...order.filter((id) => !first.has(id))];
}

function edges(map: Graph['links']): { from: string; kind: string; to: string }[] {
  return [...map].flatMap(([from, byKind]) =>
    [...byKind].flatMap(([kind, receivers]) => receivers.map((to) => ({ from, kind, to }))),
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
