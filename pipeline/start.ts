import { type ErrorCode, isErrorCode, MillraceError } from '../protocol/errors.js';
import type { Diagnostic, Resolved } from '../protocol/results.js';
import type { Catalogue } from './catalogue.js';
import { resolveConfig } from './config.js';
import { unwrapPipeline } from './document.js';
import { buildGraph, type Graph } from './graph.js';
import type { Pipeline, PipelineComponent } from './model.js';
import { checkRunnable } from './runnable.js';
import { resolveSource } from './source.js';
import { validateStructure } from './structure.js';
import { quote } from './values.js';

/** All that is known about a pipeline before any of its components is loaded. */
export interface StartPlan {
  pipeline: Pipeline;
  source: Resolved;
  graph: Graph;
  /** Component id → resolved configuration, of every component that is reached. */
  configs: ReadonlyMap<string, Record<string, unknown>>;
  warnings: string[];
}

/**
 * What starting a pipeline means, or why it cannot start. `value` is the configuration with its variables
 * substituted; any value is accepted. Components that the source does not reach cannot fail the start.
 *
 * @throws MillraceError `source_missing`, `source_ambiguous`, `pipeline_invalid`, `provider_unknown` or
 * `start_failed`; the message has a line for each reason
 */
export function planStart(value: unknown, catalogue: Catalogue, explicitSource?: string): StartPlan {
  const given = unwrapPipeline(value);
  const source = resolveSource(given, explicitSource);
  const structure = validateStructure(given, catalogue, explicitSource);
  const reached = new Set(structure.chain);
  const { components } = given as { components: unknown[] };
  // Without a chain the document was refused as a whole, wherever the cause stands in it.
  const concerning = structure.diagnostics.filter(
    (diagnostic) => reached.size === 0 || concerns(diagnostic, components, reached),
  );
  refuse(concerning, 'pipeline_invalid');
  const pipeline = { ...(given as Pipeline), components: components.filter(isReached(reached)).map(withLinks) };
  const graph = buildGraph(pipeline, source.id);
  const found = checkRunnable(given as Pipeline, graph, catalogue);
  const configs = new Map<string, Record<string, unknown>>();
  for (const component of graph.components.values()) {
    const definition = catalogue.find(component.provider);
    if (definition === undefined) continue;
    const name = `Component ${quote(component.id)}`;
    const note = (severity: Diagnostic['severity'], code: string, text: string): void => {
      found.push({ severity, code, message: `${name}: ${text}`, component: component.id });
    };
    try {
      const { config, warnings } = resolveConfig(definition, component.config);
      configs.set(component.id, config);
      for (const { code, message } of warnings) note('warning', code, message);
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      note('error', error.code, error.message);
    }
  }
  refuse(found, 'start_failed');
  const warnings = found.map(({ message }) => message);
  return { pipeline, source, graph, configs, warnings };
}

/** Whether a structural finding can fail the start: everything but what is said of a component that is not reached. */
function concerns({ path }: Diagnostic, components: readonly unknown[], reached: ReadonlySet<string>): boolean {
  if (path?.[0] !== 'components' || typeof path[1] !== 'number') return true;
  const { id } = (components[path[1]] ?? {}) as { id?: unknown };
  return typeof id !== 'string' || id === '' || reached.has(id);
}

function isReached(reached: ReadonlySet<string>): (component: unknown) => component is PipelineComponent {
  return (component): component is PipelineComponent => reached.has((component as PipelineComponent).id);
}

/** Null stands for absent in a document, and is gone after this. */
function withLinks(component: PipelineComponent): PipelineComponent {
  return { ...component, input: component.input ?? [], control: component.control ?? [] };
}

function refuse(diagnostics: readonly Diagnostic[], fallback: ErrorCode): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return;
  const code = isErrorCode(first.code) ? first.code : fallback;
  const lines = errors.slice(0, 10).map(({ message }) => message);
  if (errors.length > lines.length) lines.push(`and ${errors.length - lines.length} more`);
  throw new MillraceError(code, lines.join('\n'));
}
