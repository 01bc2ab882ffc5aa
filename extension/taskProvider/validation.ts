import type { MillraceClient } from '../../client/typescript/src/index.js';
import { analyseText, type LocatedDiagnostic } from '../../pipeline/analysis.js';
import type { Catalogue } from '../../pipeline/catalogue.js';
import type { LineIndex } from '../../pipeline/syntax/lineIndex.js';
import { rangeOf, valueOf } from '../../pipeline/syntax/navigation.js';
import type { SyntaxTree } from '../../pipeline/syntax/nodes.js';
import type { Diagnostic } from '../../protocol/results.js';
import { isRecord } from '../../pipeline/values.js';
import { plain } from '../debug/resultText.js';

/**
 * Everything that is wrong with the text of a pipeline, each finding with its place. With a client the server decides
 * about the structure, because it may have components of its own. Never rejects.
 */
export async function findProblems(
  text: string,
  catalogue: Catalogue,
  client: Pick<MillraceClient, 'validate'> | undefined,
): Promise<readonly LocatedDiagnostic[]> {
  const { tree, diagnostics } = analyseText(text, catalogue);
  const pipeline = valueOf(tree.root);
  if (client === undefined || tree.problems.length > 0 || !isRecord(pipeline)) return diagnostics;
  // A server that cannot answer, or says no more than that there is no single source, leaves it to what is known here.
  const answer = await client.validate(pipeline).catch(() => undefined);
  if (answer === undefined) return diagnostics;
  const found = answer.diagnostics.map((diagnostic) => locate(tree, diagnostic));
  if (answer.errors.length > 0) return found;
  const said = new Set(found.map(({ message }) => message));
  const warnings = diagnostics.filter(({ severity, message }) => severity === 'warning' && !said.has(message));
  return [...found, ...warnings].sort((one, other) => one.range.start - other.range.start);
}

/**
 * `file:line:column: severity CODE: message`, as the problem matcher reads it.
 *
 * @param lines of the text that the finding is about
 */
export function problemLine(
  file: string,
  lines: LineIndex,
  { severity, code, message, range }: LocatedDiagnostic,
): string {
  const { line, character } = lines.positionAt(range.start);
  const oneLine = plain(message).replace(/\s*\n\s*/g, ' ');
  return `${file}:${line + 1}:${character + 1}: ${severity} ${code}: ${oneLine}`;
}

/** The server says where by the path in its document, older ones at most by the component. */
function locate({ root }: SyntaxTree, diagnostic: Diagnostic): LocatedDiagnostic {
  return { ...diagnostic, range: rangeOf(root, diagnostic.path ?? []) };
}
