/** A variable that a pipeline may use. */
export interface Variable {
  readonly value: string;
  /** Where it is defined, as people call it: `.env`, `environment of the editor`. */
  readonly origin: string;
}

/** What is known of the variables for `${…}` in a file, by name. */
export type Environment = ReadonlyMap<string, Variable>;

/** Enough to recognise a value, too little to use it. */
export function masked(value: string): string {
  return value.length < 8 ? '•••' : `${value.slice(0, 2)}•••`;
}

/** The name in `${NAME}` around an offset of a text, with its place. */
export function variableAt(text: string, offset: number): { name: string; start: number; end: number } | undefined {
  const start = text.lastIndexOf('${', offset);
  const end = start < 0 ? -1 : text.indexOf('}', start);
  if (end < offset || end < 0) return undefined;
  const name = text.slice(start + 2, end);
  return /[\s"'{]/.test(name) ? undefined : { name, start, end: end + 1 };
}
