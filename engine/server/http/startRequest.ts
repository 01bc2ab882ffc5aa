import { MillraceError } from '../../../protocol/errors.js';
import { type TraceLevel, traceLevels } from '../../../protocol/events.js';
import { limits } from '../../../protocol/limits.js';
import { isRecord } from '../../../pipeline/values.js';
import type { StartRequest } from '../../tasks/service.js';

const credentialKeys = ['auth', 'apikey', 'apiKey', 'api_key'] as const;

/** Parameters that are never part of a pipeline. `name` and `source` may be: flat, they belong to the pipeline. */
const startKeys = [
  'token',
  'threads',
  'useExisting',
  'use_existing',
  'args',
  'ttl',
  'pipelineTraceLevel',
  'env',
] as const;

/** Removes the credential from a body, so that it is never stored with the pipeline, and returns it. */
export function takeCredential(body: Record<string, unknown>): unknown {
  let found: unknown;
  for (const key of credentialKeys) {
    found ??= body[key];
    delete body[key];
  }
  return found;
}

/**
 * The start request of a body: a pipeline, `{"pipeline": …}` with parameters beside it, or a pipeline with the
 * parameters among its own keys. The query wins over the body.
 *
 * @throws MillraceError `pipeline_invalid`, `invalid_argument`
 */
export function readStart(body: Record<string, unknown>, query: Record<string, unknown>): StartRequest {
  const { parameters, pipeline } = separate(body);
  const given = { ...parameters, ...withoutEmpty(query) };
  const trace = text(query, 'trace');
  const args = list(parameters, 'args');
  return {
    pipeline,
    token: text(given, 'token'),
    source: text(given, 'source'),
    name: text(given, 'name'),
    threads: integer(given, 'threads', 1, limits.maxThreads),
    ttl: integer(given, 'ttl', 0, Number.MAX_SAFE_INTEGER),
    useExisting: flag(given, 'useExisting') ?? flag(given, 'use_existing'),
    args: trace === undefined ? args : [...(args ?? []), `--trace=${trace}`],
    traceLevel: level(given),
    env: variables(parameters),
  };
}

function separate(body: Record<string, unknown>): { parameters: Record<string, unknown>; pipeline: unknown } {
  takeCredential(body);
  if (Object.hasOwn(body, 'pipeline') && !Object.hasOwn(body, 'components')) {
    const { pipeline, ...parameters } = body;
    if (isRecord(pipeline)) takeCredential(pipeline);
    return { parameters, pipeline };
  }
  if (!Object.hasOwn(body, 'components')) {
    throw new MillraceError('pipeline_invalid', 'The body has neither `components` nor `pipeline`', {
      hint: 'Send the pipeline itself, or an object with the pipeline under `pipeline`.',
    });
  }
  const pipeline = { ...body };
  const parameters: Record<string, unknown> = {};
  for (const key of startKeys) {
    if (!Object.hasOwn(pipeline, key)) continue;
    parameters[key] = pipeline[key];
    delete pipeline[key];
  }
  return { parameters, pipeline };
}

function withoutEmpty(query: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

function text(given: Record<string, unknown>, name: string): string | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw wrong(name, 'must be a string');
  return value;
}

function integer(given: Record<string, unknown>, name: string, min: number, max: number): number | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max) {
    throw wrong(
      name,
      max === Number.MAX_SAFE_INTEGER ? `must be an integer from ${min}` : `must be an integer from ${min} to ${max}`,
    );
  }
  return number;
}

function flag(given: Record<string, unknown>, name: string): boolean | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined) return undefined;
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw wrong(name, 'must be true or false');
}

function list(given: Record<string, unknown>, name: string): string[] | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string'))
    throw wrong(name, 'must be a list of strings');
  return value;
}

function level(given: Record<string, unknown>): TraceLevel | undefined {
  const value = given['pipelineTraceLevel'] ?? undefined;
  if (value === undefined) return undefined;
  const known = traceLevels.find((name) => name === value);
  if (known === undefined) throw wrong('pipelineTraceLevel', `must be one of ${traceLevels.join(', ')}`);
  return known;
}

function variables(given: Record<string, unknown>): Record<string, string> | undefined {
  const value = given['env'] ?? undefined;
  if (value === undefined) return undefined;
  if (!isRecord(value) || !Object.values(value).every((entry) => typeof entry === 'string')) {
    throw wrong('env', 'must be an object of strings');
  }
  return value as Record<string, string>;
}

function wrong(name: string, what: string): MillraceError {
  return new MillraceError('invalid_argument', `\`${name}\` ${what}`);
}
