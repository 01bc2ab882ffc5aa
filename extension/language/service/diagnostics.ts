import type { CodeAction, Diagnostic, Range } from 'vscode-languageserver-types';
import { type AnalysisOptions, type LocatedDiagnostic, analyseTree } from '../../../pipeline/analysis.js';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import { nearest } from '../../../pipeline/nearest.js';
import { type Severity, isRuleCode } from '../../../pipeline/rules.js';
import { joiningLanes, definitionOf } from './facts.js';
import type { PipelineDocument } from './pipelineDocument.js';

const severityNumbers = { error: 1, warning: 2, information: 3, hint: 4 } as const satisfies Record<Severity, number>;
const tagNumbers = { unnecessary: 1, deprecated: 2 } as const;

export interface DiagnoseOptions extends Omit<AnalysisOptions, 'catalogue'> {
  /** The address of the folder `docs/problems`, with a slash at its end; each code links to its page there. */
  readonly pages?: string | undefined;
}

/** Everything that is or may be wrong, as editors show it. */
export function diagnose(
  document: PipelineDocument,
  catalogue: Catalogue,
  { pages, ...options }: DiagnoseOptions = {},
): Diagnostic[] {
  return analyseTree(document.tree, { ...options, catalogue }).map((found) => asDiagnostic(document, found, pages));
}

function asDiagnostic(
  document: PipelineDocument,
  { severity, code, message, range, related, tags, data }: LocatedDiagnostic,
  pages: string | undefined,
): Diagnostic {
  return {
    range: document.range(range),
    severity: severityNumbers[severity],
    code,
    source: 'millrace',
    message,
    ...(pages !== undefined && isRuleCode(code) ? { codeDescription: { href: `${pages}${code}.md` } } : {}),
    ...(tags === undefined ? {} : { tags: tags.map((tag) => tagNumbers[tag]) }),
    ...(data === undefined ? {} : { data }),
    ...(related === undefined
      ? {}
      : {
          relatedInformation: related.map((place) => ({
            location: { uri: document.uri, range: document.range(place.range) },
            message: place.message,
          })),
        }),
  };
}

/** Mends for the problems that touch a range: the nearest names for one that does not exist. */
export function quickFixes(document: PipelineDocument, range: Range, catalogue: Catalogue): CodeAction[] {
  const start = document.offsetAt(range.start);
  const end = document.offsetAt(range.end);
  const touching = analyseTree(document.tree, { catalogue }).filter(
    (each) => each.range.start <= end && start <= each.range.end,
  );
  return touching.flatMap((problem) =>
    namesInstead(document, problem, catalogue).map((name, rank) => ({
      title: `Change to "${name}"`,
      kind: 'quickfix',
      isPreferred: rank === 0,
      edit: { changes: { [document.uri]: [{ range: document.range(inner(document, problem)), newText: name }] } },
    })),
  );
}

function namesInstead(document: PipelineDocument, problem: LocatedDiagnostic, catalogue: Catalogue): string[] {
  const { range, path = [] } = problem;
  const written = document.text.slice(inner(document, problem).start, inner(document, problem).end);
  const ids = document.components.flatMap(({ id }) => (id === undefined ? [] : [id.value]));
  switch (problem.code) {
    case 'provider_unknown':
      return path.at(-1) === 'provider' ? nearest(written, catalogue.ids()) : [];
    case 'from_unknown':
    case 'source_unknown':
      return nearest(written, ids).length > 0 ? nearest(written, ids) : ids.slice(0, 3);
    case 'lane_unknown':
    case 'lane_not_produced':
    case 'lane_not_accepted': {
      const component = document.componentAt(range.start);
      const link = component?.links.find(({ node }) => node.start <= range.start && range.end <= node.end);
      const from = link?.from === undefined ? undefined : document.find(link.from.value);
      return joiningLanes(definitionOf(from, catalogue), definitionOf(component, catalogue)).filter(
        (lane) => lane !== written,
      );
    }
    default:
      return [];
  }
}

/** Without the quotes around. */
function inner({ text }: PipelineDocument, { range }: LocatedDiagnostic): { start: number; end: number } {
  const quote = text[range.start];
  const quoted = (quote === '"' || quote === "'") && range.end - range.start > 1 && text[range.end - 1] === quote;
  return quoted ? { start: range.start + 1, end: range.end - 1 } : range;
}
