import { type TraceLevel, traceLevels } from '../../protocol/events.js';
import { MillraceError } from '../../protocol/errors.js';
import { clip, isAbsent, isName, isRecord, quote } from '../../pipeline/values.js';

/** A launch configuration whose fields were checked. Paths are as they were written. */
export interface LaunchConfiguration {
  readonly request: 'launch';
  readonly program: string;
  readonly source: string | undefined;
  readonly args: readonly string[] | undefined;
  readonly threads: number | undefined;
  /** Idle seconds, 0 = none. */
  readonly ttl: number | undefined;
  readonly traceLevel: TraceLevel | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly envFile: string | undefined;
  readonly connection: string | undefined;
  /** Files, folders and globs; undefined when the session waits for data from elsewhere. */
  readonly input: readonly string[] | undefined;
}

/** An attach configuration whose fields were checked. */
export interface AttachConfiguration {
  readonly request: 'attach';
  readonly task: { readonly token: string } | { readonly projectId: string; readonly source: string };
  readonly connection: string | undefined;
}

export type DebugConfiguration = LaunchConfiguration | AttachConfiguration;

const maxThreads = 64;

/**
 * A debug configuration as it stands in launch.json, checked. What it does not know is left alone, because the editor
 * adds fields of its own.
 *
 * @throws MillraceError `invalid_argument`; the message names the field
 */
export function checkConfiguration(given: unknown): DebugConfiguration {
  if (!isRecord(given)) throw wrong('The debug configuration must be an object');
  switch (given.request) {
    case 'launch':
      return checkLaunch(given);
    case 'attach':
      return checkAttach(given);
    default:
      throw wrongField('request', '"launch" or "attach"', given.request);
  }
}

function checkLaunch(given: Record<string, unknown>): LaunchConfiguration {
  const program = name(given, 'program');
  if (program === undefined) {
    throw wrong(
      'The debug configuration has no "program"',
      'Set "program" to the pipeline file, for example "${file}".',
    );
  }
  optional(given, 'noDebug', 'true or false', (value) => typeof value === 'boolean');
  return {
    request: 'launch',
    program,
    source: name(given, 'source'),
    args: texts(given, 'args'),
    threads: whole(given, 'threads', 1, maxThreads),
    ttl: whole(given, 'ttl', 0, Number.MAX_SAFE_INTEGER),
    traceLevel: optional(given, 'pipelineTraceLevel', `one of ${traceLevels.map(quote).join(', ')}`, isTraceLevel),
    env: environment(given.env),
    envFile: name(given, 'envFile'),
    connection: name(given, 'connection'),
    input: inputs(given.input),
  };
}

function checkAttach(given: Record<string, unknown>): AttachConfiguration {
  const token = name(given, 'token');
  const projectId = name(given, 'projectId');
  const source = name(given, 'source');
  const connection = name(given, 'connection');
  if (token !== undefined) return { request: 'attach', task: { token }, connection };
  if (projectId !== undefined && source !== undefined) {
    return { request: 'attach', task: { projectId, source }, connection };
  }
  throw wrong(
    'The debug configuration does not say which task to attach to',
    'Set "token", for example to "${command:pickTask}", or "projectId" and "source".',
  );
}

function optional<T>(
  given: Record<string, unknown>,
  field: string,
  expected: string,
  fits: (value: unknown) => value is T,
): T | undefined;
function optional(
  given: Record<string, unknown>,
  field: string,
  expected: string,
  fits: (value: unknown) => boolean,
): unknown;
function optional(
  given: Record<string, unknown>,
  field: string,
  expected: string,
  fits: (value: unknown) => boolean,
): unknown {
  const value = given[field];
  if (isAbsent(value)) return undefined;
  if (!fits(value)) throw wrongField(field, expected, value);
  return value;
}

/** An empty text stands for an absent one, as in the settings of the editor. */
function name(given: Record<string, unknown>, field: string): string | undefined {
  const value = optional(given, field, 'a text', (item): item is string => typeof item === 'string');
  return isName(value) ? value : undefined;
}

function whole(given: Record<string, unknown>, field: string, least: number, most: number): number | undefined {
  const range = most > maxThreads ? `${least} or more` : `from ${least} to ${most}`;
  return optional(given, field, `a whole number, ${range}`, (value): value is number => {
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
  });
}

function texts(given: Record<string, unknown>, field: string): readonly string[] | undefined {
  return optional(given, field, 'a list of texts', isTexts);
}

function inputs(value: unknown): readonly string[] | undefined {
  if (isAbsent(value) || value === '') return undefined;
  const list = typeof value === 'string' ? [value] : value;
  if (!isTexts(list) || list.includes('')) throw wrongField('input', 'a file, a glob or a list of them', value);
  return list.length === 0 ? undefined : list;
}

function environment(value: unknown): Readonly<Record<string, string>> {
  if (isAbsent(value)) return {};
  if (!isRecord(value)) throw wrongField('env', 'an object of names and texts', value);
  for (const [variable, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw wrongField(`env.${variable}`, 'a text', text);
  }
  return value as Record<string, string>;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isTraceLevel(value: unknown): value is TraceLevel {
  return (traceLevels as readonly unknown[]).includes(value);
}

function wrongField(field: string, expected: string, value: unknown): MillraceError {
  const found = value === undefined ? 'missing' : clip(JSON.stringify(value));
  return wrong(`"${clip(field)}" in the debug configuration must be ${expected}, but is ${found}`);
}

function wrong(message: string, hint = 'Correct the configuration in launch.json.'): MillraceError {
  return new MillraceError('invalid_argument', message, { hint });
}
