import type { ValidationOutcome } from '../protocol/dialect.js';
import { MillraceError } from '../protocol/errors.js';
import type { Diagnostic } from '../protocol/results.js';
import type { AnalysisMemory } from './analysisMemory.js';
import type { Catalogue, Definition } from './catalogue.js';
import { ComponentRules } from './componentRules.js';
import { resolveConfig } from './config.js';
import { findJsonProblem, isWrapped } from './document.js';
import { Findings } from './findings.js';
import { buildGraph } from './graph.js';
import type { Pipeline } from './model.js';
import { type Outline, outlineOf } from './outline.js';
import { ambiguous, findSource, type SourceChoice, unknownSource } from './source.js';
import { isAbsent, isName, isRecord, type Path, quote } from './values.js';

/** What is said about the structure of any value, and which component it starts at. */
export interface StructureReading {
  readonly diagnostics: Diagnostic[];
  /** The document without a wrapper around it; undefined when it was refused as a whole. */
  readonly pipeline: Record<string, unknown> | undefined;
  readonly outline: Outline;
  /** The components as far as they are sound. */
  readonly sound: Pipeline;
  /** Undefined when there are no components to choose from. */
  readonly choice: SourceChoice | undefined;
}

/**
 * Ring 1: the structure of a pipeline. Every violation is a diagnostic with code, message and JSON path. Lane
 * compatibility, cycles and planned providers are matters of the start, see runnable.ts. Accepts any value.
 *
 * @throws MillraceError `source_ambiguous` when several components could be the source and none is chosen
 */
export function validateStructure(value: unknown, catalogue: Catalogue, source?: string): ValidationOutcome {
  const { diagnostics, pipeline, sound, choice } = checkStructure(value, catalogue, source);
  const outcome = (id: string | undefined): ValidationOutcome => ({
    diagnostics,
    chain: [],
    pipeline: describePipeline(pipeline ?? {}, pipeline === undefined ? '' : id),
  });
  switch (choice?.kind) {
    case 'ambiguous':
      throw ambiguous(choice.candidates);
    case 'unknown':
      return outcome(choice.id);
    case 'found': {
      const { provider } = choice.component;
      return {
        ...outcome(choice.id),
        ...(isName(provider) ? { resolved: { id: choice.id, provider } } : {}),
        chain: [...buildGraph(sound, choice.id).order],
      };
    }
    default:
      return outcome(source);
  }
}

/** The same for whoever goes on with what is sound. That several components could be the source is no diagnostic. */
export function checkStructure(
  value: unknown,
  catalogue: Catalogue,
  source?: string,
  memory?: AnalysisMemory,
): StructureReading {
  const findings = new Findings();
  const { diagnostics } = findings;
  const refused = {
    diagnostics,
    pipeline: undefined,
    outline: outlineOf([]),
    sound: { components: [] },
    choice: undefined,
  };
  const root: Path = isWrapped(value) ? ['pipeline'] : [];
  const levels = root.length;
  const isKnown = memory && ((part: object): boolean => memory.find(part)?.jsonLevels === levels);
  const problem = findJsonProblem(value, { isKnown });
  if (problem !== undefined) {
    findings.error(problem.code, `Pipeline: ${problem.message}`, problem.path);
    return refused;
  }
  const pipeline = isWrapped(value) ? value.pipeline : value;
  if (!isRecord(pipeline)) {
    findings.error('pipeline_not_object', 'The pipeline must be an object with "components"', root);
    return refused;
  }
  checkFields(pipeline, root, findings);
  if (!Array.isArray(pipeline.components)) {
    const message = 'Invalid components in pipeline: "components" must be an array of components';
    findings.error('components_invalid', message, [...root, 'components']);
    return { ...refused, pipeline };
  }
  if (memory !== undefined)
    for (const component of pipeline.components) if (isRecord(component)) memory.of(component).jsonLevels = levels;
  const components = [...root, 'components'];
  const outline = outlineOf(pipeline.components, memory?.outline);
  if (memory !== undefined) memory.outline = outline;
  const rules = new ComponentRules(findings, catalogue, outline.ids, memory);
  const sound = rules.checkAll(pipeline.components, components);
  const choice = findSource(pipeline, source);
  if (choice.kind === 'missing') {
    findings.error('source_missing', new MillraceError('source_missing').message, [...root, 'source']);
  } else if (choice.kind === 'unknown') {
    findings.error('source_unknown', unknownSource(choice.id), [...root, 'source']);
  }
  return { diagnostics, pipeline, outline, sound, choice };
}

/** A check of the resolved configuration against the schema of the definition; the messages of what is wrong. */
export type CheckConfig = (definition: Definition, config: Record<string, unknown>) => string[];

/**
 * A single component, without the pipeline around it: the ids it refers to are not checked. Nothing is loaded,
 * connected or read. Never throws.
 */
export function validateComponent(value: unknown, catalogue: Catalogue, checkConfig?: CheckConfig): ValidationOutcome {
  const findings = new Findings();
  const { diagnostics } = findings;
  const problem = findJsonProblem(value);
  if (problem !== undefined) {
    findings.error(problem.code, `Component: ${problem.message}`, problem.path);
    return { diagnostics, chain: [] };
  }
  const component = new ComponentRules(findings, catalogue, undefined).check(value, []);
  if (!isRecord(value) || component === undefined) return { diagnostics, chain: [], component: value };
  const definition = catalogue.find(component.provider);
  const known = definition ?? catalogue.planned(component.provider);
  if (definition !== undefined && diagnostics.length === 0) {
    for (const { code, message } of configProblems(definition, component.config, checkConfig)) {
      findings.error(code, `Component ${quote(component.id)}: ${message}`, ['config'], component.id);
    }
  }
  if (known?.classType.includes('source') !== true) return { diagnostics, chain: [], component: value };
  const config = { ...component.config, mode: 'Source', type: component.provider };
  return { diagnostics, chain: [], component: { ...value, config } };
}

function configProblems(
  definition: Definition,
  config: Record<string, unknown>,
  checkConfig?: CheckConfig,
): { code: string; message: string }[] {
  try {
    const resolved = resolveConfig(definition, config).config;
    return (checkConfig?.(definition, resolved) ?? []).map((message) => ({ code: 'config_invalid', message }));
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    return [{ code: 'profile_unknown', message: error.message }];
  }
}

/** The pipeline member of a validation result. */
function describePipeline(pipeline: Record<string, unknown>, source: string | undefined): Record<string, unknown> {
  const { components, project_id: projectId, version } = pipeline;
  return {
    components: Array.isArray(components) ? (components as unknown[]) : [],
    source: isName(source) ? source : isName(pipeline.source) ? pipeline.source : '',
    project_id: typeof projectId === 'string' ? projectId : '',
    version: typeof version === 'number' ? version : 1,
  };
}

function checkFields(pipeline: Record<string, unknown>, root: Path, findings: Findings): void {
  for (const field of ['name', 'description', 'project_id'] as const) {
    if (isAbsent(pipeline[field]) || typeof pipeline[field] === 'string') continue;
    findings.warning('field_type', `The pipeline's "${field}" should be a string; it is ignored`, [...root, field]);
  }
  if (!isAbsent(pipeline.source) && typeof pipeline.source !== 'string') {
    findings.error('source_invalid', 'The pipeline\'s "source" must be the id of a component', [...root, 'source']);
  }
  const { version } = pipeline;
  if (!isAbsent(version) && !(Number.isInteger(version) && (version as number) >= 1)) {
    findings.error('version_invalid', 'The pipeline\'s "version" must be a whole number, 1 or more', [
      ...root,
      'version',
    ]);
  }
}
