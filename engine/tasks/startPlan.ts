import { randomUUID } from 'node:crypto';
import { MillraceError } from '../../protocol/errors.js';
import type { TraceLevel } from '../../protocol/events.js';
import { limits } from '../../protocol/limits.js';
import type { Diagnostic } from '../../protocol/results.js';
import type { Catalogue, Definition } from '../../pipeline/catalogue.js';
import { resolveConfig } from '../../pipeline/config.js';
import { checkJson, unwrapPipeline } from '../../pipeline/document.js';
import { substitute } from '../../pipeline/environment.js';
import { buildGraph } from '../../pipeline/graph.js';
import type { Lane, Pipeline } from '../../pipeline/model.js';
import { checkRunnable } from '../../pipeline/runnable.js';
import { resolveSource } from '../../pipeline/source.js';
import { validateStructure } from '../../pipeline/structure.js';
import type { ControlOffers } from '../runtime/component.js';
import type { StartMessage } from '../worker/messages.js';
import type { StartRequest } from './service.js';

/** What the planner needs to know of the server. */
export interface PlanContext {
  readonly catalogue: Catalogue;
  /** Checks a resolved configuration against the provider's schema. */
  readonly checkConfig: (definition: Definition, config: Record<string, unknown>) => string[];
  /** Variables for substitution, weaker than the caller's. */
  readonly variables: Readonly<Record<string, string>>;
  readonly componentsFolder: string | undefined;
}

/** Ring 3 passed: everything a worker needs to run the pipeline. */
export interface StartPlan {
  message: StartMessage;
  projectId: string;
  source: { id: string; provider: string; label: string };
  name: string;
  description: string;
  warnings: string[];
}

/**
 * Checks a pipeline for a start and plans it.
 *
 * @param identity of a task that restarts; it wins over what the pipeline says
 * @throws MillraceError that says which component cannot run, why, and what to do
 */
export function planStart(
  request: StartRequest,
  context: PlanContext,
  identity?: { projectId: string; source: string },
): StartPlan {
  const raw = unwrapPipeline(request.pipeline);
  checkJson(raw);
  const wanted = identity?.source ?? request.source;
  const { value } = substitute(raw, { ...context.variables, ...request.env }, { redactOthers: true });
  const resolved = resolveSource(value, wanted);
  refuse(validateStructure(value, context.catalogue, resolved.id).diagnostics, 'pipeline_invalid');
  const pipeline = value as Pipeline;
  const graph = buildGraph(pipeline, resolved.id);
  const findings = checkRunnable(pipeline, graph, context.catalogue);
  refuse(findings, 'start_failed');
  const warnings = findings.map((finding) => finding.message);

  // Controlled components come first: they must be open before anything can ask them.
  const controlled = new Set([...graph.controls.values()].flatMap((byType) => [...byType.values()].flat()));
  const order = [...graph.order.filter((id) => controlled.has(id)), ...graph.order.filter((id) => !controlled.has(id))];
  const index = new Map(order.map((id, position) => [id, position]));
  const components = order.map((id) => {
    const component = graph.components.get(id);
    const definition = component === undefined ? undefined : context.catalogue.find(component.provider);
    if (component === undefined || definition === undefined) {
      throw new MillraceError('provider_unknown', `Component "${id}" has no provider that can run`);
    }
    const { config, warnings: leniencies } = resolveConfig(definition, component.config);
    warnings.push(...leniencies.map((text) => `${id}: ${text}`));
    const problems = context.checkConfig(definition, config);
    if (problems.length > 0) {
      throw new MillraceError('start_failed', `Component "${id}" (${definition.id}): ${problems.join('; ')}`, {
        hint: 'Correct the configuration of the component.',
      });
    }
    return { id, provider: definition.id, config };
  });

  const projectId = identity?.projectId ?? (text(pipeline.project_id) || randomUUID());
  const sourceComponent = graph.components.get(resolved.id);
  const label = text(sourceComponent?.name) || text(sourceComponent?.config.name) || resolved.id;
  return {
    message: {
      projectId,
      source: index.get(resolved.id) ?? 0,
      components,
      links: [...graph.links].flatMap(([from, byLane]) =>
        [...byLane].flatMap(([lane, receivers]) =>
          receivers.map((to) => ({ from: index.get(from) ?? 0, lane: lane as Lane, to: index.get(to) ?? 0 })),
        ),
      ),
      controls: [...graph.controls].flatMap(([from, byType]) =>
        [...byType].flatMap(([classType, used]) =>
          used.map((to) => ({
            from: index.get(from) ?? 0,
            classType: classType as keyof ControlOffers,
            to: index.get(to) ?? 0,
          })),
        ),
      ),
      threads: request.threads ?? limits.defaultThreads,
      args: request.args ?? [],
      traceLevel: request.traceLevel ?? ('none' satisfies TraceLevel),
      componentsFolder: context.componentsFolder,
    },
    projectId,
    source: {
      id: resolved.id,
      provider: components[index.get(resolved.id) ?? 0]?.provider ?? resolved.provider,
      label,
    },
    name: request.name ?? '',
    description: text(pipeline.description),
    warnings,
  };
}

function refuse(diagnostics: readonly Diagnostic[], code: 'pipeline_invalid' | 'start_failed'): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const shown = errors.slice(0, 5).map(({ message }) => message);
  if (errors.length > shown.length) shown.push(`and ${errors.length - shown.length} more`);
  throw new MillraceError(code, shown.join('\n'));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
