import type { MillraceClient } from '../../client/typescript/src/index.js';
import { MillraceError } from '../../protocol/errors.js';
import type { Diagnostic } from '../../protocol/results.js';
import { type AnalysisOptions, analyseText, type LocatedDiagnostic } from '../../pipeline/analysis.js';
import type { Severity } from '../../pipeline/rules.js';
import { LineIndex, type Position } from '../../pipeline/syntax/lineIndex.js';
import { readPipelineText } from './pipelineFile.js';

/** A finding about a pipeline file, with its place in the text. */
export interface Finding {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly start: Position;
  readonly end: Position;
}

/** What a server, which knows its own providers, says about a pipeline; undefined leaves it to the catalogue. */
export type StructureCheck = (
  pipeline: Record<string, unknown>,
  source: string | undefined,
) => Promise<readonly Diagnostic[] | undefined>;

/**
 * Everything that is wrong with the text of a pipeline file, or likely to be: what the language features say while it is
 * written, but with the structure checked by `check`.
 *
 * @throws MillraceError when the check itself fails, for example because the connection is lost
 */
export async function findProblems(
  text: string,
  fileName: string,
  check: StructureCheck,
  options: AnalysisOptions,
): Promise<Finding[]> {
  const reading = readPipelineText(text, fileName);
  const structure =
    reading.kind === 'problem' ? undefined : await check(reading.pipeline, options.source ?? firstOf(reading.sources));
  const lines = new LineIndex(text);
  return analyseText(text, { ...options, structure }).map((each) => placed(each, lines));
}

/** A pipeline that leaves the choice open has the same structure whichever source is chosen. */
function firstOf(sources: readonly { readonly id: string }[]): string | undefined {
  return sources.length > 1 ? sources[0]?.id : undefined;
}

function placed({ severity, code, message, range }: LocatedDiagnostic, lines: LineIndex): Finding {
  return { severity, code, message, start: lines.positionAt(range.start), end: lines.positionAt(range.end) };
}

/** The check of a server. */
export function serverCheck(client: MillraceClient): StructureCheck {
  return async (pipeline, source) => {
    try {
      return (await client.validate(pipeline, source)).diagnostics;
    } catch (thrown) {
      // What a server refuses as a whole, the catalogue explains with its place.
      if (thrown instanceof MillraceError && aboutThePipeline.has(thrown.code)) return undefined;
      throw thrown;
    }
  };
}

const aboutThePipeline = new Set(['pipeline_invalid', 'source_missing', 'source_ambiguous', 'provider_unknown']);

/** The check without a server. */
export const localCheck: StructureCheck = () => Promise.resolve(undefined);

/** The findings that are not shown already, by the language features for example. */
export function withoutKnown(
  findings: readonly Finding[],
  known: readonly { readonly code: string; readonly line: number }[],
): Finding[] {
  return findings.filter(({ code, start }) => !known.some((each) => each.code === code && each.line === start.line));
}

/** `2 errors, 1 warning, 1 note`, or an empty text. */
export function countFindings(findings: readonly Pick<Finding, 'severity'>[]): string {
  const counts = { error: 0, warning: 0, note: 0 };
  for (const { severity } of findings) counts[severity === 'error' || severity === 'warning' ? severity : 'note']++;
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}${count === 1 ? '' : 's'}`)
    .join(', ');
}
