import { type Command, Option } from 'commander';
import { analyseText, type AnalysisOptions, type LocatedDiagnostic, tooLarge } from '../../../pipeline/analysis.js';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { nearest } from '../../../pipeline/nearest.js';
import { isRuleCode, isWanted, mayBeChanged, rules, severities, type Severity } from '../../../pipeline/rules.js';
import { exitCodes } from '../exitCodes.js';
import { UsageError } from '../failures.js';
import { type LintedFile, lintedFile, problemLine, sarif } from '../lintReport.js';
import { addExamples } from '../options.js';
import { namedFiles, type PipelineInput, readInput } from '../pipelineFiles.js';
import type { Runner } from '../run.js';
import { plain } from '../style.js';
import { namesBeside, variableNames } from '../variables.js';

interface LintOptions {
  source?: string;
  severity: Severity;
  rule?: string[];
  variables?: string[];
  sarif?: boolean;
}

export function addLint(program: Command, runner: Runner): void {
  const collect = (value: string, given: string[] = []): string[] => [...given, value];
  const command = program
    .command('lint <files...>')
    .description('say everything that is or may be wrong with pipeline files; needs no server')
    .option('--source <id>', 'entry component, in place of the one in the files')
    .addOption(
      new Option('--severity <severity>', 'the least that makes the command fail')
        .choices(severities)
        .default('warning'),
    )
    .option('--rule <code=severity>', 'another severity for a code, or off; may be repeated', collect)
    // Not --env-file: Node 20 takes that for its own wherever it stands.
    .option('--variables <file>', 'a file with variables, beside .env; may be repeated', collect)
    .option('--sarif', 'write the report as SARIF');
  addExamples(
    command,
    'lint ocr.pipe',
    'lint pipelines --severity error',
    'lint ocr.pipe --rule unreachable=off --sarif',
    'lint - < ocr.pipe',
  );
  runner.bind<LintOptions>(command, async (run, options, ...operands) => {
    const { source, severity, rule = [], variables = [] } = options;
    const base = { catalogue: bundledCatalogue(), source, severities: severitiesOf(rule) };
    const files = await namedFiles(operands.flat());
    const known = await variableNames(run.io.env, variables);
    const linted: LintedFile[] = [];
    for (const file of files) {
      const environment = file === '-' ? known : new Set([...known, ...(await namesBeside(file))]);
      const input = await readInput(file, run.io);
      linted.push(lintedFile(input.file, textOf(input), findings(input, { ...base, environment })));
    }
    if (options.sarif === true) run.printJson(sarif(linted));
    else if (run.json) run.printJson(linted);
    else
      for (const { file, problems } of linted)
        for (const each of problems) run.print(`${plain(problemLine(file, each))}\n`);
    if (options.sarif !== true) run.note(summary(linted));
    const fatal = severities.slice(0, severities.indexOf(severity) + 1);
    const isClean = linted.every(({ problems }) => problems.every((each) => !fatal.includes(each.severity)));
    return isClean ? exitCodes.ok : exitCodes.failed;
  });
}

/** Without its byte order mark, as editors count columns. */
function textOf(input: PipelineInput): string {
  return 'text' in input ? input.text.replace(/^\ufeff/, '') : '';
}

function findings(input: PipelineInput, options: AnalysisOptions): LocatedDiagnostic[] {
  if ('text' in input) return analyseText(textOf(input), options);
  if ('isTooLarge' in input) return [tooLarge];
  const message = `${input.file} cannot be checked: ${input.unreadable}`;
  return [{ severity: 'error', code: 'file_unreadable', message, range: { start: 0, end: 0 } }];
}

/** @throws UsageError for what is no code, no severity, or an error that keeps its own */
function severitiesOf(given: readonly string[]): Record<string, Severity | 'off'> {
  const pairs = given.map((pair): [string, Severity | 'off'] => {
    const [code = '', wanted, ...rest] = pair.split('=');
    if (!isRuleCode(code)) {
      const near = nearest(code, Object.keys(rules).filter(mayBeChanged));
      const hint = near.length === 0 ? 'The codes stand in docs/problems.' : `Did you mean ${near.join(' or ')}?`;
      throw new UsageError(`There is no code "${code}"`, hint);
    }
    if (!isWanted(wanted) || rest.length > 0) {
      throw new UsageError(
        `"${pair}" names no severity`,
        `Write ${code}=SEVERITY with one of ${severities.join(', ')}, off.`,
      );
    }
    if (!mayBeChanged(code)) {
      throw new UsageError(`"${code}" is an error and stays one`, 'The pipeline cannot run with it.');
    }
    return [code, wanted];
  });
  return Object.fromEntries(pairs);
}

function summary(files: readonly LintedFile[]): string {
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
  const all = files.flatMap(({ problems }) => problems.map(({ severity }) => severity));
  const errors = all.filter((each) => each === 'error').length;
  const warnings = all.filter((each) => each === 'warning').length;
  const notes = all.length - errors - warnings;
  const rest = notes === 0 ? '' : `, ${count(notes, 'note')}`;
  return `${count(files.length, 'file')}: ${count(errors, 'error')}, ${count(warnings, 'warning')}${rest}.\n`;
}
