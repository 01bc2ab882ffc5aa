import type { Command } from 'commander';
import { loadPipeline, type PipelineInput } from '../../typescript/src/index.js';
import { exitCodes } from '../exitCodes.js';
import { addExamples } from '../options.js';
import type { Runner } from '../run.js';
import { plain } from '../style.js';

export function addValidate(program: Command, runner: Runner): void {
  const command = program
    .command('validate <file>')
    .description('check the structure of a pipeline without starting it')
    .option('--source <id>', 'entry component, in place of the one in the file');
  addExamples(command, 'validate ocr.pipe', 'validate ocr.pipe --json');
  runner.bind<{ source?: string }>(command, async (run, { source }, file = '') => {
    const { pipeline } = await loadPipeline(file);
    const client = await run.connect();
    const result = await client.validate(pipeline as PipelineInput, source);
    const valid = result.errors.length === 0;
    if (run.json) run.printJson(result);
    else {
      for (const message of result.errors) run.print(`${run.style.red('error')}    ${plain(message)}\n`);
      for (const message of result.warnings) run.print(`${run.style.yellow('warning')}  ${plain(message)}\n`);
      if (valid) run.note(`${file} is valid.\n`);
    }
    return valid ? exitCodes.ok : exitCodes.failed;
  });
}
