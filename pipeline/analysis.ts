import { MillraceError } from '../protocol/errors.js';
import type { Diagnostic } from '../protocol/results.js';
import type { Catalogue } from './catalogue.js';
import { checkDeep } from './deep.js';
import { isWrapped, unwrapPipeline } from './document.js';
import type { Pipeline } from './model.js';
import type { Severity } from './rules.js';
import { validateStructure } from './structure.js';
import { rangeOf, valueOf } from './syntax/navigation.js';
import type { Range, SyntaxTree } from './syntax/nodes.js';
import { parseSyntax } from './syntax/parser.js';

export interface LocatedDiagnostic {
  readonly severity: Severity;
  /** A code of rules.ts. */
  readonly code: string;
  readonly message: string;
  readonly range: Range;
  /** JSON path of what the finding is about, from the root of the document. */
  readonly path?: readonly (string | number)[];
  /** Id of the component concerned, when there is one. */
  readonly component?: string;
  /** Other places that explain it, such as the steps of a cycle. */
  readonly related?: readonly { readonly range: Range; readonly message: string }[];
  readonly tags?: readonly ('unnecessary' | 'deprecated')[];
  /** What a mend needs to know, by code: `replacement`, `nearest`, `candidates`, `name`, … */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface AnalysisOptions {
  readonly catalogue: Catalogue;
  /** The component to start at, when the file leaves it open. */
  readonly source?: string | undefined;
  /** The names of the variables that a `.env` file or the process defines; left out when nobody knows. */
  readonly environment?: ReadonlySet<string> | undefined;
  /** Code → another severity than that of rules.ts. Errors keep theirs. */
  readonly severities?: Readonly<Record<string, Severity | 'off'>> | undefined;
}

/**
 * Everything that can be said about the text of a pipeline without running it, each finding with its place. Never throws.
 * Codes of the text itself begin with `syntax_`; the others are those of `validate` and of the warnings, which come only
 * where there are no errors. In the order of the text.
 */
export function analyseText(text: string, options: AnalysisOptions): LocatedDiagnostic[] {
  return analyseTree(parseSyntax(text), options);
}

/** The same of a text that has been read already. */
export function analyseTree(tree: SyntaxTree, { catalogue, source }: AnalysisOptions): LocatedDiagnostic[] {
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
