import { MillraceError } from '../protocol/errors.js';
import type { Resolved } from '../protocol/results.js';
import { isName, isRecord, quoteList } from './values.js';

export type SourceChoice =
  | { kind: 'found'; id: string; component: Record<string, unknown> }
  /** The id asked for, explicitly or by the pipeline, names no component. */
  | { kind: 'unknown'; id: string }
  | { kind: 'missing' }
  | { kind: 'ambiguous'; candidates: string[] };

/**
 * The entry component: the explicit id, else `source` of the pipeline, else the single component whose `config.mode`
 * is `Source`. Empty strings count as absent. Never throws, whatever the pipeline is.
 */
export function findSource(pipeline: unknown, explicit?: string): SourceChoice {
  const given = isRecord(pipeline) ? pipeline : {};
  const components = Array.isArray(given.components) ? given.components.filter(isRecord) : [];
  const wanted = isName(explicit) ? explicit : isName(given.source) ? given.source : undefined;
  if (wanted !== undefined) {
    const component = components.find(({ id }) => id === wanted);
    return component === undefined ? { kind: 'unknown', id: wanted } : { kind: 'found', id: wanted, component };
  }
  const implied = new Map<string, Record<string, unknown>>();
  for (const component of components) {
    const { id, config } = component;
    if (isName(id) && !implied.has(id) && isRecord(config) && config.mode === 'Source') implied.set(id, component);
  }
  const [first] = implied;
  if (first === undefined) return { kind: 'missing' };
  if (implied.size > 1) return { kind: 'ambiguous', candidates: [...implied.keys()] };
  return { kind: 'found', id: first[0], component: first[1] };
}

/**
 * The entry component of a pipeline that is to be started.
 *
 * @throws MillraceError `pipeline_invalid`, `source_missing` or `source_ambiguous`
 */
export function resolveSource(pipeline: unknown, explicit?: string): Resolved {
  if (!isRecord(pipeline) || !Array.isArray(pipeline.components)) {
    throw new MillraceError('pipeline_invalid', 'Invalid components in pipeline');
  }
  const choice = findSource(pipeline, explicit);
  switch (choice.kind) {
    case 'missing':
      throw new MillraceError('source_missing');
    case 'ambiguous':
      throw ambiguous(choice.candidates);
    case 'unknown':
      throw new MillraceError('pipeline_invalid', unknownSource(choice.id));
    case 'found': {
      const { provider } = choice.component;
      if (isName(provider)) return { id: choice.id, provider };
      throw new MillraceError('pipeline_invalid', `Source ${quoteList([choice.id])} not found in pipeline`, {
        hint: 'Give the source component a "provider".',
      });
    }
  }
}

export function ambiguous(candidates: readonly string[]): MillraceError {
  return new MillraceError(
    'source_ambiguous',
    `Pipeline has multiple source components, please specify one explicitly: ${quoteList(candidates)}`,
  );
}

export function unknownSource(id: string): string {
  return `Pipeline source component ${quoteList([id])} not found in components list`;
}
