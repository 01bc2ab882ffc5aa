import { member } from './syntax/navigation.js';
import type { Range, SyntaxNode, SyntaxProblemCode, SyntaxTree } from './syntax/nodes.js';
import type { Path } from './values.js';

/** What this file looks at in a finding. */
interface Found {
  readonly code: string;
  readonly range: Range;
  readonly path?: Path;
  readonly related?: readonly { readonly range: Range }[];
}

/** After these nobody knows what belongs to what. */
const shattering: ReadonlySet<SyntaxProblemCode> = new Set([
  'object_unclosed',
  'array_unclosed',
  'string_unclosed',
  'comment_unclosed',
  'text_after_end',
  'too_deep',
]);

/** Findings that a component which is being written would change. */
const dependent: ReadonlySet<string> = new Set([
  'components_empty',
  'control_missing',
  'from_unknown',
  'id_duplicate',
  'no_response',
  'source_ambiguous',
  'source_missing',
  'source_not_source',
  'source_unknown',
  'unreachable',
]);

/**
 * In a text that is no JSON5 yet: which findings hold nevertheless, because they are about components in which nothing is
 * broken. Undefined when none can be trusted.
 */
export function intactComponents({ root, problems }: SyntaxTree): ((finding: Found) => boolean) | undefined {
  if (problems.length === 0) return () => true;
  if (problems.some(({ code }) => shattering.has(code))) return undefined;
  const pipeline = member(root, 'components') === undefined ? member(root, 'pipeline')?.value : root;
  const list = member(pipeline, 'components')?.value;
  if (list?.kind !== 'array') return undefined;
  const broken: SyntaxNode[] = [];
  for (const { code, start } of problems) {
    const around = list.items.find((item) => item.start <= start && start < item.end);
    if (around?.kind === 'object') broken.push(around);
    else if (code !== 'comma_expected' && code !== 'comma_unexpected') return undefined;
  }
  const isBroken = (at: number): boolean => broken.some(({ start, end }) => start <= at && at <= end);
  return ({ code, range, path, related = [] }) => {
    if (dependent.has(code) || isBroken(range.start)) return false;
    if (path !== undefined && !path.includes('components')) return false;
    return related.every((each) => !isBroken(each.range.start));
  };
}
