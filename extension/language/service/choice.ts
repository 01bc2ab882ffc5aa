import type { Style } from './style.js';

/** Kinds of completion items, as editors number them. */
export const kinds = {
  property: 10,
  value: 12,
  enumMember: 20,
  reference: 18,
  module: 9,
  snippet: 15,
  constant: 21,
} as const;

/** A choice before it is fitted to the text around. */
export interface Choice {
  readonly label: string;
  readonly kind: number;
  /** A few words behind the label. */
  readonly detail?: string | undefined;
  /** Markdown. */
  readonly documentation?: string | undefined;
  /** Lower comes first. */
  readonly rank?: number;
  /**
   * Of a key: the value written behind it. Of a value: what is written instead of the label in quotes. In the snippet
   * syntax of editors: `$1` marks the first place to fill.
   */
  readonly snippet?: (style: Style) => string;
  /** A number, boolean or null, written without quotes. */
  readonly bare?: boolean;
  /** Completion goes on at the cursor once this is accepted. */
  readonly goesOn?: boolean;
}

/** Text that means itself in a snippet. */
export function plain(text: string): string {
  return text.replaceAll(/[\\$}]/g, '\\$&');
}

/** A snippet for editors that know none: its proposals stay, its empty places are empty. */
export function withoutStops(snippet: string): string {
  return snippet
    .replaceAll(/\{ \$\d+ \}/g, '{}')
    .replaceAll(
      /(?<!\\)\$\{\d+:((?:\\[^]|[^}\\])*)\}|(?<!\\)\$\d+/g,
      (_, proposal: string | undefined) => proposal ?? '',
    )
    .replaceAll(/\\([\\$}])/g, '$1');
}
