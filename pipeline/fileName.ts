/** Pipeline files end in `.pipe`, `.pipe.json` or `.pipe.json5`, in any case. */
const ending = /\.pipe(?:\.json5?)?$/i;

/** The same as a pattern for the files below a folder. */
export const pipelineFilePattern = '**/*.pipe{,.json,.json5}';

export function isPipelineFile(name: string): boolean {
  return ending.test(name);
}

/** Empty for a name that is nothing but an ending. */
export function withoutEnding(name: string): string {
  return name.replace(ending, '');
}
