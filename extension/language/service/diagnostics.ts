import type { Diagnostic } from 'vscode-languageserver-types';
import { type AnalysisOptions, type LocatedDiagnostic, analyseTree } from '../../../pipeline/analysis.js';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import { type Severity, isRuleCode } from '../../../pipeline/rules.js';
import type { PipelineDocument } from './pipelineDocument.js';

const severityNumbers = { error: 1, warning: 2, information: 3, hint: 4 } as const satisfies Record<Severity, number>;
const tagNumbers = { unnecessary: 1, deprecated: 2 } as const;

export interface DiagnoseOptions extends Omit<AnalysisOptions, 'catalogue'> {
  /** The address of the page about a problem, with `{code}` in the place of its code. */
  readonly page?: string | undefined;
}

/** Everything that is or may be wrong, as editors show it. */
export function diagnose(
  document: PipelineDocument,
  catalogue: Catalogue,
  { page, ...options }: DiagnoseOptions = {},
): Diagnostic[] {
  const { tree, memory } = document;
  return analyseTree(tree, { memory, ...options, catalogue }).map((found) => asDiagnostic(document, found, page));
}

/** A finding as editors show it. `page` as in `DiagnoseOptions`. */
export function asDiagnostic(
  document: PipelineDocument,
  { severity, code, message, range, related, tags, data }: LocatedDiagnostic,
  page: string | undefined,
): Diagnostic {
  return {
    range: document.range(range),
    severity: severityNumbers[severity],
    code,
    source: 'millrace',
    message,
    ...(page !== undefined && isRuleCode(code) ? { codeDescription: { href: page.replace('{code}', code) } } : {}),
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
