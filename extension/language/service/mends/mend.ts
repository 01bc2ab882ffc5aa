import type { LocatedDiagnostic } from '../../../../pipeline/analysis.js';
import type { Catalogue } from '../../../../pipeline/catalogue.js';
import type { ComponentNode, LinkNode, PipelineDocument } from '../pipelineDocument.js';
import { escaped, styleOf } from '../style.js';
import { type Edit, insideQuotes, replaceRange } from './edits.js';

/** A finding in its surroundings. */
export interface Problem {
  readonly document: PipelineDocument;
  readonly found: LocatedDiagnostic;
  readonly catalogue: Catalogue;
  /** The component it is in. */
  readonly component: ComponentNode | undefined;
}

/** A way to make a finding go away. */
export interface Mend {
  readonly title: string;
  readonly edits: readonly Edit[];
  /** Nobody can want the text to stay as it is, and there is one way only: part of "fix all". */
  readonly isSafe?: boolean;
  /** Added to the `.env` beside the file. */
  readonly variable?: { readonly name: string; readonly value: string };
}

export type Mender = (problem: Problem) => readonly Mend[];

/** One mend for each name, that writes it in the place of what is there. */
export function changeTo({ document, found }: Problem, names: readonly string[]): Mend[] {
  const range = insideQuotes(document, found.range);
  const written = document.text.slice(range.start, range.end);
  const { quote } = styleOf(document);
  const isQuoted = range.start > found.range.start;
  const opening = document.text[found.range.start] ?? quote;
  return names
    .filter((name) => name !== written)
    .map((name) => ({
      title: `Change to "${name}"`,
      edits: [
        replaceRange(
          range,
          isQuoted
            ? escaped(name, opening)
            : isBare(name) && !isValue(document, found.range)
              ? name
              : quote + escaped(name, quote) + quote,
        ),
      ],
    }));
}

/** Names out of `data` of a finding. */
export function namesIn({ found }: Problem, ...keys: readonly string[]): string[] {
  for (const key of keys) {
    const value = found.data?.[key];
    if (typeof value === 'string') return [value];
    const names = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
    if (names.length > 0) return names;
  }
  return [];
}

/** The link a finding is in. */
export function linkOf({ component, found }: Problem): LinkNode | undefined {
  const { start, end } = found.range;
  return component?.links.find(({ node }) => node.start <= start && end <= node.end);
}

function isBare(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/** Whether a range is written behind a colon or in a list, and not before a colon. */
function isValue({ text }: PipelineDocument, { end }: { end: number }): boolean {
  return !/^\s*:/.test(text.slice(end, end + 50));
}
