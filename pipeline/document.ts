import JSON5 from 'json5';
import { errorText, MillraceError } from '../protocol/errors.js';
import { limits } from '../protocol/limits.js';
import { clip, forbiddenKeys, formatPath, isRecord, type Path, quote } from './values.js';

/**
 * Reads the text of a pipeline file, JSON or JSON5, and unwraps it. The value is checked for depth and for keys that
 * could reach a prototype, not for structure.
 *
 * @throws MillraceError `pipeline_syntax`; the message names line and column, both counted from 1
 */
export function parsePipelineText(text: string): unknown {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (source.trim() === '') throw broken('it is empty');
  checkTextDepth(source, limits.jsonDepth);
  const value = parse(source);
  const problem = findJsonProblem(value);
  if (problem !== undefined) {
    throw new MillraceError('pipeline_syntax', `Broken pipeline file: ${problem.message}`, { hint: problem.hint });
  }
  return unwrapPipeline(value);
}

/** The pipeline inside a `{"pipeline": {…}}` wrapper; any other value as it is. */
export function unwrapPipeline(value: unknown): unknown {
  return isWrapped(value) ? value.pipeline : value;
}

export function isWrapped(value: unknown): value is { pipeline: Record<string, unknown> } {
  return (
    isRecord(value) &&
    Object.hasOwn(value, 'pipeline') &&
    isRecord(value.pipeline) &&
    !Object.hasOwn(value, 'components')
  );
}

export interface JsonLimits {
  /** Deepest nesting; a scalar has depth 0. Default: `limits.jsonDepth`. */
  maxDepth?: number;
  /** Most object members in the whole value. Default: no limit. */
  maxKeys?: number;
  /** Says of which parts this is known already. */
  isKnown?: ((part: object) => boolean) | undefined;
}

export interface JsonProblem {
  code: 'too_deep' | 'too_many_keys' | 'key_forbidden';
  message: string;
  hint: string;
  path: (string | number)[];
}

/**
 * Refuses a JSON value that is nested too deeply, has too many keys, or has a key `__proto__`, `constructor` or
 * `prototype`. Everything that walks the value afterwards may recurse.
 *
 * @throws MillraceError `invalid_argument`
 */
export function checkJson(value: unknown, allowed: JsonLimits = {}): void {
  const problem = findJsonProblem(value, allowed);
  if (problem === undefined) return;
  const message = problem.message.charAt(0).toUpperCase() + problem.message.slice(1);
  throw new MillraceError('invalid_argument', message, { hint: problem.hint });
}

interface Visit {
  value: object;
  depth: number;
  key: string | number | undefined;
  parent: Visit | undefined;
}

/** The first reason why `checkJson` refuses the value. */
export function findJsonProblem(value: unknown, allowed: JsonLimits = {}): JsonProblem | undefined {
  const maxDepth = allowed.maxDepth ?? limits.jsonDepth;
  const maxKeys = allowed.maxKeys ?? Number.POSITIVE_INFINITY;
  const pending: Visit[] = [];
  const enter = (child: unknown, key: string | number | undefined, parent: Visit | undefined): void => {
    if (typeof child !== 'object' || child === null || allowed.isKnown?.(child) === true) return;
    pending.push({ value: child, depth: (parent?.depth ?? 0) + 1, key, parent });
  };
  let keys = 0;
  enter(value, undefined, undefined);
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    if (visit.depth > maxDepth) return tooDeep(pathOf(visit), maxDepth);
    if (Array.isArray(visit.value)) {
      for (let index = 0; index < visit.value.length; index++) enter(visit.value[index], index, visit);
      continue;
    }
    const record = visit.value as Record<string, unknown>;
    for (const key of Object.keys(record)) {
      if (forbiddenKeys.has(key)) return keyForbidden([...pathOf(visit), key], key);
      if (++keys > maxKeys) return tooManyKeys(pathOf(visit), maxKeys);
      enter(record[key], key, visit);
    }
  }
  return undefined;
}

function pathOf(visit: Visit): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Visit | undefined = visit; at !== undefined; at = at.parent) if (at.key !== undefined) path.push(at.key);
  return path.reverse();
}

function tooDeep(path: Path, maxDepth: number): JsonProblem {
  return {
    code: 'too_deep',
    message: `nested too deeply at ${formatPath(path.slice(0, 8))}: at most ${maxDepth} levels are accepted`,
    hint: 'Flatten the value.',
    path: path.slice(0, 8),
  };
}

function tooManyKeys(path: Path, maxKeys: number): JsonProblem {
  return {
    code: 'too_many_keys',
    message: `too many keys: at most ${maxKeys} are accepted`,
    hint: 'Send less at once.',
    path: [...path],
  };
}

function keyForbidden(path: Path, key: string): JsonProblem {
  return {
    code: 'key_forbidden',
    message: `the key "${key}" at ${formatPath(path)} is not allowed`,
    hint: 'Rename the key.',
    path: [...path],
  };
}

/** JSON first: it is many times faster, and most files are plain JSON. */
function parse(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    try {
      return JSON5.parse(escapeSeparators(source));
    } catch (cause) {
      throw syntaxError(source, cause);
    }
  }
}

function syntaxError(source: string, cause: unknown): MillraceError {
  const text = errorText(cause);
  const position = json5Position(source, cause);
  if (position === undefined) return broken(text, undefined, cause);
  if (text.includes('invalid end of input')) return broken('unexpected end of the file', position, cause);
  if (text.includes('invalid identifier')) return broken('invalid character in a name', position, cause);
  const character = /invalid character '(.*)' at /s.exec(text)?.[1] ?? '';
  const what = character === '\\n' || character === '\\r' ? 'line break' : quoteCharacter(character);
  return broken(`unexpected ${what}`, position, cause);
}

/** json5 escapes quotes and control characters in its messages. */
function quoteCharacter(character: string): string {
  if (character === '\\"') return `'"'`;
  return quote(character === "\\'" ? "'" : character);
}

interface Position {
  line: number;
  column: number;
}

function json5Position(source: string, cause: unknown): Position | undefined {
  const { lineNumber: line, columnNumber: column } = cause as { lineNumber?: unknown; columnNumber?: unknown };
  if (typeof line !== 'number' || typeof column !== 'number') return undefined;
  if (column > 0) return { line, column };
  // json5 counts a line feed as column 0 of the line after it; people look for it at the end of its own line.
  const own = source.split('\n', line)[line - 2] ?? '';
  return { line: Math.max(1, line - 1), column: own.replace(/\r$/, '').length + 1 };
}

function broken(what: string, position?: Position, cause?: unknown): MillraceError {
  const where = position === undefined ? '' : ` at line ${position.line}, column ${position.column}`;
  return new MillraceError('pipeline_syntax', `Broken pipeline file: ${clip(what, 200)}${where}`, { cause });
}

/** Counts brackets outside strings and comments, so that no parser ever sees a text that is nested too deeply. */
function checkTextDepth(text: string, maxDepth: number): void {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"' || character === "'") index = endOfString(text, index);
    else if (character === '/') index = endOfComment(text, index);
    else if (character === '}' || character === ']') depth--;
    else if (character === '{' || character === '[') {
      depth++;
      if (depth > maxDepth) {
        const before = text.slice(0, index).split('\n');
        const position = { line: before.length, column: (before.at(-1) ?? '').length + 1 };
        throw broken(`nested deeper than ${maxDepth} levels`, position);
      }
    }
  }
}

/** json5 writes a warning to the console for each U+2028 and U+2029 in a string; escaped, they mean the same. */
function escapeSeparators(text: string): string {
  if (!/[\u2028\u2029]/.test(text)) return text;
  let out = '';
  let done = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '/') index = endOfComment(text, index);
    if (character !== '"' && character !== "'") continue;
    const end = endOfString(text, index) + 1;
    const escape = (found: string): string => (found === '\u2028' ? '\\u2028' : found === '\u2029' ? '\\u2029' : found);
    out += text.slice(done, index) + text.slice(index, end).replace(/\\[^]|[\u2028\u2029]/g, escape);
    done = end;
    index = end - 1;
  }
  return out + text.slice(done);
}

function endOfString(text: string, start: number): number {
  const delimiter = text[start];
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === delimiter) return index;
  }
  return text.length;
}

function endOfComment(text: string, start: number): number {
  if (text[start + 1] === '*') {
    const end = text.indexOf('*/', start + 2);
    return end < 0 ? text.length : end + 1;
  }
  if (text[start + 1] !== '/') return start;
  for (let index = start + 2; index < text.length; index++) {
    const character = text[index];
    if (character === '\n' || character === '\r' || character === '\u2028' || character === '\u2029') return index;
  }
  return text.length;
}
