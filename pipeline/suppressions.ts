import { nearest } from './nearest.js';
import { isRuleCode, mayBeChanged, type RuleCode, rules, type Severity } from './rules.js';
import type { LineIndex } from './syntax/lineIndex.js';
import type { Comment, Range, SyntaxTree } from './syntax/nodes.js';
import { quote } from './values.js';

interface Suppression {
  readonly code: string;
  /** Of the code in the comment. */
  readonly range: Range;
  /** The line it is about; undefined for the whole file. */
  readonly line: number | undefined;
  isUsed: boolean;
}

/** A finding about a comment itself. */
export interface Complaint {
  readonly severity: Severity;
  readonly code: RuleCode;
  readonly message: string;
  readonly range: Range;
  readonly tags?: readonly 'unnecessary'[];
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface Suppressed<T> {
  readonly diagnostics: T[];
  readonly complaints: Complaint[];
}

/**
 * Leaves out what comments of the file hide: `millrace-ignore-next-line code, code`, `millrace-ignore-line code` and
 * `millrace-ignore-file code`, each with a reason behind `--` if there is one. Errors stay.
 *
 * @param mayBeUnused whether a comment that hides nothing is worth a word: not while anything is unknown
 */
export function suppress<T extends { readonly code: string; readonly range: Range }>(
  tree: SyntaxTree,
  lines: LineIndex,
  diagnostics: readonly T[],
  mayBeUnused: (code: string) => boolean,
): Suppressed<T> {
  const complaints: Complaint[] = [];
  const suppressions = tree.comments.flatMap((comment) => read(tree, comment, lines, complaints));
  if (suppressions.length === 0) return { diagnostics: [...diagnostics], complaints };
  const left = diagnostics.filter((diagnostic) => {
    if (!mayBeChanged(diagnostic.code)) return true;
    const line = lines.positionAt(diagnostic.range.start).line;
    const matching = suppressions.filter(
      (each) => each.code === diagnostic.code && (each.line === undefined || each.line === line),
    );
    for (const each of matching) each.isUsed = true;
    return matching.length === 0;
  });
  for (const { code, range, isUsed, line } of suppressions) {
    if (isUsed || !mayBeUnused(code)) continue;
    const where = line === undefined ? 'in this file' : `in line ${line + 1}`;
    const message = `There is no ${quote(code)} ${where}; this comment can go`;
    complaints.push({
      severity: rules.suppression_unused.severity,
      code: 'suppression_unused',
      message,
      range,
      tags: ['unnecessary'],
      data: { code },
    });
  }
  return { diagnostics: left, complaints };
}

const directive = /^\/[/*]\s*millrace-ignore-(next-line|line|file)(?![\w-])/;

function read(tree: SyntaxTree, comment: Comment, lines: LineIndex, complaints: Complaint[]): Suppression[] {
  const text = tree.text.slice(comment.start, comment.end);
  const [head, kind] = directive.exec(text) ?? [];
  if (head === undefined) return [];
  const line =
    kind === 'file'
      ? undefined
      : kind === 'line'
        ? lines.positionAt(comment.start).line
        : nextLine(tree, comment, lines);
  const body = text.slice(head.length).replace(/\*\/$/, '').split('--', 1)[0] ?? '';
  const suppressions: Suppression[] = [];
  for (const { 0: code, index } of body.matchAll(/[^\s,:]+/g)) {
    const start = comment.start + head.length + index;
    const range = { start, end: start + code.length };
    const complaint = complaintAbout(code, range);
    if (complaint === undefined) suppressions.push({ code, range, line, isUsed: false });
    else complaints.push(complaint);
  }
  if (!/[^\s,:]/.test(body)) {
    const message = 'Name the codes this comment is to hide, for example "unreachable"';
    const range = { start: comment.start, end: comment.start + head.length };
    complaints.push({ severity: rules.suppression_unknown.severity, code: 'suppression_unknown', message, range });
  }
  return suppressions;
}

function complaintAbout(code: string, range: Range): Complaint | undefined {
  if (!isRuleCode(code)) {
    const near = nearest(code, Object.keys(rules).filter(mayBeChanged));
    const hint = near.length === 0 ? '' : `; did you mean ${near.map(quote).join(' or ')}?`;
    const message = `There is no code ${quote(code)}${hint}`;
    return {
      severity: rules.suppression_unknown.severity,
      code: 'suppression_unknown',
      message,
      range,
      data: { nearest: near },
    };
  }
  if (mayBeChanged(code)) return undefined;
  const message = `${quote(code)} is an error: no comment hides it, as the pipeline cannot run with it`;
  return { severity: rules.suppression_refused.severity, code: 'suppression_refused', message, range, data: { code } };
}

/** The next line with something on it but comments; several comments may stand above one line. */
function nextLine({ text, comments }: SyntaxTree, { end }: Comment, lines: LineIndex): number {
  let at = end;
  for (;;) {
    while (at < text.length && /\s/.test(text.charAt(at))) at++;
    const comment = comments.find(({ start }) => start === at);
    if (comment === undefined) return lines.positionAt(at).line;
    at = comment.end;
  }
}
