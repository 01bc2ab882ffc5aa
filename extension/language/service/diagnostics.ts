import type { Diagnostic } from 'vscode-languageserver-types';
import { type AnalysisOptions, type LocatedDiagnostic, analyseTree } from '../../../pipeline/analysis.js';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import { type Severity, isRuleCode } from '../../../pipeline/rules.js';
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
  const { tree, memory } = document;
  return analyseTree(tree, { memory, ...options, catalogue }).map((found) => asDiagnostic(document, found, pages));
}

/** A finding as editors show it. `pages` as in `DiagnoseOptions`. */
export function asDiagnostic(
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
