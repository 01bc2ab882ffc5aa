import { type CommandName, commands } from '../identifiers.js';
import type { PipelineReading } from '../pipelines/pipelineFile.js';

/** A line above the pipeline that runs a command on its file. */
export interface Lens {
  readonly title: string;
  readonly command: string;
}

/** What can be done with a pipeline in its state: few things, the likeliest first. */
export function lensesOf(reading: PipelineReading, run: { readonly isChat: boolean } | undefined): Lens[] {
  // What runs can be stopped, whatever has become of its file.
  const live = run === undefined ? [] : [lens('$(debug-stop) Stop', 'stopPipeline')];
  if (reading.kind === 'problem') return [...live, lens('Validate', 'validatePipeline')];
  if (run === undefined) return [lens('$(play) Run', 'runPipeline'), lens('Validate', 'validatePipeline')];
  const send = run.isChat ? [lens('Ask…', 'ask')] : [lens('Send files…', 'sendFiles'), lens('Send text…', 'sendText')];
  return [
    ...live,
    ...send,
    lens('Live view', 'showPipelineLiveView'),
    lens('Attach', 'attachToTask'),
    lens('Validate', 'validatePipeline'),
  ];
}

function lens(title: string, name: CommandName): Lens {
  return { title, command: commands[name] };
}
