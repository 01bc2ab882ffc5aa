import type { CommandDeps } from './dependencies.js';
import { startPipeline } from './start.js';
import { pickPipeline } from './target.js';

/** `Run Pipeline`: on a file, on a line of the Pipelines view, or on what is being edited. */
export async function runPipeline(deps: CommandDeps, argument: unknown): Promise<void> {
  const file = await pickPipeline(argument, deps.files, 'Run Pipeline');
  if (file !== undefined) await startPipeline(deps, file);
}
