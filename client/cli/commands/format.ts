import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { applyEdits, formatEdits } from '../../../pipeline/format.js';
import { parseSyntax } from '../../../pipeline/syntax/parser.js';
import { exitCodes } from '../exitCodes.js';
import { UsageError } from '../failures.js';
import { addExamples } from '../options.js';
import { namedFiles, readInput } from '../pipelineFiles.js';
import type { Runner } from '../run.js';
import { plain } from '../style.js';

interface FormatCommandOptions {
  check?: boolean;
  indent: number;
  tabs?: boolean;
}

interface FormattedFile {
  readonly file: string;
  /** `broken` files are left as they are, and so are `unreadable` ones: too large, or no text in UTF-8. */
  readonly result: 'unchanged' | 'changed' | 'broken' | 'unreadable';
}

export function addFormat(program: Command, runner: Runner): void {
  const command = program
    .command('format <files...>')
    .description('give pipeline files their usual form; comments and values stay as they are; needs no server')
    .option('--check', 'change nothing, and fail when something would be')
    .addOption(new Option('--indent <columns>', 'columns of one level').argParser(columns).default(2))
    .option('--tabs', 'indent with tab characters');
  addExamples(command, 'format ocr.pipe', 'format pipelines --check');
  runner.bind<FormatCommandOptions>(command, async (run, { check, indent, tabs }, ...operands) => {
    if (operands.flat().includes('-')) throw new UsageError('format changes files and reads no stdin', 'Name a file.');
    const done: FormattedFile[] = [];
    for (const file of await namedFiles(operands.flat())) {
      const input = await readInput(file, run.io);
      const text = 'text' in input ? input.text : '';
      const tree = parseSyntax(text);
      const formatted = applyEdits(text, formatEdits(tree, { tabSize: indent, insertSpaces: tabs !== true }));
      const result = resultOf('text' in input, tree.problems.length > 0, formatted !== text);
      if (result === 'changed' && check !== true) await writeFile(file, formatted);
      done.push({ file, result });
    }
    if (run.json) run.printJson(done);
    else for (const { file, result } of done) if (result === 'changed') run.print(`${plain(file)}\n`);
    for (const { file, result } of done)
      if (result === 'broken' || result === 'unreadable')
        run.note(`${plain(file)} is ${result} and was left as it is.\n  → millrace lint says what is wrong.\n`);
    const failing = done.filter(({ result }) => result !== 'unchanged' && (check === true || result !== 'changed'));
    return failing.length === 0 ? exitCodes.ok : exitCodes.failed;
  });
}

function resultOf(isRead: boolean, isBroken: boolean, isChanged: boolean): FormattedFile['result'] {
  if (!isRead) return 'unreadable';
  if (isBroken) return 'broken';
  return isChanged ? 'changed' : 'unchanged';
}

function columns(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 16) throw new InvalidArgumentError('A number from 1 to 16.');
  return number;
}
