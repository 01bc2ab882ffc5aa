import type { Catalogue } from '../catalogue.js';
import type { Outline } from '../outline.js';
import type { SourceChoice } from '../source.js';
import { Advice, type AdviceFinding } from './findings.js';
import { adviseFlow } from './flow.js';
import { adviseLinks } from './links.js';
import { adviseIds } from './names.js';
import { type Part, partsOf } from './parts.js';

/** The components of a pipeline as they see each other, and what is to be said about that. */
export interface Together {
  readonly ids: Outline['ids'];
  /** Which component the pipeline starts at, and why. */
  readonly start: string;
  readonly parts: ReadonlyMap<string, Part>;
  /** All by path, so that they hold wherever the components stand in the text. */
  readonly findings: readonly AdviceFinding[];
}

/**
 * Ids, flow and links. While somebody writes inside a component they are what they were.
 *
 * @param before of the version before, with the same catalogue
 */
export function adviseTogether(
  outline: Outline,
  pipeline: Readonly<Record<string, unknown>>,
  choice: SourceChoice | undefined,
  catalogue: Catalogue,
  before?: Together,
): Together {
  const start = JSON.stringify([pipeline.source, startOf(choice)]);
  if (before?.ids === outline.ids && before.start === start) return before;
  const parts = partsOf(outline, catalogue);
  const advice = new Advice();
  adviseIds(parts, advice);
  adviseFlow(parts, choice, pipeline, advice);
  adviseLinks(parts, advice);
  return { ids: outline.ids, start, parts, findings: advice.findings };
}

function startOf(choice: SourceChoice | undefined): unknown {
  return choice?.kind === 'found' ? { id: choice.id } : choice;
}
