/** Keys that reach the prototype of an object when a merge or an assignment is careless; refused everywhere. */
export const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export type Path = readonly (string | number)[];

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Null stands for absent in every optional member. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** The text, cut to `max` characters, so that a hostile name cannot make every message as long as itself. */
export function clip(text: string, max = 100): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}

export function quote(text: string): string {
  return `"${clip(text)}"`;
}

/** `["a", "b"]` as `"a", "b"`, with a count for what is left out. */
export function quoteList(names: readonly string[], max = 20): string {
  const shown = names.slice(0, max).map(quote).join(', ');
  return names.length <= max ? shown : `${shown} and ${names.length - max} more`;
}

/** A JSON path as people read it: `components[2].config["api-key"]`. The empty path is the document itself. */
export function formatPath(path: Path): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[A-Za-z_$][\w$]*$/.test(key)) text += `[${JSON.stringify(clip(key))}]`;
    else text += text === '' ? clip(key) : `.${clip(key)}`;
  }
  return text === '' ? 'the top level' : text;
}
