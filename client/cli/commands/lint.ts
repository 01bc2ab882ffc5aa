import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { analyseText } from '../../../pipeline/analysis.js';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { exitCodes } from '../exitCodes.js';
import { type LintedFile, lintedFile, problemLine, sarif } from '../lintReport.js';
import { addExamples } from '../options.js';
import type { Runner } from '../run.js';
import { plain } from '../style.js';

interface LintOptions {
  source?: string;
  severity: 'error' | 'warning';
  sarif?: boolean;
}

export function addLint(program: Command, runner: Runner): void {
  const command = program
    .command('lint <files...>')
    .description('say everything that is or may be wrong with pipeline files; needs no server')
    .option('--source <id>', 'entry component, in place of the one in the files')
    .addOption(
      new Option('--severity <severity>', 'what makes the command fail')
        .choices(['error', 'warning'])
        .default('warning'),
    )
    .option('--sarif', 'write the report as SARIF');
  addExamples(command, 'lint ocr.pipe', 'lint pipelines/*.pipe.json --severity error', 'lint ocr.pipe --sarif');
  runner.bind<LintOptions>(command, async (run, { source, severity, sarif: asSarif }, ...operands) => {
    const catalogue = bundledCatalogue();
    const linted: LintedFile[] = [];
    for (const file of operands.flat()) {
      const text = await readFile(file, 'utf8');
      linted.push(lintedFile(file, text, analyseText(text, { catalogue, source })));
    }
    if (asSarif === true) run.printJson(sarif(linted));
    else if (run.json) run.printJson(linted);
    else
      for (const { file, problems } of linted)
        for (const each of problems) run.print(`${plain(problemLine(file, each))}\n`);
    const all = linted.flatMap(({ problems }) => problems);
    const errors = all.filter((problem) => problem.severity === 'error').length;
    const fatal = severity === 'error' ? errors : all.length;
    if (asSarif !== true) run.note(summary(linted.length, errors, all.length - errors));
    return fatal === 0 ? exitCodes.ok : exitCodes.failed;
  });
}

function summary(files: number, errors: number, warnings: number): string {
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
  return `${count(files, 'file')}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.\n`;
}
