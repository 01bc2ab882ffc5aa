import type { CommandDeps } from './dependencies.js';
import { editedRun, fileOf, pickRun } from './target.js';

/** `Stop Pipeline`: every run of the file it is called on, else the one that the person picks. */
export async function stopPipeline({ runs }: Pick<CommandDeps, 'runs'>, argument: unknown): Promise<void> {
  const file = fileOf(argument)?.toString();
  if (file !== undefined) {
    const own = runs.all.filter((run) => run.file.toString() === file);
    await Promise.all(own.map((run) => runs.stop(run)));
    return;
  }
  const run = editedRun(runs) ?? (await pickRun(runs.all, 'Stop Pipeline'));
  if (run !== undefined) await runs.stop(run);
}
