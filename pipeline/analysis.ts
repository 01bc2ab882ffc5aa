import { MillraceError } from '../protocol/errors.js';
import type { Diagnostic } from '../protocol/results.js';
import type { Catalogue } from './catalogue.js';
import { checkDeep } from './deep.js';
import { isWrapped, unwrapPipeline } from './document.js';
import type { Pipeline } from './model.js';
import { validateStructure } from './structure.js';
import { rangeOf, valueOf } from './syntax/navigation.js';
import type { Range, SyntaxTree } from './syntax/nodes.js';
import { parseSyntax } from './syntax/parser.js';

export interface LocatedDiagnostic extends Diagnostic {
  readonly range: Range;
}

/**
 * Everything that can be said about the text of a pipeline without running it, each finding with its place. Never throws.
 * Codes of the text itself begin with `syntax_`; the others are those of `validate` and of the warnings, which come only
 * where there are no errors. In the order of the text.
 *
 * @param source the component to start at, when the file leaves it open
 */
export function analyseText(text: string, catalogue: Catalogue, source?: string): LocatedDiagnostic[] {
  return analyseTree(parseSyntax(text), catalogue, source);
}

/** The same of a text that has been read already. */
export function analyseTree(tree: SyntaxTree, catalogue: Catalogue, source?: string): LocatedDiagnostic[] {
  const diagnostics = tree.problems.length > 0 ? syntaxProblems(tree) : locate(tree, check(tree, catalogue, source));
  return diagnostics.sort((a, b) => a.range.start - b.range.start);
}

function syntaxProblems({ problems }: SyntaxTree): LocatedDiagnostic[] {
  return problems.map(({ code, message, start, end }) => ({
    severity: 'error',
    code: `syntax_${code}`,
    message,
    range: { start, end },
  }));
}

function check({ root }: SyntaxTree, catalogue: Catalogue, source: string | undefined): Diagnostic[] {
  const value = valueOf(root);
  try {
    const { diagnostics, resolved } = validateStructure(value, catalogue, source);
    const sound = diagnostics.every(({ severity }) => severity !== 'error');
    if (!sound || resolved === undefined) return [...diagnostics];
    const outer = isWrapped(value) ? ['pipeline'] : [];
    const deep = checkDeep(unwrapPipeline(value) as Pipeline, resolved.id, catalogue);
    return [...diagnostics, ...deep.map((each) => ({ ...each, path: [...outer, ...(each.path ?? [])] }))];
  } catch (thrown) {
    if (!(thrown instanceof MillraceError)) throw thrown;
    return [{ severity: 'error', code: thrown.code, message: thrown.message, path: ['source'] }];
  }
}

function locate({ root, text }: SyntaxTree, diagnostics: readonly Diagnostic[]): LocatedDiagnostic[] {
  return diagnostics.map((diagnostic) => {
    const { start, end } = rangeOf(root, diagnostic.path ?? []);
    return { ...diagnostic, range: firstLine(text, { start, end }) };
  });
}

/** A finding about a whole object marks its first line, not the screen. */
export function firstLine(text: string, { start, end }: Range): Range {
  const lineEnd = text.slice(start, end).search(/[\r\n]/);
  return { start, end: lineEnd < 0 ? end : start + lineEnd };
}
