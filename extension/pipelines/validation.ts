import type { MillraceClient } from '../../client/typescript/src/index.js';
import { MillraceError } from '../../protocol/errors.js';
import type { Diagnostic, Resolved } from '../../protocol/results.js';
import { firstLine } from '../../pipeline/analysis.js';
import type { Catalogue } from '../../pipeline/catalogue.js';
import { checkDeep } from '../../pipeline/deep.js';
import type { Pipeline } from '../../pipeline/model.js';
import { validateStructure } from '../../pipeline/structure.js';
import { member, nodeAt, rangeOf } from '../../pipeline/syntax/navigation.js';
import type { Range, SyntaxNode } from '../../pipeline/syntax/nodes.js';
import { LineIndex, type Position } from '../../pipeline/syntax/lineIndex.js';
import { parseSyntax } from '../../pipeline/syntax/parser.js';
import { type PipelineFacts, readPipelineText } from './pipelineFile.js';

/** A finding about a pipeline file, with its place in the text. */
export interface Finding {
  readonly severity: Diagnostic['severity'];
  readonly code: string;
  readonly message: string;
  readonly start: Position;
  readonly end: Position;
}

/** What checks the structure of a pipeline: a server, which knows its own providers, or the catalogue alone. */
export type StructureCheck = (
  pipeline: Record<string, unknown>,
  source: string | undefined,
) => Promise<{ readonly diagnostics: Diagnostic[]; readonly resolved?: Resolved | undefined }>;

/** A file with more sources is checked at the first ones only. */
const mostSources = 10;

/**
 * Everything that is wrong with the text of a pipeline file, or likely to be. A pipeline that leaves open where it
 * starts is checked at each of its sources.
 *
 * @throws MillraceError when the check itself fails, for example because the connection is lost
 */
export async function findProblems(
  text: string,
  fileName: string,
  check: StructureCheck,
  catalogue: Catalogue,
): Promise<Finding[]> {
  const reading = readPipelineText(text, fileName);
  if (reading.kind === 'problem') {
    const { message, position } = reading;
    const end = { line: position.line, character: position.character + 1 };
    return [{ severity: 'error', code: 'pipeline_syntax', message, start: position, end }];
  }
  const { sources } = reading;
  const starts = sources.length > 1 ? sources.slice(0, mostSources).map(({ id }) => id) : [undefined];
  const found = await Promise.all(starts.map((source) => checkOne(reading, source, check, catalogue)));
  // What one source does not reach another one may; what is wrong with a component is found from each.
  const all = found.flat().filter(({ code }) => starts.length === 1 || code !== 'unreachable');
  const distinct = [...new Map(all.map((each) => [JSON.stringify([each.code, each.message]), each])).values()];
  const root = pipelineNode(text);
  const lines = new LineIndex(text);
  return distinct.map((diagnostic) => placed(diagnostic, text, lines, root, reading));
}

/** The check of a server. */
export function serverCheck(client: MillraceClient): StructureCheck {
  return (pipeline, source) => client.validate(pipeline, source);
}

/** The check without a server. */
export function localCheck(catalogue: Catalogue): StructureCheck {
  return (pipeline, source) => Promise.resolve(validateStructure(pipeline, catalogue, source));
}

/** The findings that are not shown already, by the language features for example. */
export function withoutKnown(
  findings: readonly Finding[],
  known: readonly { readonly code: string; readonly line: number }[],
): Finding[] {
  const isSyntaxKnown = known.some(({ code }) => code.startsWith('syntax_'));
  return findings.filter(({ code, start }) =>
    code === 'pipeline_syntax' ? !isSyntaxKnown : !known.some((each) => each.code === code && each.line === start.line),
  );
}

/** `2 errors, 1 warning`, or an empty text. */
export function countFindings(findings: readonly Pick<Finding, 'severity'>[]): string {
  const count = (severity: Diagnostic['severity']): string => {
    const number = findings.filter((each) => each.severity === severity).length;
    return number === 0 ? '' : `${number} ${severity}${number === 1 ? '' : 's'}`;
  };
  return [count('error'), count('warning')].filter((each) => each !== '').join(', ');
}

async function checkOne(
  { pipeline }: PipelineFacts,
  source: string | undefined,
  check: StructureCheck,
  catalogue: Catalogue,
): Promise<Diagnostic[]> {
  try {
    const { diagnostics, resolved } = await check(pipeline, source);
    const sound = diagnostics.every(({ severity }) => severity !== 'error');
    const start = resolved?.id ?? source;
    if (!sound || start === undefined || !Array.isArray(pipeline.components)) return diagnostics;
    return [...diagnostics, ...checkDeep(pipeline as unknown as Pipeline, start, catalogue)];
  } catch (thrown) {
    if (!(thrown instanceof MillraceError) || !aboutThePipeline.has(thrown.code)) throw thrown;
    return [{ severity: 'error', code: thrown.code, message: thrown.message, path: ['source'] }];
  }
}

const aboutThePipeline = new Set(['pipeline_invalid', 'source_missing', 'source_ambiguous', 'provider_unknown']);

/** The node of the pipeline itself, without a wrapper around it. */
function pipelineNode(text: string): SyntaxNode | undefined {
  const { root } = parseSyntax(text);
  if (member(root, 'components') !== undefined) return root;
  return member(root, 'pipeline')?.value ?? root;
}

function placed(
  { severity, code, message, path = [], component }: Diagnostic,
  text: string,
  lines: LineIndex,
  root: SyntaxNode | undefined,
  { components }: PipelineFacts,
): Finding {
  const index = path[0] === 'components' && path.length === 2 ? path[1] : undefined;
  const own = components.find((each) => (index === undefined ? each.id === component : each.index === index));
  // About a component as a whole: its id says which one, its braces would mark the screen.
  const whole = path.length === 0 || index !== undefined;
  const range =
    whole && own !== undefined ? { start: own.idStart, end: own.idEnd } : firstLine(text, rangeAt(root, path));
  return { severity, code, message, start: lines.positionAt(range.start), end: lines.positionAt(range.end) };
}

/** A member that is missing is shown at the start of what it is missing in. */
function rangeAt(root: SyntaxNode | undefined, path: readonly (string | number)[]): Range {
  const range = rangeOf(root, path);
  const isThere = nodeAt(root, path) !== undefined || range.end - range.start < 200;
  return isThere ? range : { start: range.start, end: range.start + 1 };
}
