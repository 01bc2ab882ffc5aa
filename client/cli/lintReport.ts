import type { LocatedDiagnostic } from '../../pipeline/analysis.js';
import type { Severity } from '../../pipeline/rules.js';
import { LineIndex } from '../../pipeline/syntax/lineIndex.js';
import { version } from '../typescript/src/index.js';

/** What was found in one file. Lines and columns count from 1, as compilers print them. */
export interface LintedFile {
  readonly file: string;
  readonly problems: readonly LintProblem[];
}

export interface LintProblem {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
}

export function lintedFile(file: string, text: string, diagnostics: readonly LocatedDiagnostic[]): LintedFile {
  const lines = new LineIndex(text);
  const problems = diagnostics.map(({ severity, code, message, range }) => {
    const start = lines.positionAt(range.start);
    const end = lines.positionAt(range.end);
    return {
      line: start.line + 1,
      column: start.character + 1,
      endLine: end.line + 1,
      endColumn: end.character + 1,
      severity,
      code,
      message,
    };
  });
  return { file, problems };
}

/** `file:line:column: severity code: message`, which editors and build servers read. */
export function problemLine(file: string, { line, column, severity, code, message }: LintProblem): string {
  return `${file}:${line}:${column}: ${severity} ${code}: ${message}`;
}

/** The report as SARIF 2.1.0, which code hosts show beside the lines. */
export function sarif(files: readonly LintedFile[]): object {
  const found = files.flatMap(({ file, problems }) => problems.map((problem) => ({ file, ...problem })));
  const rules = [...new Set(found.map(({ code }) => code))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'millrace', version, rules: rules.map((id) => ({ id })) } },
        columnKind: 'utf16CodeUnits',
        results: found.map(({ file, line, column, endLine, endColumn, severity, code, message }) => ({
          ruleId: code,
          ruleIndex: rules.indexOf(code),
          level: severity,
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/') },
                region: { startLine: line, startColumn: column, endLine, endColumn },
              },
            },
          ],
        })),
      },
    ],
  };
}
