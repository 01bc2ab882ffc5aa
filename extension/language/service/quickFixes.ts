import type {
  CodeAction,
  Diagnostic,
  Range,
  TextDocumentEdit,
  TextEdit,
  CreateFile,
} from 'vscode-languageserver-types';
import { type AnalysisOptions, analyseTree, type LocatedDiagnostic } from '../../../pipeline/analysis.js';
import { mayBeChanged } from '../../../pipeline/rules.js';
import { asDiagnostic } from './diagnostics.js';
import { configMends } from './mends/config.js';
import { type Edit, indentOf, insertAt } from './mends/edits.js';
import { linkMends } from './mends/links.js';
import type { Mend, Mender } from './mends/mend.js';
import { nameMends } from './mends/names.js';
import { syntaxMends } from './mends/syntax.js';
import type { PipelineDocument } from './pipelineDocument.js';

/** The kind of the action that mends everything with one safe mend. */
export const fixAllKind = 'source.fixAll.millrace';

export interface FixOptions extends AnalysisOptions {
  /** The `.env` beside the file, where variables are added. Without it nothing is moved there. */
  readonly environmentFile?: EnvironmentFile | undefined;
}

export interface EnvironmentFile {
  readonly uri: string;
  /** Undefined when it is not there. */
  readonly text: string | undefined;
}

const menders: Readonly<Record<string, Mender>> = { ...syntaxMends, ...nameMends, ...linkMends, ...configMends };

/** The codes that something can be done about, besides hiding them. */
export const mendedCodes: readonly string[] = Object.keys(menders);

/** Mends for the findings that touch a range, the likeliest first, and comments that hide what is only advice. */
export function quickFixes(document: PipelineDocument, range: Range, options: FixOptions): CodeAction[] {
  const start = document.offsetAt(range.start);
  const end = document.offsetAt(range.end);
  const touching = analyseTree(document.tree, options).filter(
    (found) => found.range.start <= end && start <= found.range.end,
  );
  const mending = touching.flatMap((found) =>
    mendsFor(document, found, options).map((mend, rank) => action(document, found, mend, rank === 0, options)),
  );
  const hiding = touching.filter(({ code }) => mayBeChanged(code) && !code.startsWith('suppression_'));
  return [...mending, ...hiding.map((found) => action(document, found, hide(document, found), false, options))];
}

/** Everything mended that can be mended in one way only; undefined when there is nothing. */
export function fixAll(document: PipelineDocument, options: FixOptions): CodeAction | undefined {
  const edits: Edit[] = [];
  for (const found of analyseTree(document.tree, options)) {
    const safe = mendsFor(document, found, options).find(({ isSafe }) => isSafe === true);
    if (safe !== undefined && !safe.edits.some((edit) => edits.some((known) => overlap(edit, known))))
      edits.push(...safe.edits);
  }
  if (edits.length === 0) return undefined;
  return {
    title: 'Mend all that has one mend',
    kind: fixAllKind,
    edit: { changes: { [document.uri]: textEdits(document, edits) } },
  };
}

/** The mends of one finding, the likeliest first. */
export function mendsFor(document: PipelineDocument, found: LocatedDiagnostic, options: FixOptions): readonly Mend[] {
  const { catalogue, environmentFile } = options;
  const component = document.componentAt(found.range.start);
  const mends = menders[found.code]?.({ document, found, catalogue, component }) ?? [];
  return mends.filter(({ variable, edits }) =>
    variable === undefined ? edits.length > 0 : environmentFile !== undefined,
  );
}

/** A comment above the line, after which the finding is not shown. */
function hide({ text }: PipelineDocument, { code, range }: LocatedDiagnostic): Mend {
  const lineStart = text.lastIndexOf('\n', range.start - 1) + 1;
  const margin = indentOf(text, range.start);
  return {
    title: `Hide "${code}" here`,
    edits: [insertAt(lineStart, `${margin}// millrace-ignore-next-line ${code}\n`)],
  };
}

function action(
  document: PipelineDocument,
  found: LocatedDiagnostic,
  { title, edits, variable }: Mend,
  isPreferred: boolean,
  { environmentFile }: FixOptions,
): CodeAction {
  const diagnostics: Diagnostic[] = [asDiagnostic(document, found, undefined)];
  const own = textEdits(document, edits);
  const common = { title, kind: 'quickfix', diagnostics, ...(isPreferred ? { isPreferred } : {}) };
  if (variable === undefined || environmentFile === undefined)
    return { ...common, edit: { changes: { [document.uri]: own } } };
  const documentChanges: (TextDocumentEdit | CreateFile)[] = defineVariable(environmentFile, variable);
  if (own.length > 0) documentChanges.push({ textDocument: { uri: document.uri, version: null }, edits: own });
  return { ...common, edit: { documentChanges } };
}

function defineVariable(
  { uri, text }: EnvironmentFile,
  { name, value }: { name: string; value: string },
): (TextDocumentEdit | CreateFile)[] {
  const lines = (text ?? '').split('\n');
  const last = lines.at(-1) ?? '';
  const position = { line: lines.length - 1, character: last.length };
  const newText = `${last === '' ? '' : '\n'}${name}=${environmentValue(value)}\n`;
  const edit = {
    textDocument: { uri, version: null },
    edits: [{ range: { start: position, end: position }, newText }],
  };
  return text === undefined ? [{ kind: 'create', uri, options: { ignoreIfExists: true } }, edit] : [edit];
}

/** In quotes where it needs them. `.env` files have three kinds of quotes and no escapes in two of them. */
function environmentValue(value: string): string {
  if (/^[\w./:@+-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((each) => !value.includes(each)) ?? '"';
  return quote + value + quote;
}

function textEdits(document: PipelineDocument, edits: readonly Edit[]): TextEdit[] {
  return edits.map(({ start, end, text }) => ({ range: document.range({ start, end }), newText: text }));
}

function overlap(a: Edit, b: Edit): boolean {
  return a.start === b.start || (a.start < b.end && b.start < a.end);
}
