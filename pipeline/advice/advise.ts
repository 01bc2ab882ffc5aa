import type { AnalysisMemory } from '../analysisMemory.js';
import type { Catalogue } from '../catalogue.js';
import type { Outline } from '../outline.js';
import { SchemaReader } from '../schema.js';
import type { SourceChoice } from '../source.js';
import type { SyntaxNode, SyntaxTree } from '../syntax/nodes.js';
import { adviseConfig } from './config.js';
import { Advice, type AdviceFinding } from './findings.js';
import { adviseNames, advisePipelineFields } from './names.js';
import type { Written } from './parts.js';
import { Texts } from './texts.js';
import { adviseTogether } from './together.js';

export interface Advised {
  readonly tree: SyntaxTree;
  /** The node and the value of the pipeline, without a wrapper around it. */
  readonly node: SyntaxNode | undefined;
  readonly pipeline: Readonly<Record<string, unknown>>;
  readonly outline: Outline;
  readonly choice: SourceChoice | undefined;
  readonly catalogue: Catalogue;
  readonly environment: ReadonlySet<string> | undefined;
  readonly memory?: AnalysisMemory | undefined;
}

/**
 * Ring 2: what is likely to be wrong. For editors and `lint`; never part of a validation result. Says nothing about what
 * the structural rules have refused, nor about what follows from it. Providers that the catalogue does not know are
 * taken as they are.
 */
export function advise(advised: Advised): readonly AdviceFinding[] {
  const { tree, node, pipeline, outline, choice, catalogue, environment, memory } = advised;
  const { components } = outline;
  const together = adviseTogether(outline, pipeline, choice, catalogue, memory?.together);
  if (memory !== undefined) memory.together = together;
  const { parts } = together;
  const advice = new Advice(together.findings);
  advisePipelineFields(pipeline, advice);
  const schemas = new SchemaReader();
  for (const part of parts.values()) {
    const written = components[part.index] as Written;
    const known = memory?.of(written);
    if (known?.names === true && known.config === true) continue;
    advice.look('names', known, () => adviseNames(part, written, advice));
    advice.look('config', known, () => adviseConfig(part, written, schemas, advice));
  }
  new Texts({ tree, pipeline: node, parts, components, environment, memory }, advice).visit();
  return advice.findings;
}
