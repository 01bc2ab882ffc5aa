import type { AnalysisMemory } from '../analysisMemory.js';
import type { Catalogue } from '../catalogue.js';
import type { SourceChoice } from '../source.js';
import type { SyntaxNode, SyntaxTree } from '../syntax/nodes.js';
import { adviseConfig } from './config.js';
import { Advice, type AdviceFinding } from './findings.js';
import { adviseFlow } from './flow.js';
import { adviseLinks } from './links.js';
import { adviseNames } from './names.js';
import { partsOf } from './parts.js';
import { adviseTexts } from './texts.js';

export interface Advised {
  readonly tree: SyntaxTree;
  /** The node and the value of the pipeline, without a wrapper around it. */
  readonly node: SyntaxNode | undefined;
  readonly pipeline: Readonly<Record<string, unknown>>;
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
  const { tree, node, pipeline, choice, catalogue, environment, memory } = advised;
  const advice = new Advice(memory);
  const parts = partsOf(pipeline, catalogue);
  adviseNames(pipeline, parts, advice);
  adviseFlow(parts, choice, pipeline, advice);
  adviseLinks(parts, advice);
  adviseConfig(parts, advice);
  if (tree.root !== undefined) adviseTexts(tree.root, node, parts, environment, tree.text, advice);
  return advice.findings;
}
