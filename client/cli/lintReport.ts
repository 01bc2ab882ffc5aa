import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LocatedDiagnostic } from '../../pipeline/analysis.js';
import { compilerWord, isRuleCode, rulePage, rules, type Severity } from '../../pipeline/rules.js';
import { LineIndex } from '../../pipeline/syntax/lineIndex.js';
import type { Range } from '../../pipeline/syntax/nodes.js';
import { version } from '../typescript/src/index.js';

/** What was found in one file. Lines and columns count from 1, as compilers print them. */
export interface LintedFile {
  readonly file: string;
  readonly problems: readonly LintProblem[];
}

export interface LintPlace {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface LintProblem extends LintPlace {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  /** Id of the component concerned, when there is one. */
  readonly component?: string;
  /** Other places that explain it. */
  readonly related?: readonly (LintPlace & { readonly message: string })[];
}

export function lintedFile(file: string, text: string, diagnostics: readonly LocatedDiagnostic[]): LintedFile {
  const lines = new LineIndex(text);
  const placeOf = ({ start, end }: Range): LintPlace => {
    const from = lines.positionAt(start);
    const to = lines.positionAt(end);
    return { line: from.line + 1, column: from.character + 1, endLine: to.line + 1, endColumn: to.character + 1 };
  };
  const problems = diagnostics.map(({ severity, code, message, range, component, related }) => ({
    ...placeOf(range),
    severity,
    code,
    message,
    ...(component === undefined ? {} : { component }),
    ...(related === undefined
      ? {}
      : { related: related.map((each) => ({ ...placeOf(each.range), message: each.message })) }),
  }));
  return { file, problems };
}

/** `file:line:column: severity code: message`, which editors and build servers read. */
export function problemLine(file: string, { line, column, severity, code, message }: LintProblem): string {
  const oneLine = message.replace(/\s*[\r\n]+\s*/g, ' ');
  return `${file}:${line}:${column}: ${compilerWord(severity)} ${code}: ${oneLine}`;
}

const levels = { error: 'error', warning: 'warning', information: 'note', hint: 'note' } as const;

/** The report as SARIF 2.1.0, which code hosts show beside the lines. */
export function sarif(files: readonly LintedFile[]): object {
  const found = files.flatMap(({ file, problems }) => problems.map((problem) => ({ file, problem })));
  const codes = [...new Set(found.map(({ problem }) => problem.code))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'millrace', version, rules: codes.map(describeRule) } },
        columnKind: 'utf16CodeUnits',
        results: found.map(({ file, problem }) => ({
          ruleId: problem.code,
          ruleIndex: codes.indexOf(problem.code),
          level: levels[problem.severity],
          message: { text: problem.message },
          locations: [{ physicalLocation: physicalLocation(file, problem) }],
          ...(problem.related === undefined
            ? {}
            : {
                relatedLocations: problem.related.map((place, id) => ({
                  id,
                  message: { text: place.message },
                  physicalLocation: physicalLocation(file, place),
                })),
              }),
        })),
      },
    ],
  };
}

/** Without `helpUri`, which must be an absolute address: the pages are in the repository. */
function describeRule(code: string): object {
  if (!isRuleCode(code)) return { id: code };
  const { title, severity } = rules[code];
  return {
    id: code,
    shortDescription: { text: title },
    help: { text: `${title}. See ${rulePage(code)}.` },
    defaultConfiguration: { level: levels[severity] },
  };
}

/** An address of its own for a whole path, which on Windows begins with a drive; else one from the working directory. */
function addressOf(file: string): string {
  if (path.isAbsolute(file)) return pathToFileURL(file).href;
  return file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
}

function physicalLocation(file: string, { line, column, endLine, endColumn }: LintPlace): object {
  return {
    artifactLocation: { uri: addressOf(file) },
    region: { startLine: line, startColumn: column, endLine, endColumn },
  };
}
