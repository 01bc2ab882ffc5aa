import type { CodeAction, Diagnostic, Range } from 'vscode-languageserver-types';
import { type LocatedDiagnostic, analyseTree } from '../../../pipeline/analysis.js';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import { nearest } from '../../../pipeline/nearest.js';
import { joiningLanes, definitionOf } from './facts.js';
import type { PipelineDocument } from './pipelineDocument.js';

const severities = { error: 1, warning: 2 } as const;

/** Everything that is or may be wrong, as editors show it. */
export function diagnose(document: PipelineDocument, catalogue: Catalogue): Diagnostic[] {
  return analyseTree(document.tree, catalogue).map((each) => ({
    range: document.range(each.range),
    severity: severities[each.severity],
    code: each.code,
    source: 'millrace',
    message: each.message,
  }));
}

/** Mends for the problems that touch a range: the nearest names for one that does not exist. */
export function quickFixes(document: PipelineDocument, range: Range, catalogue: Catalogue): CodeAction[] {
  const start = document.offsetAt(range.start);
  const end = document.offsetAt(range.end);
  const touching = analyseTree(document.tree, catalogue).filter(
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
