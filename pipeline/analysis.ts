import type { Diagnostic } from '../protocol/results.js';
import { advise } from './advice/advise.js';
import type { AdviceFinding, Place } from './advice/findings.js';
import type { AnalysisMemory } from './analysisMemory.js';
import type { Catalogue } from './catalogue.js';
import { isWrapped } from './document.js';
import { mayBeChanged, rules, type Severity } from './rules.js';
import { findSource } from './source.js';
import { checkStructure } from './structure.js';
import { suppress } from './suppressions.js';
import { LineIndex } from './syntax/lineIndex.js';
import { member, nodeAt, rangeOf, valueOf } from './syntax/navigation.js';
import type { Range, SyntaxNode, SyntaxTree } from './syntax/nodes.js';
import { parseSyntax } from './syntax/parser.js';
import { intactComponents } from './unfinished.js';
import type { Path } from './values.js';

export interface LocatedDiagnostic {
  readonly severity: Severity;
  /** A code of rules.ts. */
  readonly code: string;
  readonly message: string;
  readonly range: Range;
  /** JSON path of what the finding is about, from the root of the document. */
  readonly path?: Path;
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
  /** What a server said about the structure, in place of what is known here; paths are from the pipeline on. */
  readonly structure?: readonly Diagnostic[] | undefined;
  /** Of the document, when it is analysed again after each change. */
  readonly memory?: AnalysisMemory | undefined;
}

/** A larger text is not checked: it is no pipeline that somebody writes. In UTF-16 units. */
export const largestText = 8 * 1024 * 1024;

/**
 * Everything that can be said about the text of a pipeline without running it, each finding with its place, in the order
 * of the text. Errors are what the parser and `validate` say; the rest is advice, which comes beside errors as far as it
 * does not follow from them. Never throws.
 */
export function analyseText(text: string, options: AnalysisOptions): LocatedDiagnostic[] {
  if (text.length > largestText) return [tooLarge];
  return analyseTree(parseSyntax(text), options);
}

/** All that is said about a text that is not checked. */
export const tooLarge: LocatedDiagnostic = {
  severity: rules.file_too_large.severity,
  code: 'file_too_large',
  message: `This file is larger than ${largestText / 1024 / 1024} MB: it is not checked`,
  range: { start: 0, end: 1 },
};

/** The same of a text that has been read already. */
export function analyseTree(tree: SyntaxTree, options: AnalysisOptions): LocatedDiagnostic[] {
  const intact = intactComponents(tree);
  const syntax = syntaxProblems(tree);
  const meant =
    intact === undefined ? [] : meaning(tree, options).filter((each) => syntax.length === 0 || intact(each));
  const found = withoutSuppressed(tree, [...syntax, ...meant], options);
  return withSeverities(found, options.severities).sort((a, b) => a.range.start - b.range.start);
}

function syntaxProblems({ problems }: SyntaxTree): LocatedDiagnostic[] {
  return problems.map(({ code, message, start, end }) => ({
    severity: 'error',
    code: `syntax_${code}`,
    message,
    range: { start, end },
  }));
}

/** What is said about the pipeline that the text means. */
function meaning(tree: SyntaxTree, options: AnalysisOptions): LocatedDiagnostic[] {
  const { catalogue, source, environment, memory } = options;
  memory?.begin(catalogue, environment);
  const value = valueOf(tree.root, memory?.values);
  const { diagnostics, pipeline, outline, choice } = checkStructure(value, catalogue, source, memory);
  const outer = isWrapped(value) ? ['pipeline'] : [];
  const places = new Places(tree, outer);
  const structure = options.structure?.map((each) => ({ ...each, path: [...outer, ...(each.path ?? [])] }));
  // Whoever knows no provider at all cannot say that one does not exist.
  const isBlind = options.structure === undefined && catalogue.ids().length === 0;
  const errors = (structure ?? diagnostics).filter(({ code }) => !isBlind || code !== 'provider_unknown');
  const located = errors.map((each) => ({ ...each, range: places.ofPath(each.path ?? []) }));
  if (pipeline === undefined) return located;
  const node = nodeAt(tree.root, outer);
  const found = advise({
    tree,
    node,
    pipeline,
    outline,
    choice: choice ?? findSource(pipeline, source),
    catalogue,
    environment,
    memory,
  });
  return [...located, ...found.map((each) => places.located(each))];
}

/** Turns places into ranges of the text. */
class Places {
  readonly #text: string;
  readonly #root: SyntaxNode | undefined;

  constructor(
    { text, root }: SyntaxTree,
    private readonly outer: Path,
  ) {
    this.#text = text;
    this.#root = root;
  }

  located({ code, message, place, component, related, tags, data }: AdviceFinding): LocatedDiagnostic {
    return {
      severity: rules[code].severity,
      code,
      message,
      range: this.#of(place),
      ...('path' in place ? { path: [...this.outer, ...place.path] } : {}),
      ...(component === undefined ? {} : { component }),
      ...(related === undefined
        ? {}
        : { related: related.map((each) => ({ range: this.#of(each), message: each.message })) }),
      ...(tags === undefined ? {} : { tags }),
      ...(data === undefined ? {} : { data }),
    };
  }

  /** What is missing is shown at what it is missing in: at the id of a component, at the first line of something else. */
  ofPath(path: Path): Range {
    if (nodeAt(this.#root, path) === undefined) {
      const around = nodeAt(this.#root, path.slice(0, -1));
      const key = typeof path.at(-1) === 'string' ? member(around, String(path.at(-1))) : undefined;
      if (around === this.#root && key === undefined && around !== undefined) {
        return { start: around.start, end: Math.min(around.start + 1, around.end) };
      }
      const id = key === undefined ? member(around, 'id')?.value : undefined;
      if (id?.kind === 'string' && id.value !== '') return { start: id.start, end: id.end };
    }
    const { start, end } = rangeOf(this.#root, path);
    return firstLine(this.#text, { start, end });
  }

  #of(place: Place): Range {
    if ('range' in place) return { start: place.range.start, end: place.range.end };
    const path = [...this.outer, ...place.path];
    const last = path.at(-1);
    if (place.at === 'key' && typeof last === 'string') {
      const key = member(nodeAt(this.#root, path.slice(0, -1)), last)?.key;
      if (key !== undefined) return { start: key.start, end: key.end };
      // A member that is missing is missed by the one around it.
      if (path.length > 1) return this.#of({ path: place.path.slice(0, -1), at: 'key' });
    }
    return this.ofPath(path);
  }
}

/** A finding about a whole object marks its first line, not the screen. */
export function firstLine(text: string, { start, end }: Range): Range {
  const lineEnd = text.slice(start, end).search(/[\r\n]/);
  return { start, end: lineEnd < 0 ? end : start + lineEnd };
}

function withoutSuppressed(
  tree: SyntaxTree,
  found: readonly LocatedDiagnostic[],
  { environment, catalogue }: AnalysisOptions,
): readonly LocatedDiagnostic[] {
  const hasDirective = tree.comments.length > 0 && tree.text.includes('millrace-ignore-');
  if (!hasDirective) return found;
  // What an error keeps from being looked at is not unused.
  const isSound = found.every(({ severity }) => severity !== 'error') && catalogue.ids().length > 0;
  const mayBeUnused = (code: string): boolean =>
    isSound && (code !== 'variable_undefined' || environment !== undefined);
  const { diagnostics, complaints } = suppress(tree, new LineIndex(tree.text), found, mayBeUnused);
  return [...diagnostics, ...complaints];
}

function withSeverities(
  found: readonly LocatedDiagnostic[],
  severities: AnalysisOptions['severities'],
): LocatedDiagnostic[] {
  if (severities === undefined) return [...found];
  return found.flatMap((each) => {
    const wanted = mayBeChanged(each.code) && Object.hasOwn(severities, each.code) ? severities[each.code] : undefined;
    if (wanted === 'off') return [];
    return wanted === undefined ? [each] : [{ ...each, severity: wanted }];
  });
}
